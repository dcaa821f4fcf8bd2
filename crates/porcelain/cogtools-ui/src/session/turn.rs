//! A turn of a session, from the wish of the user to its end, as a page shows it.

use cogtools_log::{Blobs, LayerSize};
use serde::Serialize;

use crate::cut;
use crate::markdown::Html;

/// A turn.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Turn {
    /// The number of its first line, which names it in URLs.
    pub(crate) line: usize,
    pub(crate) time: String,
    pub(crate) intent: Intent,
    pub(crate) status: Badge,
    /// The number of calls of each tool that ran.
    pub(crate) tools: Vec<ToolCount>,
    /// The duration of all calls in words.
    pub(crate) duration: String,
    #[serde(skip)]
    pub(crate) ms: u64,
    pub(crate) tokens: u64,
    pub(crate) cached_percent: u64,
    pub(crate) messages: Vec<Message>,
    pub(crate) board: Vec<Step>,
    /// The flow that runs.
    pub(crate) flow: Option<FlowOf>,
    pub(crate) log: Vec<LogRow>,
    pub(crate) details: Vec<Detail>,
    pub(crate) requests: Vec<Request>,
    /// Calls that wait for the user.
    pub(crate) questions: Vec<Question>,
    /// Which message is the reply of the plan.
    #[serde(skip)]
    pub(crate) reply: Option<usize>,
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
    /// The word for a step that did not do what it should; `None` if it did.
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

/// The number of calls of a tool.
#[derive(Debug, Serialize)]
pub(crate) struct ToolCount {
    pub(crate) name: String,
    pub(crate) count: usize,
}

/// A message of the conversation.
#[derive(Debug, Serialize)]
pub(crate) struct Message {
    pub(crate) line: usize,
    pub(crate) from: From,
    /// The text before it: `run_tests · step 1 of 2 · failed`.
    pub(crate) label: String,
    /// The number of the step that it is about.
    #[serde(skip)]
    pub(crate) step: Option<usize>,
    pub(crate) text: String,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum From {
    User,
    Model,
    Step,
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

/// A step of a plan, a call, or a node of a flow, on the board.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Step {
    /// Its name in the log.
    pub(crate) key: String,
    pub(crate) tool: String,
    pub(crate) reason: String,
    pub(crate) badge: Badge,
    pub(crate) time: String,
    /// Why it failed.
    pub(crate) message: String,
    /// True if a program has made the call.
    pub(crate) is_of_program: bool,
}

/// A row of the thinking log.
#[derive(Debug, Serialize)]
pub(crate) struct LogRow {
    pub(crate) line: usize,
    pub(crate) time: String,
    pub(crate) kind: &'static str,
    /// The number of the step that it is about.
    #[serde(skip)]
    pub(crate) step: Option<usize>,
    /// The tool of that step.
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) badge: Option<Badge>,
}

/// The facts about a call.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Detail {
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) tool: String,
    pub(crate) badge: Badge,
    pub(crate) code: String,
    pub(crate) arguments: Html,
    /// The arguments that the tool got, if others were sent.
    pub(crate) resolved: Html,
    /// All arguments that the tool gets, however long they are.
    #[serde(skip)]
    pub(crate) whole: String,
    /// The whole program that the call runs; empty if it runs none.
    #[serde(skip)]
    pub(crate) program: String,
    /// True if this is the call of a tool, not only a node.
    #[serde(skip)]
    pub(crate) is_call: bool,
    pub(crate) result: Html,
    pub(crate) result_is_cut: bool,
    /// The number of the line with the result.
    pub(crate) result_line: usize,
    /// The whole result, if the line has only a part of it.
    pub(crate) blob: String,
    pub(crate) logs: Vec<String>,
    /// The remarks of a guard: references that are missing, results that became text.
    pub(crate) notes: Vec<String>,
    pub(crate) approval: String,
    pub(crate) time: String,
    pub(crate) message: String,
}

