//! A turn of a session, from the wish of the user to its end, as a page shows it.

use std::collections::BTreeMap;

use cogtools_log::{Id, Usage};
use serde::Serialize;

use crate::cut;
use crate::markdown::Html;
use crate::session::timeline::{Bar, Request, Row, RowKind, cost};

/// A turn.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Turn {
    /// The number of its first line, which names it in URLs.
    pub(crate) line: usize,
    pub(crate) time: String,
    pub(crate) intent: Intent,
    pub(crate) status: Badge,
    /// Its duration in words, without the time in which it waited for the user.
    pub(crate) duration: String,
    #[serde(skip)]
    pub(crate) usage: Usage,
    pub(crate) tokens: u64,
    pub(crate) cached_percent: u64,
    /// Its money, if that is known.
    pub(crate) cost: String,
    #[serde(skip)]
    pub(crate) messages: Vec<Message>,
    /// The conversation, in which the calls between two messages are one block.
    pub(crate) blocks: Vec<Block>,
    /// The flow that runs.
    pub(crate) flow: Option<FlowOf>,
    /// The timeline, in its order.
    pub(crate) rows: Vec<Row>,
    /// Calls that wait for the user.
    pub(crate) questions: Vec<Question>,
    /// Which message is the reply of the plan.
    #[serde(skip)]
    pub(crate) reply: Option<usize>,
    /// The entry before it, and its own last one: a branch may begin at each of them.
    pub(crate) before: Option<Id>,
    pub(crate) last: Option<Id>,
    /// True if the session has gone on without it, on another branch.
    pub(crate) is_aside: bool,
}

/// The subject of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Intent {
    /// A page begins inside this turn.
    #[default]
    Earlier,
    Conversation,
    Clock,
    Arithmetic,
    General,
    Flow,
}

/// A state, as a badge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Badge {
    #[default]
    Planned,
    Executing,
    Executed,
    Failed,
    Skipped,
    /// No tool can do it.
    Unsupported,
    NoTool,
    /// It waits for the user.
    Waiting,
    /// Its process is gone.
    Interrupted,
    /// The user or a rule did not allow it.
    Denied,
    Cancelled,
    /// The turn has ended without it.
    NotRun,
}

impl Badge {
    /// The word for a step that failed, was denied or never ran; `None` for any other.
    pub(crate) const fn fault(self) -> Option<&'static str> {
        match self {
            Self::Failed => Some("failed"),
            Self::Unsupported => Some("unsupported"),
            Self::Interrupted => Some("interrupted"),
            Self::Denied => Some("denied"),
            Self::Cancelled => Some("cancelled"),
            Self::NotRun => Some("never ran"),
            _ => None,
        }
    }
}

/// A part of the conversation.
#[derive(Debug, Serialize)]
#[serde(tag = "block", rename_all = "snake_case")]
pub(crate) enum Block {
    Message(Message),
    Calls(Calls),
}

/// The calls between two messages, as one line that opens.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Calls {
    /// The number of the first step.
    pub(crate) first: usize,
    pub(crate) badge: Badge,
    /// The tools whose calls are done, or are not yet, with the number of calls.
    pub(crate) tools: Vec<ToolCount>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) time: String,
    pub(crate) messages: Vec<Message>,
    /// The beginning of the first one and the end of the last one, in milliseconds.
    #[serde(skip)]
    span: Option<(u64, u64)>,
}

/// The number of calls of a tool.
#[derive(Debug, Serialize)]
pub(crate) struct ToolCount {
    pub(crate) name: String,
    pub(crate) count: usize,
}

/// A call that failed, was denied or never ran.
#[derive(Debug, Serialize)]
pub(crate) struct Fault {
    pub(crate) name: String,
    pub(crate) word: &'static str,
}

/// A message of the conversation.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Message {
    pub(crate) line: usize,
    /// Its name in the turn, which stays when it changes.
    pub(crate) key: String,
    pub(crate) from: From,
    /// The text before it: `run_tests · step 1 of 2 · failed`.
    pub(crate) label: String,
    /// The index of the row that it is the result of.
    #[serde(skip)]
    pub(crate) row: Option<usize>,
    pub(crate) text: String,
    /// The other parts of a task.
    pub(crate) others: String,
    /// The text as Markdown, as JSON that can be folded, or as a difference; empty if it is none.
    pub(crate) html: Html,
    /// The state of the step; of a text of the model, planned until its plan has run.
    #[serde(skip)]
    pub(crate) state: Badge,
    /// True if this is how the turn was answered.
    pub(crate) is_answer: bool,
    /// True if the text is only a part of what the line has.
    pub(crate) is_cut: bool,
    /// True if it is so long that it scrolls by itself.
    pub(crate) is_long: bool,
    /// The whole text, if the line has only a part of it.
    pub(crate) blob: String,
    pub(crate) time: String,
    pub(crate) hints: Vec<String>,
}

