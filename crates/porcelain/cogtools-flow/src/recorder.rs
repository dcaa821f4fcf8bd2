//! The record of a run, of a flow or of a plan: what happens goes to its session. Personal data is
//! masked in lines; what a run needs to go on is in blobs, which only the user can read.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use cogtools_code::Lines;
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_executor::{
    Event as Progress, Failure as NodeFailure, Observer, SkipReason, Stop, Work,
};
use cogtools_log::{
    BlobId, EndStatus, Event, Id, Log, LogError, NodeEvent, NodeModel, NodeState, Timestamp,
    mask_personal, mask_text, preview,
};
use cogtools_program::terminal::truncate;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::live::LiveTree;
use crate::plan::Contract;

/// The number of lines of a node's log that are kept.
pub(crate) const MAX_LOG_LINES: usize = 100;
/// The length of each of them, in characters.
const MAX_LOG_CHARS: usize = 500;
/// The flags of a descriptor that is open for writing, also for reading and writing.
const ACCESS_MODE: u32 = 0o3;

/// Keeps the first lines of a log, and the beginning of each.
pub(crate) fn first_lines<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<String> {
    let lines = lines.take(MAX_LOG_LINES);
    lines
        .map(|line| truncate(line, MAX_LOG_CHARS).into_owned())
        .collect()
}

/// Writes to the session, from any thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Arc<Mutex<Record>>);

#[derive(Debug, Default)]
struct Record {
    log: Option<Log>,
    /// The entry that the next line follows.
    head: Option<Id>,
    /// The descriptor on which lines are written besides, one JSON object each.
    events: Option<File>,
}

/// The state of a node that has failed.
pub(crate) fn failed(error: &Diagnostic) -> NodeState {
    NodeState::Failed {
        code: error.code.name().to_owned(),
        message: error.summary(),
    }
}

impl Recorder {
    /// Writes to `log` after `head`.
    pub(crate) fn new(log: Option<Log>, head: Option<Id>) -> Self {
        Self(Arc::new(Mutex::new(Record {
            log,
            head,
            ..Record::default()
        })))
    }

    /// Writes lines only to the descriptor `number`, if it is open for writing.
    pub(crate) fn of_descriptor(number: u8) -> Self {
        // Linux opens the file again, also one that is open for reading alone.
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        let is_writable = flags.is_none_or(|flags| flags & ACCESS_MODE != 0);
        let path = format!("/dev/fd/{number}");
        let open = || OpenOptions::new().append(true).open(path);
        Self(Arc::new(Mutex::new(Record {
            events: is_writable.then(open).and_then(Result::ok),
            ..Record::default()
        })))
    }

    /// Returns true if there is a session.
    pub(crate) fn has_session(&self) -> bool {
        self.0.lock().log.is_some()
    }

    /// Records that a flow is about to run.
    pub(crate) fn flow(
        &self,
        tool: &str,
        digest: String,
        arguments: &Map<String, Value>,
    ) -> Result<(), Box<Diagnostic>> {
        let mut record = self.0.lock();
        let mut shown = Value::Object(arguments.clone());
        let whole = shown.to_string();
        let is_masked = mask_personal(&mut shown);
        let blob = is_masked.then_some(whole);
        let event = Event::Flow {
            tool: tool.to_owned(),
            digest,
            arguments: shown,
            blob: record.blob(blob)?,
            masked: false,
        };
        Ok(record.append(event)?)
    }

    /// Records that a plan is about to run, which may call no tool that `deny` matches.
    pub(crate) fn plan(
        &self,
        contract: &Contract,
        asks: bool,
        deny: &[String],
    ) -> Result<(), Box<Diagnostic>> {
        self.0.lock().append(Event::Plan {
            intent: contract.intent().to_owned(),
            plan: contract.to_json(),
            asks,
            deny: deny.to_vec(),
            masked: false,
        })?;
        Ok(())
    }

    /// Records that something has happened to a node, which has ended with `output` if there is one.
    pub(crate) fn write(
        &self,
        mut event: NodeEvent,
        output: Option<&Value>,
    ) -> Result<(), Box<Diagnostic>> {
        let mut record = self.0.lock();
        if let Some(output) = output {
            let (shown, blob, masked) = record.keep(output)?;
            (event.output, event.blob, event.masked) = (Some(shown), blob, masked);
        }
        event.inputs.as_mut().map(mask_personal);
        for line in &mut event.logs {
            mask_text(line);
        }
        if let Some(route) = &mut event.route {
            for text in [
                &mut route.capability,
                &mut route.operation,
                &mut route.summary,
            ] {
                mask_text(text);
            }
            route.intent.as_mut().map(mask_personal);
        }
        match &mut event.state {
            NodeState::Failed { message: text, .. } | NodeState::Waiting { question: text } => {
                mask_text(text);
            }
            NodeState::Started | NodeState::Succeeded | NodeState::Skipped { .. } => {}
        }
        Ok(record.append(Event::Node(Box::new(event)))?)
    }

