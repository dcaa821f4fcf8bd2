//! The path of a session with what belongs together: a request and its answer, a call and its
//! result.

use std::collections::{HashMap, HashSet};

use cogtools_log::{CallId, EndStatus, Entry, Event, Session, StepState, Timestamp, Usage};
use serde_json::Value;

/// The entries from the root to a leaf.
pub(crate) struct Transcript<'s> {
    /// The steps, in order.
    pub(crate) steps: Vec<Step<'s>>,
    /// All of it.
    pub(crate) summary: Summary<'s>,
}

/// An entry with the one that answers it.
pub(crate) struct Step<'s> {
    pub(crate) entry: &'s Entry,
    /// The response to a request, or the result of a call.
    pub(crate) answer: Option<&'s Entry>,
    /// What a request has used.
    pub(crate) usage: Option<&'s Usage>,
}

/// The numbers of a session.
#[derive(Default)]
pub(crate) struct Summary<'s> {
    pub(crate) model: String,
    pub(crate) turns: usize,
    pub(crate) calls: usize,
    /// How long it ran, in milliseconds.
    pub(crate) ms: u64,
    pub(crate) usage: Usage,
    /// The first task.
    pub(crate) task: &'s str,
    /// How the last run ended, if it did.
    pub(crate) end: Option<&'s EndStatus>,
}

impl<'s> Transcript<'s> {
    /// The entries of `path`.
    pub(crate) fn new(session: &'s Session, path: &[&'s Entry]) -> Self {
        let mut steps: Vec<Step<'s>> = Vec::new();
        let mut summary = Summary {
            model: session.header.model.clone(),
            ..Summary::default()
        };
        let mut begun = Begun::default();
        let mut last: Option<Timestamp> = None;
        for entry in path.iter().copied() {
            // The time until the user has an answer; how long the user thinks is not in it.
            if !matches!(entry.event, Event::Task { .. } | Event::Decision { .. }) {
                summary.ms += last.map_or(0, |last| entry.time.millis_since(last));
            }
            last = Some(entry.time);
            summary.add(entry);
            if let Event::Usage(usage) = &entry.event {
                if let Some(step) = begun.request.and_then(|index| steps.get_mut(index)) {
                    step.usage = Some(usage);
                }
                continue;
            }
            let open = begun.add(&entry.event, steps.len());
            if let Some(step) = open.and_then(|index| steps.get_mut(index)) {
                step.answer = Some(entry);
            }
            // The answer to a request is a step too: it has the text.
            let is_end = matches!(entry.event, Event::Result { .. } | Event::Step { .. });
            if open.is_none() || !is_end {
                steps.push(Step {
                    entry,
                    answer: None,
                    usage: None,
                });
            }
        }
        Self { steps, summary }
    }
}

/// What has begun, and may have its end further down: indexes of steps.
#[derive(Default)]
struct Begun<'s> {
    request: Option<usize>,
    calls: HashMap<&'s CallId, usize>,
    /// Steps of the last plan, by name.
    executing: HashMap<&'s str, usize>,
}

impl<'s> Begun<'s> {
    /// Notes that `event` begins something, which is step `index`; or returns what it ends.
    fn add(&mut self, event: &'s Event, index: usize) -> Option<usize> {
        match event {
            Event::Response { .. } => return self.request,
            Event::Result { call, .. } => return self.calls.remove(call),
            Event::Request { .. } => self.request = Some(index),
            Event::Call { call, .. } => {
                self.calls.insert(call, index);
            }
            Event::Plan { .. } => self.executing.clear(),
            Event::Step {
                step,
                state: StepState::Executing,
                ..
            } => {
                self.executing.insert(step, index);
            }
            Event::Step { step, .. } => return self.executing.remove(step.as_str()),
            _ => {}
        }
        None
    }
}

/// The entries of the agents that the call in the entry `call` has run, and of those that these
/// have called.
pub(crate) fn agents<'s>(session: &'s Session, call: &Entry) -> Vec<&'s Entry> {
    let mut ids = HashSet::new();
    let mut entries = Vec::new();
    // A parent comes before its children.
    for entry in session.nodes().filter(|entry| entry.id > call.id) {
        let is_first = matches!(entry.event, Event::Agent { .. }) && entry.parent == Some(call.id);
        if is_first || entry.parent.is_some_and(|parent| ids.contains(&parent)) {
            ids.insert(entry.id);
            entries.push(entry);
        }
    }
    entries
}

impl Step<'_> {
    /// How long it took until the answer.
    pub(crate) fn ms(&self) -> Option<u64> {
        let answer = self.answer?;
        match &answer.event {
            Event::Result { ms, .. } | Event::Step { ms: Some(ms), .. } => Some(*ms),
            _ => Some(answer.time.millis_since(self.entry.time)),
        }
    }
}

impl<'s> Summary<'s> {
    fn add(&mut self, entry: &'s Entry) {
        match &entry.event {
            Event::Task { .. } => {
                if self.task.is_empty() {
                    self.task = entry.event.text().unwrap_or("");
                }
                self.end = None;
            }
            Event::Request { model, .. } => {
                self.model.clone_from(model);
                self.turns += 1;
                self.end = None;
            }
            Event::Plan { plan, .. } => {
                if self.task.is_empty() {
                    let restatement = plan.get("restatement").and_then(Value::as_str);
                    self.task = restatement.unwrap_or("");
                }
                self.end = None;
            }
            Event::Call { .. } => self.calls += 1,
            Event::Step {
                state: StepState::Executing,
                ..
            } => {
                self.calls += 1;
                self.end = None;
            }
            Event::Usage(usage) => self.usage += usage,
            Event::End { status } => self.end = Some(status),
            _ => {}
        }
    }
}
