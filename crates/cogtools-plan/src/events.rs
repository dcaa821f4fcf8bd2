//! What happens while a plan runs, as `--stream-json` prints it.

use std::sync::Arc;
use std::time::Duration;

use cogtools_executor::{Event, Observer, SkipReason, Stop};
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value, json};

use crate::step::Step;
use crate::tools::ProjectSteps;

/// How many lines of what a program writes to standard error become events.
const MAX_LOG_LINES: usize = 100;

/// Prints events, or only the reply.
pub(crate) struct Events<'a, 'io> {
    io: &'a mut Io<'io>,
    streams: bool,
    steps: Arc<ProjectSteps>,
    /// Why nothing can be printed any more.
    failure: Option<Failure>,
}

impl<'a, 'io> Events<'a, 'io> {
    pub(crate) fn new(io: &'a mut Io<'io>, streams: bool, steps: Arc<ProjectSteps>) -> Self {
        Self {
            io,
            streams,
            steps,
            failure: None,
        }
    }

    /// The plan, before anything runs.
    pub(crate) fn plan(&mut self, steps: &[Step]) {
        let steps: Vec<Value> = steps
            .iter()
            .map(|step| {
                json!({"save_as": step.save_as(), "tool": step.tool(), "reason": step.reason()})
            })
            .collect();
        self.event(&json!({"event": "plan", "steps": steps}));
    }

    /// The reply.
    pub(crate) fn reply(&mut self, text: &str) {
        if self.streams {
            self.event(&json!({"event": "reply", "text": text}));
        } else if self.failure.is_none() {
            self.failure = self.io.show(&format!("{text}\n")).err();
        }
    }

    /// Fails if something could not be printed.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.failure.map_or(Ok(()), Err)
    }

    fn event(&mut self, event: &Value) {
        if self.streams && self.failure.is_none() {
            self.failure = self.io.show_json(&format!("{event}\n")).err();
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

    /// A step has ended, with what it has left.
    fn ended(&mut self, save_as: &str, state: &str, outcome: (&str, Value), duration: Duration) {
        let done = self.steps.done(save_as);
        for line in done.log.lines().take(MAX_LOG_LINES) {
            self.event(&json!({"event": "log", "text": line}));
        }
        let (key, outcome) = outcome;
        let ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let more = json!({
            "args": done.args,
            key: outcome,
            "startedAt": done.started,
            "endedAt": done.ended,
            "ms": ms,
        });
        self.step(save_as, state, more);
    }
}

impl Observer for Events<'_, '_> {
    fn on(&mut self, event: &Event<'_>) -> Result<(), Stop> {
        match event {
            Event::Started { node, .. } => self.step(node, "executing", Value::Null),
            Event::Succeeded {
                node,
                value,
                duration,
            } => self.ended(node, "executed", ("result", (*value).clone()), *duration),
            Event::Failed {
                node,
                failure,
                duration,
            } => {
                let error = &failure.diagnostic;
                let error = json!({"code": error.code.name(), "message": error.summary()});
                self.ended(node, "failed", ("error", error), *duration);
            }
            Event::Skipped { node, reason } => {
                let because = match reason {
                    SkipReason::Needs(step) | SkipReason::Stopped(step) => {
                        json!({"error": {"code": "STEP_FAILED", "message": format!("`{step}` failed")}})
                    }
                    SkipReason::Condition | SkipReason::Cancelled => Value::Null,
                };
                self.step(node, "skipped", because);
            }
            // A step of a plan is never run again.
            Event::Retrying { .. } => {}
        }
        if self.failure.is_some() {
            return Err(Stop);
        }
        Ok(())
    }
}