    /// Records the results that the user has given, so that they are not asked for again.
    pub(crate) fn given(&self, results: &BTreeMap<String, Value>) -> Result<(), Box<Diagnostic>> {
        let mut results = results.iter();
        results.try_for_each(|(node, value)| {
            let event = NodeEvent {
                node: node.clone(),
                state: NodeState::Succeeded,
                ..NodeEvent::default()
            };
            self.write(event, Some(value))
        })
    }

    /// Records an event within a node that `id` names: of the model that it asks, which goes to
    /// `outcome`, or of a node of the flow that it calls.
    pub(crate) fn within(&self, id: &str, line: &str, outcome: &mut Option<NodeModel>) {
        if let Ok(model) = serde_json::from_str::<NodeModel>(line) {
            match outcome {
                Some(sum) => sum.add(&model),
                None => *outcome = Some(model),
            }
            return;
        }
        let Ok(mut event) = serde_json::from_str::<Event>(line) else {
            return;
        };
        if let Event::Node(inner) = &mut event {
            inner.node.insert_str(0, &format!("{id}/"));
            // The whole result is nowhere.
            (inner.key, inner.blob) = (None, None);
            // A session that cannot be written is found out at the end of the node.
            let _ = self.0.lock().append(event);
        }
    }

    /// Passes an event on that is not recorded.
    pub(crate) fn pass(&self, line: &str) {
        if let Some(events) = &mut self.0.lock().events {
            // A reader that is gone wants no more.
            let _ = writeln!(events, "{line}");
        }
    }

    /// Records the reply of a plan, or the output of a flow, in the session.
    pub(crate) fn reply(&self, text: &str) -> Result<(), Box<Diagnostic>> {
        let mut record = self.0.lock();
        if record.log.is_none() {
            return Ok(());
        }
        let (shown, blob, _) = record.keep(&text.into())?;
        let text = shown.as_str().unwrap_or_default().to_owned();
        Ok(record.append(Event::Reply { text, blob })?)
    }

    /// Records that the run has ended.
    pub(crate) fn end(&self, status: EndStatus) -> Result<(), Box<Diagnostic>> {
        let mut record = self.0.lock();
        record.append(Event::End { status })?;
        Ok(record.log.as_ref().map_or(Ok(()), Log::sync)?)
    }
}

/// The lines of programs, which nodes with code that calls tools are. Values that programs keep for
/// later ones are not there: each node begins without any.
impl Lines for Recorder {
    fn append(&mut self, mut event: Event) -> Result<(Timestamp, Option<Id>), LogError> {
        let mut record = self.0.lock();
        match &mut event {
            Event::Store { .. } => return Ok((record.now(), record.head)),
            Event::Program { args, .. } => {
                // They are the inputs of the node, which the session has.
                mask_personal(args);
                *args = preview(args).0;
            }
            Event::Call(call) => {
                mask_personal(&mut call.arguments);
                call.resolved.as_mut().map(mask_personal);
            }
            Event::Result(result) => {
                let whole = result.content.to_string();
                if mask_personal(&mut result.content) && result.blob.is_none() {
                    result.blob = record.blob(Some(whole))?;
                }
            }
            Event::Print { text, .. } => drop(mask_text(text)),
            Event::ProgramEnd { result, .. } => drop(result.as_mut().map(mask_personal)),
            _ => {}
        }
        record.append(event)?;
        Ok((record.now(), record.head))
    }

    fn write_blob(&mut self, text: &str) -> Result<BlobId, LogError> {
        let log = &mut self.0.lock().log;
        let unwritten = || Ok(BlobId::of(text.as_bytes()));
        log.as_mut()
            .map_or_else(unwritten, |log| log.write_blob(text))
    }

    fn has_secret(&self, text: &str) -> bool {
        let log = &self.0.lock().log;
        log.as_ref().is_some_and(|log| log.has_secret(text))
    }

    fn mask_value(&self, value: &mut Value) {
        mask_personal(value);
        if let Some(log) = &self.0.lock().log {
            log.mask_value(value);
        }
    }
}

impl Record {
    /// The time of the last line.
    fn now(&self) -> Timestamp {
        self.log.as_ref().map_or_else(Timestamp::now, Log::time)
    }

    fn append(&mut self, event: Event) -> Result<(), LogError> {
        if let Some(events) = &mut self.events
            && let Ok(mut line) = serde_json::to_vec(&event)
        {
            line.push(b'\n');
            // A reader that is gone wants no more.
            let _ = events.write_all(&line);
        }
        if let Some(log) = &mut self.log {
            self.head = Some(log.append(self.head, event)?);
        }
        Ok(())
    }

