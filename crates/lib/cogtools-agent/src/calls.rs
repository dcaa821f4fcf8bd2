//! The calls of a response: checked, approved, run, answered.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Approval, CallId, Decision, Event, Id, LogError, Outcome, Why};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use serde_json::{Value, json};

use crate::CallScope;
use crate::agent::Agent;
use crate::answered::{Answered, run_call};
use crate::conversation::OpenCall;
use crate::observer::{Activity, Answer, Question};
use crate::results::{call_budget_spent, denial, failure, interrupted};
use crate::tools::ReadyCall;
use crate::waiting::waiting;

/// How many calls run at the same time.
const MAX_PARALLEL: usize = 8;

/// How the calls of a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallsEnd {
    /// Each has a result.
    Answered,
    /// The run waits for the user.
    Paused,
    /// The user has cancelled it. Calls that were running have a result that says so; those that
    /// had not begun stay open.
    Cancelled,
}

/// A call about which everything is decided.
struct Decided {
    call: OpenCall,
    /// The arguments that the tool gets.
    resolved: Option<Value>,
    approval: Approval,
    next: Next,
}

/// What happens with a call.
enum Next {
    Run {
        run: ReadyCall,
        is_parallel: bool,
    },
    Answer(Outcome, Value),
    /// It waits for the user.
    Wait,
    /// The run is cancelled.
    Leave,
}

/// Calls that run now.
type Running = FuturesUnordered<BoxFuture<'static, Answered>>;

