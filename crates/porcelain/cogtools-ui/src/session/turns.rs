//! The turns in a part of a session, built line by line.

use cogtools_log::{
    CacheState, CallId, Entry, Event, Id, Line, Nesting, Usage, response_text, task_text,
    thought_text,
};
use cogtools_program::terminal::pluralize;
use serde_json::Value;

use crate::cut;
use crate::markdown::Html;
use crate::session::timeline::{Layer, Request, Row, RowKind, Step, cost};
use crate::session::turn::{Badge, From, Intent, Message, Question, QuestionKind, Turn};

/// The turns so far.
#[derive(Default)]
pub(crate) struct Turns {
    pub(super) all: Vec<Turn>,
    /// The entries of agents and programs that calls run: they belong to the turn of the call.
    nesting: Nesting,
    /// The bytes of texts of the model that the page has still room for.
    room: usize,
    /// When the turn began, and how much of the time since then it has waited for the user.
    began: i64,
    waited: i64,
    /// The time since which it waits.
    pub(super) waits_since: Option<i64>,
    /// The last entry, which the next one follows unless it begins a branch.
    last: Option<Id>,
}

/// An entry with the number of its line.
#[derive(Clone, Copy)]
pub(crate) struct At<'e> {
    pub(crate) line: usize,
    pub(crate) entry: &'e Entry,
}

impl At<'_> {
    pub(crate) fn time(self) -> String {
        self.entry.time.to_string()
    }
}

/// The turns in `lines`.
pub(crate) fn turns(lines: &[Line]) -> Vec<Turn> {
    let mut turns = Turns {
        room: cut::MAX_ALL_SAID_BYTES,
        ..Turns::default()
    };
    for line in lines {
        match &line.entry {
            Ok(entry) => turns.add(At {
                line: line.number,
                entry,
            }),
            Err(error) => {
                let text = if line.is_cut {
                    "this line was cut off".to_owned()
                } else {
                    error.to_string()
                };
                turns.note(line.number, String::new(), "Line", &text);
            }
        }
    }
    turns.finish()
}

impl Turns {
    fn add(&mut self, at: At<'_>) {
        if let Some(since) = self.waits_since.take() {
            let waited = at.entry.time.as_millis().saturating_sub(since).max(0);
            self.waited = self.waited.saturating_add(waited);
        }
        let is_nested = self.nesting.add(at.entry);
        if !is_nested {
            self.mark_branch(at);
        }
        match &at.entry.event {
            Event::Task { parts } if is_nested => {
                let text = format!("task of the agent: {}", task_text(parts));
                self.row(at, RowKind::Note, &text, None);
            }
            Event::Response { content, .. } if is_nested => {
                let text = format!("the agent: {}", response_text(content));
                self.row(at, RowKind::Note, &text, None);
            }
            Event::End { status } if is_nested => {
                let text = format!("end of the agent: {}", status.name().replace('_', " "));
                self.row(at, RowKind::Note, &text, Some(end_badge(status)));
            }
            Event::Task { parts } => {
                self.begin(at, Intent::Conversation);
                self.ask_for(at, parts);
            }
            Event::Plan { intent, plan, .. } => self.plan(at, intent, plan),
            Event::Flow {
                tool,
                digest,
                arguments,
                ..
            } => self.flow(at, tool, digest, arguments),
            Event::Call(call) => self.call_event(at, call),
            Event::Result(result) => self.result_event(at, result),
            Event::Reply { text, blob } => self.reply(at, text, blob.as_ref()),
            Event::Node(node) => self.node_event(at, node),
            event => self.other(at, event),
        }
        if let Some(turn) = self.all.last_mut() {
            turn.last = Some(at.entry.id);
        }
    }

    fn other(&mut self, at: At<'_>, event: &Event) {
        match event {
            Event::Request {
                layers,
                model,
                turn,
                ..
            } => {
                let mut rows = self
                    .all
                    .iter()
                    .rev()
                    .flat_map(|turn| turn.rows.iter().rev());
                let before = rows.find_map(|row| row.request.as_ref());
                let layers = layers.iter().map(|layer| Layer::new(layer, before));
                let request = Request {
                    turn: *turn,
                    model: model.clone(),
                    layers: layers.collect(),
                    ..Request::default()
                };
                self.row(at, RowKind::Request, "", Some(Badge::Executing));
                if let Some(row) = self.current(at).rows.last_mut() {
                    row.request = Some(request);
                }
            }
            Event::Response { content, .. } => {
                self.end_request(at, Badge::Executed);
                self.response(at, content);
            }
            Event::Usage(usage) => self.add_usage(at, usage),
            Event::Error {
                code,
                message,
                hints,
                ..
            } => {
                self.end_request(at, Badge::Failed);
                self.failure(at, code, message, hints);
            }
            Event::Paused { calls } => self.pause(at, calls),
            Event::Decision { call, .. } => self.decide(at, call),
            Event::End { status } => {
                // A run that waits for an answer has ended, too.
                let waits = !self.current(at).questions.is_empty();
                let badge = if waits {
                    Badge::Waiting
                } else {
                    end_badge(status)
                };
                let text = if waits {
                    "waits for the user".to_owned()
                } else {
                    status.name().replace('_', " ")
                };
                self.row(at, RowKind::End, &text, (!waits).then_some(badge));
                let turn = self.current(at);
                turn.status = badge;
                turn.settle(at.line, &at.time());
                if waits {
                    self.waits_since = Some(at.entry.time.as_millis());
                }
            }
            event => self.remark(at, event),
        }
    }