    /// Keeps a result: the line without personal data, the whole in a blob if the line does not
    /// have it, and true if a secret is masked in it.
    fn keep(&mut self, output: &Value) -> Result<(Value, Option<BlobId>, bool), LogError> {
        let mut masked = output.clone();
        let is_masked = mask_personal(&mut masked);
        let (shown, cut) = preview(&masked);
        let whole = if is_masked {
            Some(output.to_string())
        } else {
            cut
        };
        let has_secret = self.log.as_ref().is_some_and(|log| match &whole {
            Some(whole) => log.has_secret(whole),
            None => log.has_secret(&output.to_string()),
        });
        Ok((shown, self.blob(whole)?, has_secret))
    }

    fn blob(&mut self, whole: Option<String>) -> Result<Option<BlobId>, LogError> {
        let both = self.log.as_mut().zip(whole);
        both.map(|(log, whole)| log.write_blob(&whole)).transpose()
    }
}

/// The milliseconds of `duration`.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The work of a run whose nodes are recorded.
pub(crate) trait RecordedWork: Work {
    /// Prepares a node that starts. Returns the facts of its line; `None` if its start is not
    /// recorded.
    fn start(&self, node: &str) -> Option<NodeEvent>;

    /// Takes the facts about the work of `node`, besides its value.
    fn take_outcome(&self, node: &str) -> NodeEvent;

    /// Keeps the failure of `node`, for nodes that read it.
    fn fail(&self, _node: &str, _failure: &NodeFailure) {}
}

/// Records the events of a run.
pub(crate) struct Events {
    work: Arc<dyn RecordedWork>,
    recorder: Recorder,
    cancel: Cancel,
    /// The numbers of attempts, of nodes that have more than one.
    attempts: HashMap<String, u32>,
    /// The tree that a person sees.
    pub(crate) live: Option<LiveTree>,
    /// The reason why nothing can be recorded any more.
    pub(crate) failure: Option<Box<Diagnostic>>,
}

impl Events {
    /// Records the events of `work`, which `cancel` ends.
    pub(crate) fn new(work: Arc<dyn RecordedWork>, recorder: Recorder, cancel: Cancel) -> Self {
        Self {
            work,
            recorder,
            cancel,
            attempts: HashMap::new(),
            live: None,
            failure: None,
        }
    }

    /// The facts about the work of `node`, which took `duration`.
    fn outcome(&self, node: &str, duration: Duration) -> NodeEvent {
        NodeEvent {
            ms: Some(millis(duration)),
            ..self.work.take_outcome(node)
        }
    }

    fn write(&mut self, node: &str, state: NodeState, facts: NodeEvent, output: Option<&Value>) {
        match (&self.live, &state) {
            (Some(live), NodeState::Started) => live.start(node),
            (Some(live), NodeState::Failed { code, .. }) => live.end(node, code),
            (Some(live), state) => live.end(node, state.name()),
            (None, _) => {}
        }
        let event = NodeEvent {
            node: node.to_owned(),
            state,
            attempt: self.attempts.get(node).copied(),
            ..facts
        };
        if let Err(diagnostic) = self.recorder.write(event, output) {
            self.failure.get_or_insert(diagnostic);
        }
    }
}

impl Observer for Events {
    fn on(&mut self, event: &Progress<'_>) -> Result<(), Stop> {
        match *event {
            Progress::Started { node, attempt } => {
                if attempt > 1 {
                    self.attempts.insert(node.to_owned(), attempt);
                }
                if let Some(facts) = self.work.start(node) {
                    self.write(node, NodeState::Started, facts, None);
                }
            }
            Progress::Succeeded {
                node,
                value,
                duration,
            } => {
                let facts = self.outcome(node, duration);
                self.write(node, NodeState::Succeeded, facts, Some(value));
            }
            Progress::Failed {
                node,
                failure,
                duration,
            } => {
                self.work.fail(node, failure);
                let facts = self.outcome(node, duration);
                let state = match failure.diagnostic.code {
                    Code::AnswerWanted => NodeState::Waiting {
                        question: failure.diagnostic.message.clone(),
                    },
                    // Whether a call that was cancelled had an effect is not known: it stays open.
                    _ if self.cancel.is_cancelled() => return Ok(()),
                    _ => failed(&failure.diagnostic),
                };
                self.write(node, state, facts, None);
            }
            Progress::Skipped { node, reason } => {
                let noted = self.work.take_outcome(node).state;
                let because = match (reason, noted) {
                    (SkipReason::Condition, NodeState::Skipped { because }) => because,
                    (SkipReason::Condition, _) => Some("its condition is false".to_owned()),
                    (SkipReason::Needs(other), _) => Some(format!("needs `{other}`")),
                    (SkipReason::Stopped(other), _) => Some(format!("`{other}` failed")),
                    (SkipReason::Cancelled, _) => Some("the run was cancelled".to_owned()),
                };
                let state = NodeState::Skipped { because };
                self.write(node, state, NodeEvent::default(), None);
            }
            Progress::Retrying { .. } => {}
        }
        self.failure.as_ref().map_or(Ok(()), |_| Err(Stop))
    }
}