/// Who says something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum From {
    User,
    Model,
    Step,
    #[default]
    Note,
    Error,
}

/// A flow, as a log names it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FlowOf {
    pub(crate) tool: String,
    /// The digest of its file.
    pub(crate) digest: String,
}

/// A question to the user, with everything that is decided about.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Question {
    pub(crate) kind: QuestionKind,
    /// The number of the line that asks.
    pub(crate) line: usize,
    /// The call, or the node.
    pub(crate) key: String,
    /// The question of a node.
    pub(crate) text: String,
    /// The tool of a call.
    pub(crate) tool: String,
    pub(crate) description: String,
    /// All arguments of the call.
    pub(crate) arguments: String,
    /// The program.
    pub(crate) code: String,
    /// The calls in it that need a yes, a line each.
    pub(crate) calls: Vec<String>,
    /// The command or the URL of the call.
    pub(crate) runs: String,
    /// Why there is a question.
    pub(crate) why: String,
}

/// The kind of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuestionKind {
    /// True if a call may run.
    #[default]
    Approval,
    /// The user decides about a whole program.
    Program,
    /// The inputs of a node of a flow.
    Answer,
}

impl Message {
    /// A message without its text.
    pub(crate) fn new(line: usize, from: From, label: &str, time: String) -> Self {
        Self {
            line,
            from,
            label: label.to_owned(),
            state: Badge::Executed,
            time,
            ..Self::default()
        }
    }
}

impl Turn {
    /// A turn that begins with the line `line`.
    pub(crate) fn new(line: usize, time: String, intent: Intent) -> Self {
        Self {
            line,
            time,
            intent,
            status: Badge::Executing,
            ..Self::default()
        }
    }

    /// Marks everything that executes as interrupted.
    pub(crate) fn interrupt(&mut self) {
        for badge in self.badges() {
            if *badge == Badge::Executing {
                *badge = Badge::Interrupted;
            }
        }
    }

    fn badges(&mut self) -> impl Iterator<Item = &mut Badge> {
        let rows = self.rows.iter_mut().filter_map(|row| row.badge.as_mut());
        rows.chain([&mut self.status])
    }

    /// Ends the turn, as far as another one or its end says that nothing follows in it.
    pub(crate) fn close(&mut self) {
        self.questions.clear();
        for badge in self.badges() {
            if *badge == Badge::Waiting {
                *badge = Badge::NotRun;
            }
        }
        if self.status == Badge::NotRun {
            self.status = Badge::Interrupted;
        }
        self.interrupt();
    }

    /// Marks what the turn has not done at its end: it never ran, or waits behind a question.
    pub(crate) fn settle(&mut self, line: usize, time: &str) {
        if !self.questions.is_empty() {
            self.plan_again();
            return;
        }
        let is_open = |badge| matches!(badge, Badge::Planned | Badge::Executing | Badge::Waiting);
        for (index, row) in self.rows.iter_mut().enumerate() {
            if !row.badge.is_some_and(is_open) {
                continue;
            }
            if row.step.is_none() {
                // The turn has ended without an answer to the request.
                row.badge = Some(Badge::Interrupted);
                continue;
            }
            row.badge = Some(Badge::NotRun);
            if self.messages.iter().all(|one| one.row != Some(index)) {
                self.messages.push(Message {
                    row: Some(index),
                    ..Message::new(line, From::Step, "", time.to_owned())
                });
            }
        }
    }

    /// Marks steps as planned that were skipped only because they need a step that waits.
    fn plan_again(&mut self) {
        let of = |row: &Row, badge| row.badge == Some(badge);
        let mut awaited: Vec<String> = Vec::new();
        for row in self.rows.iter().filter(|row| of(row, Badge::Waiting)) {
            awaited.extend(row.step.iter().map(|step| format!("needs `{}`", step.key)));
        }
        loop {
            let mut skipped = self.rows.iter_mut().filter(|row| of(row, Badge::Skipped));
            let found = skipped.find_map(|row| {
                let step = row.step.as_mut()?;
                awaited
                    .contains(&step.message)
                    .then_some((step, &mut row.badge))
            });
            let Some((step, badge)) = found else {
                return;
            };
            *badge = Some(Badge::Planned);
            step.message.clear();
            awaited.push(format!("needs `{}`", step.key));
        }
    }