    /// An entry that is only a row of the log.
    fn remark(&mut self, at: At<'_>, event: &Event) {
        let text = match event {
            Event::Agent { tool } => format!("the agent {tool} begins"),
            Event::Program { program, .. } => format!("the program {program} begins"),
            Event::Print { text, .. } => format!("printed: {text}"),
            Event::Store { program, .. } => format!("the program {program} keeps values"),
            Event::ProgramEnd {
                program,
                calls,
                code,
                ..
            } => {
                let calls = pluralize(*calls, "call");
                let code = code.iter().map(|code| format!(", {code}"));
                format!(
                    "end of the program {program}: {calls}{}",
                    code.collect::<String>()
                )
            }
            Event::Compaction { up_to, .. } => format!("everything up to {up_to} is a summary"),
            Event::Expired { results } => {
                format!(
                    "too old to be shown whole: {}",
                    pluralize(results.len(), "result")
                )
            }
            Event::Cache { state, tokens, .. } => match state {
                CacheState::Created { .. } => format!("the cache has {tokens} tokens"),
                CacheState::Used => "the cache was used".to_owned(),
                CacheState::Refreshed { .. } => "the cache was refreshed".to_owned(),
                CacheState::Deleted => "the cache was deleted".to_owned(),
                CacheState::Failed { reason } => format!("the cache failed: {reason}"),
            },
            Event::Undone { task } => format!("the user took the task {task} back"),
            Event::Torn { lines } => format!(
                "cut off before this: {}",
                pluralize(*lines as usize, "line")
            ),
            other => format!("{} is not known to this version", other.kind()),
        };
        self.row(at, RowKind::Note, &text, None);
    }

    fn failure(&mut self, at: At<'_>, code: &str, message: &str, hints: &[String]) {
        let text = format!("{message} · {code}");
        self.row(at, RowKind::Error, &text, Some(Badge::Failed));
        self.say(at, From::Error, "", &text);
        if let Some(last) = self.current(at).messages.last_mut() {
            last.hints = hints.to_vec();
        }
    }

    fn response(&mut self, at: At<'_>, content: &Value) {
        for thought in thought_text(content).lines() {
            self.row(at, RowKind::Thought, thought, None);
        }
        let text = response_text(content);
        if !text.trim().is_empty() {
            let message = self.answer(at, &text);
            self.current(at).messages.push(message);
        }
    }

    fn add_usage(&mut self, at: At<'_>, usage: &Usage) {
        self.end_request(at, Badge::Executed);
        let turn = self.current(at);
        turn.usage += usage;
        if let Some(request) = turn.requests().next_back() {
            request.tokens = usage.total;
            request.cached_percent = usage.cached_percent();
            request.cost = cost(usage);
        }
    }

    /// Ends the last request, unless it has its end.
    fn end_request(&mut self, at: At<'_>, badge: Badge) {
        let now = self.since_begin(at);
        let mut rows = self.current(at).rows.iter_mut().rev();
        let row = rows.find(|row| row.request.is_some());
        if let Some(row) = row.filter(|row| row.badge == Some(Badge::Executing)) {
            row.badge = Some(badge);
            row.ms = row.began.map(|began| now.saturating_sub(began));
        }
    }

    /// The milliseconds since the turn began, without those in which it waited for the user.
    pub(super) fn since_begin(&self, at: At<'_>) -> u64 {
        let ms = at.entry.time.as_millis().saturating_sub(self.began);
        u64::try_from(ms.saturating_sub(self.waited)).unwrap_or_default()
    }

    /// Marks an entry that does not follow the one before it.
    fn mark_branch(&mut self, at: At<'_>) {
        if matches!(at.entry.event, Event::Torn { .. }) {
            return;
        }
        let last = self.last.replace(at.entry.id);
        if last.is_some() && at.entry.parent != last {
            let text = match at.entry.parent {
                Some(parent) => format!("another branch, which follows entry {parent}"),
                None => "another branch, from the beginning".to_owned(),
            };
            self.row(at, RowKind::Branch, &text, None);
        }
    }

    /// Begins a turn.
    pub(super) fn begin(&mut self, at: At<'_>, intent: Intent) {
        if let Some(last) = self.all.last_mut() {
            last.close();
        }
        self.push(Turn::new(at.line, at.time(), intent), at);
    }

    fn push(&mut self, mut turn: Turn, at: At<'_>) {
        (self.began, self.waited) = (at.entry.time.as_millis(), 0);
        turn.before = at.entry.parent;
        self.all.push(turn);
    }