impl Agent<'_> {
    /// Answers the calls that have no result yet.
    pub(crate) async fn answer_calls(&mut self) -> Result<CallsEnd, LogError> {
        let open = self.journal.conversation().open_calls().to_vec();
        // All questions come first, so that a user who has answered them may leave.
        let decided: VecDeque<Decided> = open.into_iter().map(|call| self.decide(call)).collect();
        let waiting: Vec<CallId> = decided
            .iter()
            .filter(|decided| matches!(decided.next, Next::Wait))
            .map(|decided| decided.call.id.clone())
            .collect();
        let mut running = Running::new();
        let result = self.carry_out(decided, &mut running).await;
        if result.is_err() {
            // Without a log nothing may go on; the running calls are cancelled, and awaited.
            self.cancel.cancel();
            while self.next_answer(&mut running).await.is_some() {}
        }
        result?;
        if !waiting.is_empty() {
            self.journal.append(Event::Paused { calls: waiting })?;
            return Ok(CallsEnd::Paused);
        }
        if self.cancel.is_cancelled() {
            return Ok(CallsEnd::Cancelled);
        }
        Ok(CallsEnd::Answered)
    }

    /// Carries out what was decided, in the order of the calls: at once if all that run are
    /// without side effects, else one after the other.
    async fn carry_out(
        &mut self,
        mut decided: VecDeque<Decided>,
        running: &mut Running,
    ) -> Result<(), LogError> {
        let is_alone = |decided: &Decided| {
            matches!(
                decided.next,
                Next::Run {
                    is_parallel: false,
                    ..
                }
            )
        };
        let limit = if decided.iter().any(is_alone) {
            1
        } else {
            MAX_PARALLEL
        };
        loop {
            while running.len() < limit {
                let Some(next) = decided.pop_front() else {
                    break;
                };
                self.begin(next, running)?;
            }
            let Some(answered) = self.next_answer(running).await else {
                return Ok(());
            };
            self.finish_call(answered)?;
        }
    }

    /// The next call that has ended. Questions of agents that calls run are asked meanwhile.
    async fn next_answer(&mut self, running: &mut Running) -> Option<Answered> {
        loop {
            let questions = &mut self.questions;
            let next = async {
                tokio::select! {
                    biased;
                    answered = running.next() => Err(answered),
                    Some(asked) = questions.next() => Ok(asked),
                }
            };
            match waiting(next, &mut *self.observer).await {
                Err(answered) => return answered,
                // Not asked any more; its agent takes that as a no.
                Ok(asked) if self.cancel.is_cancelled() => drop(asked),
                Ok(asked) => asked.ask(&mut *self.observer),
            }
        }
    }

    /// Writes a call to the log, and starts it if it may run.
    fn begin(&mut self, decided: Decided, running: &mut Running) -> Result<(), LogError> {
        let Decided {
            call,
            resolved,
            approval,
            next,
        } = decided;
        let is_run = matches!(next, Next::Run { .. });
        if matches!(next, Next::Leave) || (is_run && self.cancel.is_cancelled()) {
            return Ok(());
        }
        let entry = self.record_call(&call, resolved, &approval)?;
        match next {
            Next::Run { run, .. } => {
                let scope = CallScope {
                    cancel: self.cancel.child(),
                    ledger: self.ledger.clone(),
                    log: self.journal.log(),
                    call: entry,
                    questions: self.questions.sender(),
                };
                running.push(Box::pin(run_call(call, run, scope, self.cancel.clone())));
            }
            Next::Answer(outcome, response) => self.finish_call(Answered {
                call,
                outcome,
                response,
                started: Instant::now(),
            })?,
            Next::Wait | Next::Leave => {}
        }
        Ok(())
    }

    /// Checks a call, and asks for its approval if nothing else decides.
    fn decide(&mut self, call: OpenCall) -> Decided {
        let traits = self.traits.get(&call.tool).copied().unwrap_or_default();
        let decision = self.journal.state().decision(&call.id).cloned();
        let mut approval =
            decision.unwrap_or_else(|| self.settings.permissions.decide(&call.tool, &traits));
        let mut resolved = None;
        let next = if call.has_started && !traits.is_repeatable() {
            let (outcome, response) = interrupted();
            Next::Answer(outcome, response)
        } else {
            match self.prepare(&call) {
                Err(diagnostics) => {
                    let (outcome, response) = failure(&diagnostics);
                    Next::Answer(outcome, response)
                }
                Ok((run, arguments)) => {
                    self.permit(&call, &arguments, &mut approval);
                    resolved = Some(arguments);
                    let is_parallel = traits.is_parallel();
                    self.next(run, is_parallel, &approval)
                }
            }
        };
        Decided {
            call,
            resolved,
            approval,
            next,
        }
    }

    /// What happens with a call that is valid.
    fn next(&self, run: ReadyCall, is_parallel: bool, approval: &Approval) -> Next {
        if self.cancel.is_cancelled() {
            return Next::Leave;
        }
        let (outcome, response) = match approval.decision {
            Decision::Asked => return Next::Wait,
            Decision::Denied => (Outcome::Denied, json!({"error": denial(approval)})),
            Decision::Allowed | Decision::Granted if self.ledger.try_add_call() => {
                return Next::Run { run, is_parallel };
            }
            Decision::Allowed | Decision::Granted => failure(&[call_budget_spent()]),
        };
        Next::Answer(outcome, response)
    }

    /// Asks for an approval if there is none yet. It stays `Asked` if the run has to wait.
    fn permit(&mut self, call: &OpenCall, arguments: &Value, approval: &mut Approval) {
        if approval.decision != Decision::Asked || self.cancel.is_cancelled() {
            return;
        }
        if self.always.contains(&call.tool) {
            *approval = Approval::new(Decision::Granted, Why::Answer);
            return;
        }
        let answer = self.observer.ask(&Question {
            tool: &call.tool,
            arguments,
            approval,
        });
        if answer == Answer::Always {
            self.always.insert(call.tool.clone());
        }
        if let Some(answer) = answer_approval(answer) {
            *approval = answer;
        }
    }

    fn prepare(&self, call: &OpenCall) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let Value::Object(arguments) = &call.arguments else {
            let message = "the arguments must be an object";
            let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, message);
            return Err(vec![diagnostic.with_subject(call.tool.as_str())]);
        };
        Arc::clone(&self.tools).prepare(&call.tool, arguments.clone())
    }

    fn record_call(
        &mut self,
        call: &OpenCall,
        resolved: Option<Value>,
        approval: &Approval,
    ) -> Result<Id, LogError> {
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
        self.journal.append(event)
    }
}

fn answer_approval(answer: Answer) -> Option<Approval> {
    Some(match answer {
        Answer::Yes | Answer::Always => Approval::new(Decision::Granted, Why::Answer),
        Answer::No => Approval::new(Decision::Denied, Why::Answer),
        Answer::NoTerminal => Approval::new(Decision::Denied, Why::NoTerminal),
        Answer::Pause => return None,
    })
}
