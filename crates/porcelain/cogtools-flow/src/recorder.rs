//! What happens to a flow, as its session keeps it. Personal data is masked in lines; what a run
//! needs to go on is in blobs, which only the user can read.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cogtools_core::Diagnostic;
use cogtools_log::{
    BlobId, EndStatus, Event, Id, Log, LogError, NodeState, Route, mask_personal, mask_text,
    preview,
};
use serde_json::{Map, Value};

use crate::outcome::Outcome;

/// Writes to the session, from any thread.
#[derive(Clone, Default)]
pub(crate) struct SharedRecorder(Arc<Mutex<Recorder>>);

#[derive(Default)]
struct Recorder {
    log: Option<Log>,
    /// What the next line follows.
    head: Option<Id>,
    /// Where lines are written besides, one JSON object each.
    events: Option<File>,
    /// The last state of each node.
    steps: BTreeMap<String, Step>,
}

/// How far a node is, and how its tool was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) state: NodeState,
    pub(crate) route: Option<Route>,
}

/// A result, as a line has it.
#[derive(Default)]
struct KeptResult {
    shown: Option<Value>,
    blob: Option<BlobId>,
    has_secret: bool,
}

/// A line about a node.
pub(crate) struct Line<'l> {
    node: &'l str,
    state: NodeState,
    outcome: Outcome,
    output: Option<&'l Value>,
    duration: Option<Duration>,
}

impl<'l> Line<'l> {
    pub(crate) fn new(node: &'l str, state: NodeState) -> Self {
        Self {
            node,
            state,
            outcome: Outcome::default(),
            output: None,
            duration: None,
        }
    }

    /// A node has failed.
    pub(crate) fn failed(node: &'l str, error: &Diagnostic) -> Self {
        Self::new(
            node,
            NodeState::Failed {
                code: error.code.name().to_owned(),
                message: error.summary(),
            },
        )
    }

    /// What it has done besides.
    pub(crate) fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// The result.
    pub(crate) const fn with_output(mut self, output: &'l Value) -> Self {
        self.output = Some(output);
        self
    }

    /// How long it took.
    pub(crate) const fn with_duration(mut self, duration: Duration) -> Self {
        self.duration = Some(duration);
        self
    }
}

impl SharedRecorder {
    /// Writes to `log` after `head`.
    pub(crate) fn new(log: Option<Log>, head: Option<Id>) -> Self {
        let recorder = Recorder {
            log,
            head,
            ..Recorder::default()
        };
        Self(Arc::new(Mutex::new(recorder)))
    }

    /// Writes lines only to the descriptor at `path`, if it is open.
    pub(crate) fn of_descriptor(path: &str) -> Self {
        let recorder = Recorder {
            events: OpenOptions::new().append(true).open(path).ok(),
            ..Recorder::default()
        };
        Self(Arc::new(Mutex::new(recorder)))
    }

    /// Whether there is a session.
    pub(crate) fn has_session(&self) -> bool {
        self.lock().log.is_some()
    }

    /// A flow is about to run.
    pub(crate) fn begin(
        &self,
        tool: &str,
        digest: String,
        arguments: &Map<String, Value>,
    ) -> Result<(), Box<Diagnostic>> {
        let mut recorder = self.lock();
        let mut shown = Value::Object(arguments.clone());
        let whole = shown.to_string();
        let blob = if mask_personal(&mut shown) {
            recorder.write_blob(whole.as_bytes())
        } else {
            Ok(None)
        };
        let event = Event::Flow {
            tool: tool.to_owned(),
            digest,
            arguments: shown,
            blob: blob.map_err(|error| failure(&error))?,
        };
        recorder.append(event).map_err(|error| failure(&error))
    }

    /// Something has happened to a node.
    pub(crate) fn write(&self, line: Line<'_>) -> Result<(), Box<Diagnostic>> {
        let mut recorder = self.lock();
        recorder.steps.insert(
            line.node.to_owned(),
            Step {
                state: line.state.clone(),
                route: line.outcome.route.clone(),
            },
        );
        let result = line.output.map(|output| recorder.keep(output));
        let result = result.transpose().map_err(|error| failure(&error))?;
        let result = result.unwrap_or_default();
        let ms = line
            .duration
            .map(|duration| u64::try_from(duration.as_millis()));
        let mut inputs = line.outcome.arguments.map(Value::Object);
        inputs.as_mut().map(mask_personal);
        let event = Event::Node {
            node: line.node.to_owned(),
            state: without_personal_data(line.state),
            inputs,
            route: line.outcome.route.map(masked_route),
            output: result.shown,
            blob: result.blob,
            masked: result.has_secret,
            key: line.outcome.key,
            cached: line.outcome.is_cached,
            ms: ms.map(|ms| ms.unwrap_or(u64::MAX)),
        };
        recorder.append(event).map_err(|error| failure(&error))
    }

    /// Takes the last state of each node and item.
    pub(crate) fn take_steps(&self) -> BTreeMap<String, Step> {
        std::mem::take(&mut self.lock().steps)
    }

    /// The run has ended.
    pub(crate) fn end(&self, status: EndStatus) -> Result<(), Box<Diagnostic>> {
        let mut recorder = self.lock();
        recorder
            .append(Event::End { status })
            .map_err(|error| failure(&error))?;
        let synced = recorder.log.as_ref().map_or(Ok(()), Log::sync);
        synced.map_err(|error| failure(&error))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Recorder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder {
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

    /// Keeps a result: the whole in a blob, if the line does not have it.
    fn keep(&mut self, output: &Value) -> Result<KeptResult, LogError> {
        let mut masked = output.clone();
        let is_masked = mask_personal(&mut masked);
        let (shown, whole) = preview(&masked);
        let blob = if is_masked {
            Some(output.to_string())
        } else {
            whole
        };
        let has_secret = match (&self.log, &blob) {
            (Some(log), Some(whole)) => log.has_secret(whole),
            (Some(log), None) => log.has_secret(&output.to_string()),
            (None, _) => false,
        };
        let blob = blob.map(|whole| self.write_blob(whole.as_bytes()));
        Ok(KeptResult {
            shown: Some(shown),
            blob: blob.transpose()?.flatten(),
            has_secret,
        })
    }

    fn write_blob(&mut self, bytes: &[u8]) -> Result<Option<BlobId>, LogError> {
        self.log
            .as_mut()
            .map(|log| log.write_blob(bytes))
            .transpose()
    }
}

fn without_personal_data(mut state: NodeState) -> NodeState {
    match &mut state {
        NodeState::Failed { message, .. } => mask_text(message),
        NodeState::Waiting { question } => mask_text(question),
        NodeState::Started | NodeState::Succeeded | NodeState::Skipped => false,
    };
    state
}

fn masked_route(mut route: Route) -> Route {
    for text in [
        &mut route.capability,
        &mut route.operation,
        &mut route.summary,
    ] {
        mask_text(text);
    }
    route.intent.as_mut().map(mask_personal);
    route
}

fn failure(error: &LogError) -> Box<Diagnostic> {
    Box::new(error.diagnostic())
}