    /// The turn that an entry belongs to.
    pub(super) fn current(&mut self, at: At<'_>) -> &mut Turn {
        if self.all.is_empty() {
            self.push(Turn::new(at.line, at.time(), Intent::Earlier), at);
        }
        self.turn_at(at.line, at.time())
    }

    fn turn_at(&mut self, line: usize, time: String) -> &mut Turn {
        if self.all.is_empty() {
            self.all.push(Turn::new(line, time, Intent::Earlier));
        }
        let last = self.all.len() - 1;
        &mut self.all[last]
    }

    /// Adds a remark to the timeline.
    pub(super) fn row(&mut self, at: At<'_>, kind: RowKind, text: &str, badge: Option<Badge>) {
        self.current(at);
        let mut row = Row::new(at.line, kind, Some(self.since_begin(at)));
        row.text = cut::row(text);
        row.badge = badge;
        self.current(at).rows.push(row);
    }

    /// Adds a message to the conversation.
    pub(super) fn say(&mut self, at: At<'_>, from: From, label: &str, text: &str) {
        let message = Message {
            text: cut::text(text),
            is_cut: cut::is_cut(text),
            ..Message::new(at.line, from, label, at.time())
        };
        self.current(at).messages.push(message);
    }

    /// Says the wish of the user: the first text of a task. Its other parts, such as files and the
    /// state of the world, are beside it.
    fn ask_for(&mut self, at: At<'_>, parts: &[Value]) {
        let is_text = |part: &&Value| {
            let text = part.get("text").and_then(Value::as_str);
            text.is_some_and(|text| !text.trim().is_empty())
        };
        let first = parts.iter().position(|part| is_text(&part)).unwrap_or(0);
        let behind = (first + 1).min(parts.len());
        self.say(at, From::User, "", &task_text(&parts[first..behind]));
        let others = [&parts[..first], &parts[behind..]].concat();
        if let Some(last) = self.current(at).messages.last_mut() {
            last.others = cut::text(&task_text(&others));
        }
    }

    /// A text of the model: Markdown, or the JSON that it was asked for.
    pub(super) fn answer(&mut self, at: At<'_>, text: &str) -> Message {
        let shown = cut::said(text, &mut self.room);
        let html = Html::structured(&shown);
        Message {
            html: html.unwrap_or_else(|| Html::markdown(&shown, &at.line.to_string())),
            is_cut: shown.len() < text.len(),
            text: shown,
            ..Message::new(at.line, From::Model, "", at.time())
        }
    }

    fn note(&mut self, line: usize, time: String, label: &str, text: &str) {
        let turn = self.turn_at(line, time.clone());
        turn.messages.push(Message {
            text: text.to_owned(),
            ..Message::new(line, From::Note, label, time)
        });
    }

    fn finish(mut self) -> Vec<Turn> {
        self.all.iter_mut().for_each(Turn::complete);
        self.all
    }
}

fn end_badge(status: &cogtools_log::EndStatus) -> Badge {
    use cogtools_log::EndStatus;
    match status {
        EndStatus::Completed => Badge::Executed,
        EndStatus::ApprovalWanted => Badge::Waiting,
        EndStatus::Cancelled => Badge::Cancelled,
        _ => Badge::Failed,
    }
}

impl Turns {
    /// The run ends until the user has decided about these calls.
    pub(super) fn pause(&mut self, at: At<'_>, calls: &[CallId]) {
        for call in calls {
            self.ask(at, call.as_str());
            if let Some((_, row)) = self.current(at).step(call.as_str()) {
                row.badge = Some(Badge::Waiting);
            }
        }
        self.current(at).status = Badge::Waiting;
        self.waits_since = Some(at.entry.time.as_millis());
    }

    /// The user has decided about a call.
    pub(super) fn decide(&mut self, at: At<'_>, call: &CallId) {
        let turn = self.current(at);
        turn.questions
            .retain(|question| question.key != call.as_str());
        if let Some((_, row)) = turn.step(call.as_str()) {
            row.badge = Some(Badge::Executing);
        }
        if turn.questions.is_empty() {
            turn.status = Badge::Executing;
        }
        let text = format!("the user has decided about {call}");
        self.row(at, RowKind::Decision, &text, None);
    }

    fn ask(&mut self, at: At<'_>, key: &str) {
        let turn = self.current(at);
        let step = turn.step(key).and_then(|(_, row)| row.step.as_deref());
        let of = |text: fn(&Step) -> &String| step.map(text).cloned().unwrap_or_default();
        let question = Question {
            line: at.line,
            key: key.to_owned(),
            tool: of(|step| &step.tool),
            arguments: of(|step| &step.whole),
            kind: if of(|step| &step.program).is_empty() {
                QuestionKind::Approval
            } else {
                QuestionKind::Program
            },
            code: of(|step| &step.program),
            why: of(|step| &step.approval),
            ..Question::default()
        };
        turn.questions.retain(|question| question.key != key);
        turn.questions.push(question);
    }
}
