//! A call that has ended: its result in the log.

use std::time::Instant;

use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_log::{Event, LogError, Outcome};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::CallScope;
use crate::agent::Agent;
use crate::conversation::OpenCall;
use crate::observer::Activity;
use crate::results::{cancelled, failure, shorten};
use crate::tools::{CallResult, ReadyCall};

/// A call with its result.
pub(crate) struct Answered {
    pub(crate) call: OpenCall,
    pub(crate) outcome: Outcome,
    pub(crate) response: Value,
    pub(crate) started: Instant,
}

impl Agent<'_> {
    /// Writes the result of a call to the log.
    pub(crate) fn finish_call(&mut self, answered: Answered) -> Result<(), LogError> {
        let Answered {
            call,
            outcome,
            response,
            started,
        } = answered;
        let duration = started.elapsed();
        let (content, blob) = match shorten(&response) {
            Some((short, whole)) => (short, Some(self.journal.write_blob(whole.as_bytes())?)),
            None => (response, None),
        };
        self.observer.on(&Activity::Result {
            id: &call.id,
            tool: &call.tool,
            outcome: &outcome,
            duration,
            response: &content,
        });
        self.journal.append(Event::Result {
            call: call.id,
            outcome,
            content,
            blob,
            ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        })?;
        Ok(())
    }

    /// Gives each call that was never run a result that says so: a model needs one for each.
    pub(crate) fn abandon_calls(&mut self, reason: &str) -> Result<(), LogError> {
        for call in self.journal.conversation().open_calls().to_vec() {
            self.finish_call(Answered {
                call,
                outcome: Outcome::Cancelled,
                response: json!({"error": reason}),
                started: Instant::now(),
            })?;
        }
        Ok(())
    }
}

/// Runs a call of the run that `cancel` ends, in a thread of its own.
pub(crate) async fn run_call(
    call: OpenCall,
    run: ReadyCall,
    scope: CallScope,
    cancel: Cancel,
) -> Answered {
    let started = Instant::now();
    let result = spawn_blocking(move || run(&scope)).await;
    let (outcome, response) = match result {
        Ok(CallResult::Output(output)) => (Outcome::Succeeded, json!({"output": output})),
        Ok(CallResult::Failed(_)) if cancel.is_cancelled() => cancelled(),
        Ok(CallResult::Failed(diagnostics)) => failure(&diagnostics),
        // The panic hook has reported it.
        Err(_) => failure(&[Diagnostic::new(
            Code::Internal,
            "unexpected failure while the tool was running",
        )]),
    };
    Answered {
        call,
        outcome,
        response,
        started,
    }
}
