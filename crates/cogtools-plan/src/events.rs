//! What happens while a plan runs: recorded in the session, and printed as `--stream-json` does.

use std::sync::Arc;
use std::time::Duration;

use cogtools_core::{Cancel, Diagnostic};
use cogtools_executor::{Event, Observer, SkipReason, Stop};
use cogtools_journal as session;
use cogtools_log::{EndStatus, LogError};
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value, json};

use crate::contract::Contract;
use crate::recorder::{MAX_LOG_LINES, Recorder, millis};
use crate::step::Step;
use crate::tools::ProjectSteps;

/// Records events, and prints them, or only the reply.
pub(crate) struct Events<'a, 'io> {
    io: &'a mut Io<'io>,
    streams: bool,
    steps: Arc<ProjectSteps>,
    recorder: Recorder,
    cancel: Cancel,
    /// Why nothing can be recorded or printed any more.
    failure: Option<Failure>,
}

impl<'a, 'io> Events<'a, 'io> {
    pub(crate) fn new(
        (io, streams): (&'a mut Io<'io>, bool),
        steps: Arc<ProjectSteps>,
        recorder: Recorder,
        cancel: Cancel,
    ) -> Self {
        Self {
            io,
            streams,
            steps,
            recorder,
            cancel,
            failure: None,
        }
    }

    /// The plan, before anything runs.
    pub(crate) fn plan(&mut self, contract: &Contract) {
        let steps: Vec<Value> = contract.steps().iter().map(planned).collect();
        self.event(&json!({"event": "plan", "steps": steps}));
    }

    /// A step that has its result from an earlier run.
    pub(crate) fn reused(&mut self, save_as: &str, result: &Value) {
        self.step(save_as, "executed", json!({"result": result}));
    }

    /// The reply.
    pub(crate) fn reply(&mut self, text: &str) {
        let recorded = self.recorder.reply(text);
        self.note(recorded);
        if self.streams {
            self.event(&json!({"event": "reply", "text": text}));
        } else if self.failure.is_none() {
            self.failure = self.io.show(&format!("{text}\n")).err();
        }
    }

    /// Records how the run has ended. Fails if something could not be recorded or printed.
    pub(crate) fn finish(mut self, status: EndStatus) -> Result<(), Failure> {
        let ended = self.recorder.end(status);
        self.note(ended);
        self.failure.map_or(Ok(()), Err)
    }

    fn event(&mut self, event: &Value) {
        if self.streams && self.failure.is_none() {
            self.failure = self.io.show_json(&format!("{event}\n")).err();
        }
    }

    fn note(&mut self, recorded: Result<(), LogError>) {
        if let Err(error) = recorded {
            self.failure.get_or_insert(session::failure(&error));
        }
    }

    /// A step has reached a state; `more` says what there is to say about it.
    fn step(&mut self, save_as: &str, state: &str, more: Value) {
        let mut event = Map::new();
        event.insert("event".to_owned(), "step".into());
        event.insert("save_as".to_owned(), save_as.into());
        event.insert("state".to_owned(), state.into());
        if let Value::Object(more) = more {
            event.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
        }
        self.event(&Value::Object(event));
    }

    /// A step begins. One that calls nothing, or cannot be called, does not execute.
    fn started(&mut self, save_as: &str) {
        let steps = Arc::clone(&self.steps);
        if let Some(args) = steps.prepare(save_as) {
            let tool = steps.tool(save_as);
            let recorded = self.recorder.executing(save_as, tool, &args);
            self.note(recorded);
            self.step(save_as, "executing", json!({ "args": args }));
        }
    }

    fn succeeded(&mut self, save_as: &str, value: &Value, duration: Duration) {
        let log = self.steps.done(save_as).log;
        let recorded = self.recorder.executed(save_as, value, &log, duration);
        self.note(recorded);
        self.ended(save_as, "executed", ("result", value.clone()), duration);
    }

    fn failed(&mut self, save_as: &str, error: &Diagnostic, duration: Duration) {
        // Whether a call that was cancelled had an effect is not known: it stays open.
        if !self.cancel.is_cancelled() {
            let log = self.steps.done(save_as).log;
            let recorded = self.recorder.failed(save_as, error, &log, duration);
            self.note(recorded);
        }
        let error = json!({"code": error.code.name(), "message": error.summary()});
        self.ended(save_as, "failed", ("error", error), duration);
    }

    /// A step has ended, with what it has left.
    fn ended(&mut self, save_as: &str, state: &str, outcome: (&str, Value), duration: Duration) {
        let done = self.steps.done(save_as);
        for line in done.log.lines().take(MAX_LOG_LINES) {
            self.event(&json!({"event": "log", "text": line}));
        }
        let (key, outcome) = outcome;
        let more = json!({
            "args": done.args,
            key: outcome,
            "startedAt": done.started,
            "endedAt": done.ended,
            "ms": millis(duration),
        });
        self.step(save_as, state, more);
    }

    fn skipped(&mut self, save_as: &str, reason: &SkipReason) {
        let because = match reason {
            SkipReason::Needs(step) | SkipReason::Stopped(step) => {
                json!({"error": {"code": "STEP_FAILED", "message": format!("`{step}` failed")}})
            }
            SkipReason::Condition | SkipReason::Cancelled => Value::Null,
        };
        let recorded = self.recorder.skipped(save_as);
        self.note(recorded);
        self.step(save_as, "skipped", because);
    }
}

impl Observer for Events<'_, '_> {
    fn on(&mut self, event: &Event<'_>) -> Result<(), Stop> {
        match event {
            Event::Started { node, .. } => self.started(node),
            Event::Succeeded {
                node,
                value,
                duration,
            } => self.succeeded(node, value, *duration),
            Event::Failed {
                node,
                failure,
                duration,
            } => self.failed(node, &failure.diagnostic, *duration),
            Event::Skipped { node, reason } => self.skipped(node, reason),
            // A step of a plan is never run again.
            Event::Retrying { .. } => {}
        }
        if self.failure.is_some() {
            return Err(Stop);
        }
        Ok(())
    }
}

fn planned(step: &Step) -> Value {
    json!({"save_as": step.save_as(), "tool": step.tool(), "reason": step.reason()})
}