/// A request to the model, by layers.
#[derive(Debug, Serialize)]
pub(crate) struct Request {
    pub(crate) turn: u32,
    pub(crate) model: String,
    pub(crate) line: usize,
    pub(crate) layers: Vec<Layer>,
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

impl Step {
    /// The tool, or the name in the log of a step without one.
    pub(crate) fn name(&self) -> &str {
        if self.tool.is_empty() {
            &self.key
        } else {
            &self.tool
        }
    }
}

impl Message {
    /// A message without its text.
    pub(crate) fn new(line: usize, from: From, label: &str, time: String) -> Self {
        Self {
            line,
            from,
            label: label.to_owned(),
            step: None,
            text: String::new(),
            html: Html::default(),
            state: Badge::Executed,
            is_answer: false,
            is_cut: false,
            is_long: false,
            blob: String::new(),
            time,
            hints: Vec::new(),
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
        let steps = self.board.iter_mut().map(|step| &mut step.badge);
        let details = self.details.iter_mut().map(|detail| &mut detail.badge);
        steps.chain(details).chain([&mut self.status])
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
        let steps = self.board.iter_mut().enumerate();
        for (index, step) in steps.filter(|(_, step)| is_open(step.badge)) {
            step.badge = Badge::NotRun;
            self.messages.push(Message {
                step: Some(index + 1),
                state: Badge::NotRun,
                text: "The turn has ended without a result of it.".to_owned(),
                ..Message::new(line, From::Error, step.name(), time.to_owned())
            });
        }
        for detail in self.details.iter_mut().filter(|one| is_open(one.badge)) {
            detail.badge = Badge::NotRun;
        }
    }

    /// Marks steps as planned that were skipped only because they need a step that waits.
    fn plan_again(&mut self) {
        let keys = |of: Badge, board: &[Step]| -> Vec<String> {
            let steps = board.iter().filter(|step| step.badge == of);
            steps.map(|step| format!("needs `{}`", step.key)).collect()
        };
        let mut awaited = keys(Badge::Waiting, &self.board);
        while let Some(step) = self
            .board
            .iter_mut()
            .find(|step| step.badge == Badge::Skipped && awaited.contains(&step.message))
        {
            step.badge = Badge::Planned;
            step.message.clear();
            awaited.push(format!("needs `{}`", step.key));
        }
    }

    /// Completes what is known only at the end: the number of steps, of calls, and the answer.
    pub(crate) fn complete(&mut self) {
        self.duration = cut::time((self.ms > 0).then_some(self.ms));
        let total = self.board.len();
        let of = |number: usize| format!("step {number} of {total}");
        for message in &mut self.messages {
            if let Some(number) = message.step {
                let fault = message.state.fault().map(|fault| format!(" · {fault}"));
                let fault = fault.unwrap_or_default();
                message.label = format!("{} · {}{fault}", message.label, of(number));
            }
            message.is_long = cut::is_long(&message.text);
        }
        for row in &mut self.log {
            if let Some(number) = row.step {
                row.text = format!("{} · {} · {}", row.name, of(number), row.text);
            }
        }
        let mut said = self.messages.iter_mut().rev();
        if let Some(answer) =
            said.find(|one| one.from == From::Model && one.state != Badge::Planned)
            && !matches!(self.status, Badge::Executing | Badge::Waiting)
        {
            (answer.is_answer, answer.is_long) = (true, false);
        }
        for detail in self.details.iter().filter(|one| one.is_call) {
            let has_run = matches!(
                detail.badge,
                Badge::Executing | Badge::Executed | Badge::Failed | Badge::Interrupted
            );
            if !has_run {
                continue;
            }
            match self.tools.iter_mut().find(|one| one.name == detail.tool) {
                Some(count) => count.count += 1,
                None => self.tools.push(ToolCount {
                    name: detail.tool.clone(),
                    count: 1,
                }),
            }
        }
    }

    /// The last step on the board with this name, and its number, from 1.
    pub(crate) fn step(&mut self, key: &str) -> Option<(usize, &mut Step)> {
        let mut steps = self.board.iter_mut().enumerate().rev();
        let (index, step) = steps.find(|(_, step)| step.key == key)?;
        Some((index + 1, step))
    }

    /// Puts a step with this name on the board, unless it is there.
    pub(crate) fn place(&mut self, key: &str) {
        if self.step(key).is_none() {
            self.board.push(Step {
                key: key.to_owned(),
                ..Step::default()
            });
        }
    }

    /// The last detail with this name.
    pub(crate) fn detail(&mut self, key: &str) -> Option<&mut Detail> {
        self.details.iter_mut().rev().find(|one| one.key == key)
    }
}

/// The number of layers of a page that have their text, beginning with the last requests.
const MAX_TEXTS: usize = 24;
/// The number of parts of a layer that are read at each of its ends.
const MAX_PARTS: usize = 6;

/// A layer of a request.
#[derive(Debug, Serialize)]
pub(crate) struct Layer {
    pub(crate) name: String,
    pub(crate) tokens: u64,
    pub(crate) hash: String,
    pub(crate) cached: bool,
    pub(crate) text: LayerText,
    #[serde(skip)]
    size: LayerSize,
}

/// The facts about the text of a layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", content = "text", rename_all = "snake_case")]
pub(crate) enum LayerText {
    /// The layer is empty.
    Empty,
    /// The log does not have it.
    NotKept,
    /// It is the same as in the request before this one.
    Unchanged,
    /// It can be read, but the page has enough of others.
    LeftOut,
    /// It cannot be read any more.
    Gone,
    /// It is this, with its middle left out if it is long.
    Shown(String),
}

impl Layer {
    /// A layer of the request after `before`, without its text.
    pub(crate) fn new(size: &LayerSize, before: Option<&Request>) -> Self {
        let mut others = before.iter().flat_map(|before| &before.layers);
        let is_same = |other: &Self| other.name == size.name && other.hash == size.hash;
        let text = match size.parts.is_empty() {
            true if size.tokens == 0 => LayerText::Empty,
            true => LayerText::NotKept,
            false if others.any(is_same) => LayerText::Unchanged,
            false => LayerText::LeftOut,
        };
        Self {
            name: size.name.clone(),
            tokens: size.tokens,
            hash: size.hash.clone(),
            cached: size.cached,
            text,
            size: size.clone(),
        }
    }

    /// Reads the text from `blobs`.
    fn read(&mut self, blobs: &Blobs) {
        let text = blobs.layer_ends(&self.size, MAX_PARTS);
        self.text = text.map_or(LayerText::Gone, |text| LayerText::Shown(cut::text(&text)));
    }
}

/// Reads the texts of the layers of `requests`, as many as a page shows.
pub(crate) fn read_texts(requests: &mut [Request], blobs: &Blobs) {
    let layers = requests.iter_mut().rev().flat_map(|one| &mut one.layers);
    let layers = layers.filter(|layer| layer.text == LayerText::LeftOut);
    layers.take(MAX_TEXTS).for_each(|layer| layer.read(blobs));
}
