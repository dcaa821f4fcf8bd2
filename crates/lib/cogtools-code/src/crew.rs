//! The calls of a program that may run: each is recorded before and after.

use std::time::{Duration, Instant};

use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Id, Outcome, Timestamp};
use cogtools_program::call_timeout;
use serde_json::{Value, json};

use crate::calls::{Decided, Ended, Next, Ready};
use crate::outcome::end_of;
use crate::record::Recorder;
use crate::run::millis;
use crate::{FlowTape, NodeTape, Scope};

/// Maximum bytes of a result.
const MAX_RESULT: usize = 16 << 20;

/// Runs calls that are decided, from any thread.
pub(crate) struct Crew<'r, 'l> {
    pub(crate) recorder: &'r Recorder<'l>,
    pub(crate) scope: &'r Scope,
    pub(crate) tapes: Option<&'r FlowTape>,
    pub(crate) is_dry: bool,
    /// The time that the program has left, of the time that it had.
    pub(crate) left: Duration,
    pub(crate) timeout: Duration,
}

impl Crew<'_, '_> {
    pub(crate) fn carry_out(&self, call: &Decided) -> Result<Ended, Box<Diagnostic>> {
        if let Next::Replay(outcome, content, time, ms) = &call.next {
            return Ok((outcome.clone(), content.clone(), *time, *ms));
        }
        let resolved = match &call.next {
            Next::Run(ready) => Some(&ready.resolved),
            _ => None,
        };
        let (step, approval) = (&call.step, &call.approval);
        let line = match call {
            _ if self.is_dry => None,
            call if call.is_recorded => self.recorder.decision(step, approval)?,
            Decided {
                tool, arguments, ..
            } => {
                let recorder = &self.recorder;
                recorder.call(step, tool, arguments, resolved, approval)?
            }
        };
        let start = Instant::now();
        let (outcome, content) = match &call.next {
            Next::Run(ready) => self.run(call, ready, line)?,
            Next::End(outcome, content) => (outcome.clone(), content.clone()),
            Next::Replay(..) | Next::Wait => (Outcome::Cancelled, json!({"error": "not run"})),
        };
        let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let time = if self.is_dry {
            Timestamp::now()
        } else {
            let recorder = &self.recorder;
            recorder.result(step, outcome.clone(), &content, ms)?
        };
        Ok((outcome, content, millis(time), ms))
    }

    /// Runs a call, which has a `line` in the session. One that the end of the program cuts off has no
    /// result: it was interrupted.
    fn run(
        &self,
        call: &Decided,
        ready: &Ready,
        line: Option<Id>,
    ) -> Result<(Outcome, Value), Box<Diagnostic>> {
        let name = &*call.tool;
        match &ready.example {
            Some(Ok(example)) => return Ok((Outcome::Succeeded, json!({"output": example}))),
            Some(Err(fails)) => {
                let diagnostic = Diagnostic::new(Code::ToolFailed, fails.as_str());
                return Ok(end_of(name, &[diagnostic.with_subject(name)]));
            }
            None => {}
        }
        let tape = self.tapes.map(|tapes| tapes.of_node(&call.step));
        let tape = tape.transpose()?;
        let cancel = self.scope.cx.cancel.child();
        let mut cx = self.scope.cx.clone();
        cx.cancel = cancel.clone();
        if let Some(folder) = &self.scope.folder {
            cx.root.clone_from(folder);
        }
        cx.call.tape = tape.as_ref().map(NodeTape::tape);
        let limit = ready.limit.clone().within(Some(self.left));
        let taken = ready.work.lock().take();
        let Some((tool, accepted)) = taken else {
            return Ok((Outcome::Cancelled, json!({"error": "it has run"})));
        };
        cx.environment = self.scope.environment(name)?;
        let (agents, within) = (self.scope.agents.clone(), limit.clone());
        let work = move || {
            let output = match agents.zip(tool.agent(&accepted)) {
                Some((run, task)) => task
                    .and_then(|task| run(&task, cx, &within, line))
                    .and_then(|text| tool.accept_answer(text)),
                None => tool.run(accepted, &cx),
            };
            output.map_err(|diagnostic| vec![*diagnostic])
        };
        let output = call_timeout::run_within(&limit, &cancel, work).map(|output| {
            let text = output.text.strip_suffix('\n').unwrap_or(&output.text);
            output.value.unwrap_or_else(|| text.into())
        });
        let ended = output.and_then(|value| {
            if value.to_string().len() <= MAX_RESULT {
                return Ok(value);
            }
            let message = format!("the result is larger than {} MiB", MAX_RESULT >> 20);
            let diagnostic = Diagnostic::new(Code::ToolFailed, message);
            Err(vec![diagnostic.with_subject(name)])
        });
        let mut diagnostics = match ended {
            Ok(value) => return Ok((Outcome::Succeeded, json!({"output": value}))),
            Err(diagnostics) => diagnostics,
        };
        match diagnostics.first().map(|first| first.code) {
            _ if self.scope.cx.cancel.is_cancelled() => {
                let message = "cancelled while this call was running";
                let diagnostic = Diagnostic::new(Code::JsRuntime, message);
                Err(Box::new(diagnostic.with_subject(name)))
            }
            // The program must not go on as if the user, or the service, had said no.
            Some(Code::ApprovalWanted | Code::StaleRecording) => {
                Err(Box::new(diagnostics.remove(0)))
            }
            Some(Code::Timeout) if self.left < ready.limit.duration() => {
                let message = format!("exceeded {} ms", self.timeout.as_millis());
                let diagnostic = Diagnostic::new(Code::JsTimeout, message).with_subject(name);
                let hint = "the program ended while this call was running";
                Err(Box::new(diagnostic.hint(hint)))
            }
            _ => Ok(end_of(name, &diagnostics)),
        }
    }
}
