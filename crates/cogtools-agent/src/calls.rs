//! The calls of a response: checked, approved, run, answered.

use std::sync::Arc;
use std::time::Instant;

use cogtools_core::{Cancel, Code, Diagnostic, Hint};
use cogtools_log::{Approval, CallId, Decision, Event, LogError, Outcome, Why};
use futures::stream::{FuturesUnordered, StreamExt as _};
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use crate::agent::Agent;
use crate::conversation::OpenCall;
use crate::observer::{Activity, Answer, Question};
use crate::tools::{CallResult, ReadyCall};

/// How many calls run at the same time.
const MAX_PARALLEL: usize = 8;

/// The longest result that a model gets whole, in bytes. Of a longer one it gets the beginning
/// and the end.
const MAX_RESULT_BYTES: usize = 40_000;

/// How the calls of a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallsEnd {
    /// Each has a result.
    Answered,
    /// The run waits for the user.
    Paused,
    /// The user has cancelled it; each has a result that says so.
    Cancelled,
}

/// A call that may run.
struct Running {
    call: OpenCall,
    run: ReadyCall,
    is_parallel: bool,
}

/// A call with its result.
struct Answered {
    call: OpenCall,
    outcome: Outcome,
    response: Value,
    started: Instant,
}

impl Agent<'_> {
    /// Answers the calls that have no result yet.
    pub(crate) async fn answer_calls(&mut self) -> Result<CallsEnd, LogError> {
        let open = self.journal.conversation().open_calls().to_vec();
        let mut ready = Vec::new();
        let mut paused = Vec::new();
        for call in open {
            match self.decide(call)? {
                Decided::Run(running) => ready.push(running),
                Decided::Answered(answered) => self.finish_call(answered)?,
                Decided::Paused(id) => paused.push(id),
            }
        }
        self.run_calls(ready).await?;
        if !paused.is_empty() {
            self.journal.append(Event::Paused { calls: paused })?;
            return Ok(CallsEnd::Paused);
        }
        if self.cancel.is_cancelled() {
            return Ok(CallsEnd::Cancelled);
        }
        Ok(CallsEnd::Answered)
    }

    /// Runs the calls: at once if all of them are without side effects, else one after the other.
    async fn run_calls(&mut self, ready: Vec<Running>) -> Result<(), LogError> {
        let are_parallel = ready.iter().all(|running| running.is_parallel);
        let limit = if are_parallel { MAX_PARALLEL } else { 1 };
        let mut waiting = ready.into_iter();
        let mut running = FuturesUnordered::new();
        loop {
            while running.len() < limit {
                let Some(next) = waiting.next() else { break };
                running.push(run(next, self.cancel.clone()));
            }
            let Some(answered) = running.next().await else {
                return Ok(());
            };
            self.finish_call(answered)?;
        }
    }

    /// Checks a call, and asks for its approval if nothing else decides.
    fn decide(&mut self, call: OpenCall) -> Result<Decided, LogError> {
        let traits = self.traits.get(&call.tool).copied().unwrap_or_default();
        let decided = self.journal.state().decision(&call.id).cloned();
        let mut approval =
            decided.unwrap_or_else(|| self.settings.permissions.decide(&call.tool, &traits));
        let prepared = self.prepare(&call);
        let failed = match &prepared {
            Err(diagnostics) => Some(failure(diagnostics)),
            Ok(_) if !self.ledger.try_add_call() => Some(failure(&[call_budget_spent()])),
            Ok(_) => None,
        };
        let resolved = prepared
            .as_ref()
            .ok()
            .map(|(_, arguments)| arguments.clone());
        if failed.is_none()
            && approval.decision == Decision::Asked
            && let Some(arguments) = &resolved
        {
            let question = Question {
                tool: &call.tool,
                arguments,
                approval: &approval,
            };
            let answer = self.observer.ask(&question);
            if answer == Answer::Always {
                self.settings.permissions.allow.push(call.tool.clone());
            }
            match answer_approval(answer) {
                Some(answer) => approval = answer,
                None => {
                    self.record_call(&call, resolved, &approval)?;
                    return Ok(Decided::Paused(call.id));
                }
            }
        }
        let is_denied = approval.decision == Decision::Denied;
        self.record_call(&call, resolved, &approval)?;
        let started = Instant::now();
        let (outcome, response) = match (failed, prepared) {
            (Some((outcome, response)), _) => (outcome, response),
            (None, Ok((run, _))) if !is_denied => {
                let is_parallel = traits.is_parallel();
                return Ok(Decided::Run(Running {
                    call,
                    run,
                    is_parallel,
                }));
            }
            _ => (Outcome::Denied, json!({"error": denial(&approval)})),
        };
        Ok(Decided::Answered(Answered {
            call,
            outcome,
            response,
            started,
        }))
    }

    fn prepare(&self, call: &OpenCall) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let Value::Object(arguments) = &call.arguments else {
            let message = "the arguments must be an object";
            let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, message);
            return Err(vec![diagnostic.with_subject(call.tool.as_str())]);
        };
        let arguments: Map<String, Value> = arguments.clone();
        Arc::clone(&self.tools).prepare(&call.tool, arguments)
    }

    fn record_call(
        &mut self,
        call: &OpenCall,
        resolved: Option<Value>,
        approval: &Approval,
    ) -> Result<(), LogError> {
        self.observer.on(&Activity::Call {
            id: &call.id,
            tool: &call.tool,
            arguments: &call.arguments,
            approval,
        });
        let event = Event::Call {
            call: call.id.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            resolved: resolved.filter(|resolved| *resolved != call.arguments),
            approval: approval.clone(),
        };
        self.journal.append(event).map(drop)
    }

    fn finish_call(&mut self, answered: Answered) -> Result<(), LogError> {
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

/// What happens with a call.
enum Decided {
    Run(Running),
    Answered(Answered),
    Paused(CallId),
}

async fn run(running: Running, cancel: Cancel) -> Answered {
    let Running { call, run, .. } = running;
    let started = Instant::now();
    let is_cancelled = cancel.clone();
    let result = spawn_blocking(move || run(&cancel)).await;
    let (outcome, response) = match result {
        Ok(CallResult::Output(output)) => (Outcome::Succeeded, json!({"output": output})),
        Ok(CallResult::Failed(_)) if is_cancelled.is_cancelled() => (
            Outcome::Cancelled,
            json!({"error": "cancelled by the user"}),
        ),
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

/// A failure as a model reads it: every error, and what to do about it.
fn failure(diagnostics: &[Diagnostic]) -> (Outcome, Value) {
    let code = diagnostics
        .first()
        .map_or(Code::Internal, |first| first.code);
    let outcome = match code {
        Code::Timeout => Outcome::TimedOut,
        Code::Denied => Outcome::Denied,
        code => Outcome::Failed {
            code: code.name().to_owned(),
        },
    };
    let lines: Vec<String> = diagnostics.iter().flat_map(lines).collect();
    (
        outcome,
        json!({"error": lines.join("\n"), "code": code.name()}),
    )
}

fn lines(diagnostic: &Diagnostic) -> Vec<String> {
    let mut lines = vec![diagnostic.summary()];
    let details = diagnostic.details.trim();
    if !details.is_empty() {
        lines.push(details.to_owned());
    }
    // Commands are for people.
    let texts = diagnostic.hints.iter().filter_map(|hint| match hint {
        Hint::Text(text) => Some(format!("hint: {text}")),
        Hint::Run { .. } => None,
    });
    lines.extend(texts);
    lines
}

fn call_budget_spent() -> Diagnostic {
    let message = "the budget of calls is spent; answer with what is known";
    Diagnostic::new(Code::BudgetSpent, message)
}

fn answer_approval(answer: Answer) -> Option<Approval> {
    Some(match answer {
        Answer::Yes | Answer::Always => Approval::new(Decision::Granted, Why::Answer),
        Answer::No => Approval::new(Decision::Denied, Why::Answer),
        Answer::NoTerminal => Approval::new(Decision::Denied, Why::NoTerminal),
        Answer::Pause => return None,
    })
}

fn denial(approval: &Approval) -> &'static str {
    match approval.why {
        Why::Rule => "denied by a rule of the user; do not call it again",
        Why::NoTerminal => "denied: this call needs an approval, and there is no one to ask",
        _ => "denied by the user; ask what to do instead, or go on without it",
    }
}

/// The beginning and the end of a long result, and the whole as text; `None` if it is short.
fn shorten(response: &Value) -> Option<(Value, String)> {
    let (key, value) = response.as_object()?.iter().next()?;
    let whole = match value {
        Value::String(text) if text.len() > MAX_RESULT_BYTES => text.clone(),
        Value::String(_) => return None,
        value => {
            let json = value.to_string();
            if json.len() <= MAX_RESULT_BYTES {
                return None;
            }
            json
        }
    };
    let head = &whole[..whole.floor_char_boundary(MAX_RESULT_BYTES * 3 / 4)];
    let tail = &whole[whole.ceil_char_boundary(whole.len() - MAX_RESULT_BYTES / 4)..];
    let left_out = whole.len() - head.len() - tail.len();
    let short = format!("{head}\n[… {left_out} bytes left out …]\n{tail}");
    let mut content = response.clone();
    content[key] = short.into();
    Some((content, whole))
}