    /// Completes what is known only at the end: the number of steps, the blocks of calls, the
    /// bars of the timeline, and the answer.
    pub(crate) fn complete(&mut self) {
        self.tokens = self.usage.total;
        self.cached_percent = self.usage.cached_percent();
        self.cost = cost(&self.usage);
        let mut number = 0;
        for step in self.rows.iter_mut().filter_map(|row| row.step.as_mut()) {
            number += 1;
            step.number = number;
        }
        self.place_bars();
        let mut said = self.messages.iter_mut().rev();
        if let Some(answer) =
            said.find(|one| one.from == From::Model && one.state != Badge::Planned)
            && !matches!(self.status, Badge::Executing | Badge::Waiting)
        {
            answer.is_answer = true;
        }
        for mut message in std::mem::take(&mut self.messages) {
            message.is_long = !message.is_answer && cut::is_long(&message.text);
            match message.row {
                None => {
                    message.key = format!("m-{}-{}", message.line, self.blocks.len());
                    self.blocks.push(Block::Message(message));
                }
                Some(row) => self.fold(message, row, number),
            }
        }
    }

    /// Adds the result of a step to the calls at the end of the conversation.
    fn fold(&mut self, mut message: Message, row: usize, total: usize) {
        let row = &self.rows[row];
        let Some(step) = &row.step else {
            return;
        };
        let name = step.name();
        message.key = format!("step-{}", step.number);
        message.state = row.badge.unwrap_or_default();
        message.label = format!("{name} · step {} of {total}", step.number);
        if !matches!(self.blocks.last(), Some(Block::Calls(_))) {
            self.blocks.push(Block::Calls(Calls {
                first: step.number,
                badge: Badge::Executed,
                ..Calls::default()
            }));
        }
        let Some(Block::Calls(calls)) = self.blocks.last_mut() else {
            return;
        };
        if let (Some(began), Some(ms)) = (row.began, row.ms) {
            let (first, last) = calls.span.unwrap_or((began, 0));
            let (first, last) = (first.min(began), last.max(began.saturating_add(ms)));
            calls.span = Some((first, last));
            calls.time = cut::time(Some(last - first));
        }
        if let Some(word) = message.state.fault() {
            message.from = From::Error;
            message.label = format!("{} · {word}", message.label);
            if message.text.is_empty() {
                "The turn has ended without a result of it.".clone_into(&mut message.text);
            }
            calls.faults.push(Fault {
                name: name.to_owned(),
                word,
            });
        } else {
            if calls.badge == Badge::Executed {
                calls.badge = message.state;
            }
            match calls.tools.iter_mut().find(|one| one.name == name) {
                Some(tool) => tool.count += 1,
                None => calls.tools.push(ToolCount {
                    name: name.to_owned(),
                    count: 1,
                }),
            }
        }
        calls.messages.push(message);
    }

    /// Gives rows their times, and requests and steps their bars.
    fn place_bars(&mut self) {
        let end = |row: &Row| Some(row.began?.saturating_add(row.ms.unwrap_or_default()));
        let total = self.rows.iter().filter_map(end).max().unwrap_or_default();
        self.duration = cut::time((total > 0).then_some(total));
        for row in &mut self.rows {
            row.time = cut::time(row.ms);
            let Some(began) = row.began else {
                continue;
            };
            row.at = format!("+{}", cogtools_log::duration(began));
            let takes_time = matches!(row.kind, RowKind::Request | RowKind::Step);
            if total > 0 && takes_time && row.badge != Some(Badge::Skipped) {
                // What has no end yet lasts.
                let ms = row.ms.unwrap_or(total - began);
                let part = |ms: u64| ms.saturating_mul(10_000) / total;
                row.bar = Some(Bar {
                    x: part(began).min(9_950),
                    width: part(ms).max(50),
                });
            }
        }
    }

    /// The last step with this name.
    pub(crate) fn step(&mut self, key: &str) -> Option<(usize, &mut Row)> {
        let mut rows = self.rows.iter_mut().enumerate().rev();
        rows.find(|(_, row)| row.step.as_ref().is_some_and(|step| step.key == key))
    }

    /// The states of the steps, by their names.
    pub(crate) fn states(&self) -> BTreeMap<String, Badge> {
        let rows = self.rows.iter();
        let states = rows.filter_map(|row| Some((row.step.as_ref()?.key.clone(), row.badge?)));
        states.collect()
    }

    /// Its requests.
    pub(crate) fn requests(&mut self) -> impl DoubleEndedIterator<Item = &mut Request> {
        self.rows.iter_mut().filter_map(|row| row.request.as_mut())
    }
}
