//! Calls that run a program: the user is asked once, about the whole of it.

use cogtools_log::{Approval, Decision, Why};
use serde_json::Value;

use crate::agent::Agent;
use crate::calls::{Decided, Next};
use crate::conversation::OpenCall;
use crate::observer::ProgramAnswer;
use crate::outcome::failure;
use crate::tools::{CallResult, ReadyCall};
use crate::{CallScope, ToolTraits};

/// The argument with the code.
const CODE: &str = "code";

impl Agent<'_> {
    /// Decides about a call that runs a program. The user may edit the code, and is asked again.
    pub(crate) fn decide_program(&mut self, call: OpenCall, traits: ToolTraits) -> Decided {
        let mut arguments = call.resolved.clone().unwrap_or(call.arguments.clone());
        let is_granted = |approval: &Approval| approval.decision == Decision::Granted;
        let before = call.approval.clone().filter(is_granted);
        let before = before.or_else(|| self.journal.state().decision(&call.id).cloned());
        // One that has begun goes on; its calls are asked about when they come.
        let asks_at_each = || Approval::new(Decision::Allowed, Why::Answer);
        let before = before.or_else(|| call.has_started.then(asks_at_each));
        let is_undecided = before.is_none();
        let mut approval = self.approval(&call, &traits, before);
        // The user has seen another program.
        if is_undecided && approval.decision == Decision::Allowed && arguments != call.arguments {
            approval = Approval::new(Decision::Asked, Why::Default);
        }
        loop {
            let is_edited = arguments != call.arguments;
            let prepared = self.prepare(&call.tool, &arguments);
            let question = self.tools.question(&call.tool, &arguments);
            let mut question = question.unwrap_or_default();
            let ready = match prepared {
                Ok((run, _)) => Ok(run),
                Err(diagnostics) => {
                    let answer = failure(&diagnostics);
                    let text = answer.1["error"].as_str().filter(|_| is_edited);
                    question.problem = text.map(str::to_owned);
                    Err(Next::Answer(answer))
                }
            };
            let is_same = approval.digest.is_none() || approval.digest == question.digest;
            let is_settled = match approval.decision {
                Decision::Denied => true,
                Decision::Granted => is_same,
                Decision::Allowed => question.calls.is_empty() || approval.why == Why::Answer,
                Decision::Asked => false,
            };
            let can_ask = ready.is_ok() || question.problem.is_some();
            if can_ask && !(is_settled || self.cancel.is_cancelled()) {
                approval = match self.observer.ask_program(&question) {
                    ProgramAnswer::Run => Approval::new(Decision::Granted, Why::Answer),
                    ProgramAnswer::Ask => Approval::new(Decision::Allowed, Why::Answer),
                    ProgramAnswer::No(reason) => Approval::denied(reason),
                    ProgramAnswer::Pause => Approval::new(Decision::Asked, Why::Default),
                    ProgramAnswer::Edit(code) => {
                        arguments[CODE] = code.into();
                        approval = Approval::new(Decision::Asked, Why::Answer);
                        continue;
                    }
                };
            }
            approval.digest = question.digest;
            let next = match ready {
                Ok(run) if is_edited => self.next(edited(run, question.code), traits, &approval),
                Ok(run) => self.next(run, traits, &approval),
                Err(answer) => answer,
            };
            return Decided {
                call,
                resolved: Some(arguments),
                approval,
                next,
            };
        }
    }
}

/// Tells the model which program ran instead of its own.
fn edited(run: ReadyCall, code: String) -> ReadyCall {
    Box::new(move |scope: &CallScope| {
        let note = format!("the user has edited the program; this one ran:\n{code}");
        match run(scope) {
            CallResult::Output(Value::String(text)) => {
                CallResult::Output(format!("{note}\n\nIts output:\n{text}").into())
            }
            CallResult::Failed(mut diagnostics) => {
                if let Some(last) = diagnostics.last_mut() {
                    last.hints.push(note.into());
                }
                CallResult::Failed(diagnostics)
            }
            other => other,
        }
    })
}
