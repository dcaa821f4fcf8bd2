//! The calls of a program that runs: each is compared with the session, checked, approved,
//! recorded and run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use cogtools_agent::{Activity, Answer as UserAnswer, Observer, Question, ToolTraits, denial};
use cogtools_core::approval::{Approved, approve};
use cogtools_core::arguments::Arguments;
use cogtools_core::javascript::{Answer, ToolCall, ToolFailure};
use cogtools_core::tool::Accepted;
use cogtools_core::{Code, Diagnostic, Limit, Tool, at_once};
use cogtools_log::{Approval, CallEvent, Decision, Outcome, ResultEvent, Why};
use cogtools_program::call::quote;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::crew::Crew;
use crate::dry_run::example_result;
use crate::outcome::{answer_of, end_of, failure, status_of};
use crate::record::Recorder;
use crate::replay::RecordedCall;
use crate::report::{CallReport, Report};
use crate::run::{diverged, millis};
use crate::tools::summary;
use crate::{FlowTape, Program, Scope};

/// Maximum number of calls that run at the same time.
const MAX_PARALLEL: usize = 8;
/// Maximum bytes of the arguments of a call.
const MAX_ARGUMENTS: usize = 1 << 20;

/// Serves the code of one program.
pub(crate) struct Runner<'r, 'l> {
    pub(crate) program: &'r Program,
    pub(crate) scope: &'r Scope,
    pub(crate) recorder: &'r Recorder<'l>,
    /// The recordings of its calls.
    pub(crate) tapes: Option<&'r FlowTape>,
    pub(crate) observer: &'r mut dyn Observer,
    pub(crate) report: &'r mut Report,
    /// Calls of the run before that this one has not made yet.
    pub(crate) recorded: BTreeMap<String, RecordedCall>,
    /// The last call that failed.
    pub(crate) last_failure: Option<ToolFailure>,
    /// The number of lines that the run before printed and this one has not yet.
    pub(crate) prints: usize,
    /// The end of the time of the program.
    pub(crate) deadline: Instant,
    /// The time that its clock shows.
    pub(crate) now: f64,
}

/// A call, with everything decided.
pub(crate) struct Decided {
    pub(crate) step: String,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) approval: Approval,
    /// True if the session has its line already.
    pub(crate) is_recorded: bool,
    pub(crate) next: Next,
}

pub(crate) enum Next {
    Run(Box<Ready>),
    /// It ended in another way.
    End(Outcome, Value),
    /// The session has its result, of this time and duration.
    Replay(Outcome, Value, f64, u64),
    /// It waits for the user.
    Wait,
}

/// A call that may run.
pub(crate) struct Ready {
    /// The tool and its arguments, until it runs; none if it does not.
    pub(crate) work: Mutex<Option<(Approved<Arc<Tool>>, Accepted)>>,
    pub(crate) limit: Limit,
    pub(crate) resolved: Value,
    pub(crate) is_parallel: bool,
    /// The result of a tool that does not run, or why the call fails.
    pub(crate) example: Option<Result<Value, String>>,
}

/// The end of a call: the outcome, an object with `output` or `error`, the time, the milliseconds.
pub(crate) type Ended = (Outcome, Value, f64, u64);

impl Runner<'_, '_> {
    /// Runs calls, at most `limit` at once.
    ///
    /// # Errors
    /// The reason why the program ends here.
    pub(crate) fn calls(
        &mut self,
        calls: Vec<ToolCall>,
        limit: usize,
    ) -> Result<Vec<Answer>, Box<Diagnostic>> {
        let mut decided = Vec::with_capacity(calls.len());
        for call in calls {
            if self.report.calls.len() + decided.len() >= self.program.max_calls {
                let message = format!("the budget of {} calls is spent", self.program.max_calls);
                let diagnostic = Diagnostic::new(Code::BudgetSpent, message);
                return Err(Box::new(diagnostic.hint("make fewer calls")));
            }
            decided.push(self.decide(call)?);
        }
        if decided.iter().any(|it| matches!(it.next, Next::Wait)) {
            return Err(self.wait(&decided));
        }
        for call in &decided {
            self.announce(call)?;
        }
        let ends = self.carry_out(&decided, limit)?;
        let mut answers = Vec::with_capacity(ends.len());
        for (decided, (outcome, content, time, ms)) in decided.into_iter().zip(ends) {
            self.now = self.now.max(time);
            if !matches!(decided.next, Next::Replay(..)) {
                let id = self.recorder.call_id(&decided.step);
                let result = ResultEvent::new(id, outcome.clone(), content.clone());
                self.observer.on(&Activity::Result {
                    tool: &decided.tool,
                    result: &ResultEvent { ms, ..result },
                });
            }
            let answer = answer_of(&decided.tool, content);
            if let Answer::Error(failure) = &answer {
                self.last_failure = Some(failure.clone());
            }
            self.report.calls.push(CallReport {
                status: status_of(&outcome),
                step: decided.step,
                tool: decided.tool,
                arguments: decided.arguments,
                ms,
                is_example: matches!(&decided.next, Next::Run(ready) if ready.example.is_some()),
                end: answer.clone(),
            });
            answers.push(answer);
        }
        Ok(answers)
    }

    /// Searches the tools in scope.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Answer {
        let found = self.scope.find_all(query);
        let found = found.iter().take(limit).map(|tool| summary(tool));
        Answer::Value(Value::Array(found.collect()).to_string())
    }

    /// Declares tools as TypeScript.
    pub(crate) fn describe(&self, names: &[String]) -> Answer {
        let (text, missing) = self.scope.describe(names);
        match missing.first().map(|name| self.scope.find(name)) {
            Some(Err(diagnostics)) => Answer::Error(failure(missing[0], &diagnostics)),
            _ => Answer::Value(Value::from(text).to_string()),
        }
    }

    /// Receives a line of output.
    ///
    /// # Errors
    /// It cannot be recorded.
    pub(crate) fn print(&mut self, text: String) -> Result<(), Box<Diagnostic>> {
        let is_new = self.prints == 0;
        self.prints = self.prints.saturating_sub(1);
        let written = if is_new && !self.program.is_dry {
            self.recorder.print(&text)
        } else {
            Ok(())
        };
        self.report.output.push(text);
        written
    }

    /// Receives the members of the store.
    ///
    /// # Errors
    /// They cannot be recorded.
    pub(crate) fn store(&mut self, json: &str) -> Result<(), Box<Diagnostic>> {
        let value: Value = serde_json::from_str(json).map_err(|error| {
            let message = format!("`store` cannot be kept: {error}");
            let diagnostic = Diagnostic::new(Code::JsResult, message);
            Box::new(diagnostic.hint("keep values with at most 100 levels of nesting"))
        })?;
        if self.program.is_dry {
            return Ok(());
        }
        self.recorder.store(&value)?;
        self.report.store = Some(value);
        Ok(())
    }

    /// Decides about a call, which may take a question.
    fn decide(&mut self, call: ToolCall) -> Result<Decided, Box<Diagnostic>> {
        let ToolCall {
            step,
            tool,
            arguments,
        } = call;
        let scope = self.scope;
        let tool = scope.aliases.get(&tool).unwrap_or(&tool).clone();
        let is_large = arguments.len() > MAX_ARGUMENTS;
        let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
        let recorded = self.recorded.remove(&step);
        let mut decided = Decided {
            is_recorded: recorded.is_some(),
            approval: Approval::new(Decision::Allowed, Why::Default),
            next: Next::Wait,
            step,
            tool,
            arguments,
        };
        let mut earlier = None;
        if let Some(call) = recorded {
            if call.tool != decided.tool
                || call.arguments != self.recorder.masked(&decided.arguments)
            {
                let now = format!("it is {}({})", decided.tool, decided.arguments);
                return Err(Box::new(diverged(&decided.step, &call, &now)));
            }
            let decisions = &self.program.decisions;
            decided.approval = call.approval;
            if let Some(result) = call.result {
                let time = millis(result.time);
                decided.next = Next::Replay(result.outcome, result.content, time, result.ms);
                return Ok(decided);
            }
            if let Some(value) = decisions.results.get(&decided.step) {
                decided.next = Next::End(Outcome::Succeeded, json!({"output": value}));
                return Ok(decided);
            }
            if decisions.approve.contains(&decided.step) {
                self.check_same(&decided)?;
            }
            earlier = match decisions.reject.get(&decided.step) {
                Some(reason) => Some(Approval::denied(reason.clone())),
                None if decisions.approve.contains(&decided.step) => UserAnswer::Yes.approval(),
                None => None,
            };
        }
        let prepared = if is_large {
            let message = format!("the arguments are larger than {} MiB", MAX_ARGUMENTS >> 20);
            Err(vec![
                Diagnostic::new(Code::SchemaViolation, message).with_subject(&*decided.tool),
            ])
        } else {
            self.prepare(&decided.tool, &decided.arguments)
        };
        let (ready, traits, runs) = match prepared {
            Ok(prepared) => prepared,
            Err(diagnostics) => {
                decided.next = failed(&decided.tool, &diagnostics);
                return Ok(decided);
            }
        };
        let approval = match earlier {
            Some(earlier) => {
                earlier.unless_denied(self.scope.permissions.decide(&decided.tool, &traits))
            }
            // It does not run.
            None if ready.example.is_some() => decided.approval,
            None => self.permit(&decided.tool, &ready.resolved, traits, runs.as_deref()),
        };
        decided.next = match approval.decision {
            Decision::Allowed | Decision::Granted => Next::Run(Box::new(ready)),
            Decision::Asked => Next::Wait,
            Decision::Denied => {
                let denied = Diagnostic::new(Code::Denied, denial(&approval));
                failed(&decided.tool, &[denied.with_subject(&*decided.tool)])
            }
        };
        decided.approval = approval;
        Ok(decided)
    }

    /// Counts a call that is about to run, and shows it, unless the run before has.
    fn announce(&mut self, call: &Decided) -> Result<(), Box<Diagnostic>> {
        if matches!(call.next, Next::Replay(..)) {
            return Ok(());
        }
        let ledger = self.program.ledger.as_ref();
        let mut ledger = ledger
            .filter(|_| matches!(call.next, Next::Run(_)))
            .into_iter();
        // A call that is refused here is the program's: its model may still make another one.
        if ledger.any(|ledger| ledger.calls_left() == 0 || !ledger.try_add_call()) {
            let diagnostic = Diagnostic::new(Code::BudgetSpent, "the budget of calls is spent");
            return Err(Box::new(diagnostic.hint("make fewer calls")));
        }
        let id = self.recorder.call_id(&call.step);
        let (tool, arguments) = (call.tool.clone(), call.arguments.clone());
        let event = CallEvent::new(id, tool, arguments, call.approval.clone());
        self.observer.on(&Activity::Call(&event));
        Ok(())
    }

    /// Checks a call: the tool, its arguments, the trust in it.
    fn prepare(
        &self,
        name: &str,
        arguments: &Value,
    ) -> Result<(Ready, ToolTraits, Option<String>), Vec<Diagnostic>> {
        let tool = self.scope.find(name)?;
        let Value::Object(arguments) = arguments else {
            let message = "the arguments must be one object";
            let diagnostic = Diagnostic::new(Code::SchemaViolation, message).with_pointer("");
            return Err(vec![diagnostic.with_subject(name)]);
        };
        let accepted = tool
            .accept(Arguments::from(arguments.clone()))
            .map_err(|error| error.diagnostics(&tool))?;
        let traits = ToolTraits::of(&tool);
        let runs = tool.command_line().map(|line| line.to_string());
        let is_example = self.program.is_dry && !traits.is_pure;
        let example = || example_result(&tool, arguments, &self.scope.cx.root);
        let resolved = Value::Object(accepted.as_object().clone());
        let stub = self.scope.stub.as_ref();
        let stub = stub.and_then(|stub| stub(name, &Value::from(arguments.clone()), &resolved));
        let limit = Limit::of(&tool);
        let ready = |work, example: Option<_>| Ready {
            limit,
            resolved,
            work: Mutex::new(work),
            is_parallel: traits.is_parallel(),
            example,
        };
        if stub.is_some() {
            return Ok((ready(None, stub), traits, runs));
        }
        let preset = self.scope.cx.call.presets.get(name).cloned();
        let example = preset.or_else(|| is_example.then(example)).map(Ok);
        let approved = approve(tool, &self.scope.cx).map_err(|diagnostic| vec![*diagnostic])?;
        let ready = ready(Some((approved, accepted)), example);
        Ok((ready, traits, runs))
    }

    /// Decides whether a valid call may run; the user's time to answer does not count.
    fn permit(
        &mut self,
        tool: &str,
        arguments: &Value,
        traits: ToolTraits,
        runs: Option<&str>,
    ) -> Approval {
        let approval = self.scope.permissions.decide(tool, &traits);
        if approval.decision != Decision::Asked {
            return approval;
        }
        if self.program.is_dry || self.program.consent.covers(tool, traits, arguments) {
            return Approval::new(Decision::Granted, Why::Answer);
        }
        let asked = Instant::now();
        let answer = self.observer.ask(&Question {
            tool,
            arguments,
            runs,
            approval: &approval,
        });
        let answered = self.deadline.checked_add(asked.elapsed());
        self.deadline = answered.unwrap_or(self.deadline);
        answer.approval().unwrap_or_else(|| Approval {
            digest: self.scope.digest(tool),
            ..approval
        })
    }

    /// Fails unless the tool of a call that waited is the one that the user was asked about.
    fn check_same(&self, call: &Decided) -> Result<(), Box<Diagnostic>> {
        let asked = call.approval.digest.as_ref();
        if asked.is_none_or(|asked| self.scope.digest(&call.tool).as_ref() == Some(asked)) {
            return Ok(());
        }
        let message = format!("`{}` has changed since you were asked", call.tool);
        let diagnostic = Diagnostic::new(Code::Denied, message);
        let diagnostic = diagnostic.with_subject(format!("step {}", call.step));
        Err(Box::new(diagnostic.hint(
            "review the tool, and run the program anew: it is asked about as it is now",
        )))
    }

    /// Records the calls that wait; returns the end of the program for now.
    fn wait(&mut self, decided: &[Decided]) -> Box<Diagnostic> {
        let waiting = decided.iter().filter(|it| matches!(it.next, Next::Wait));
        let (mut messages, mut first) = (Vec::new(), None);
        for call in waiting {
            if !call.is_recorded {
                let (arguments, approval) = (&call.arguments, &call.approval);
                let line = self
                    .recorder
                    .call(&call.step, &call.tool, arguments, None, approval);
                if let Err(error) = line {
                    return error;
                }
            }
            let message = format!("step {}: {} {}", call.step, call.tool, call.arguments);
            let why = call.approval.why.in_words();
            let about = format!("{message}\nasked: {why}");
            self.report.waiting.push((call.step.clone(), about));
            messages.push(message);
            first = first.or(Some(call.step.clone()));
            self.report.calls.push(CallReport {
                status: "waits",
                step: call.step.clone(),
                tool: call.tool.clone(),
                arguments: call.arguments.clone(),
                ms: 0,
                is_example: false,
                end: Answer::Value("null".to_owned()),
            });
        }
        let step = first.unwrap_or_default();
        let session = self.program.session.as_deref();
        let session = session.map(|it| format!(" {}", quote(it)));
        let resume = format!("cogtools code resume{}", session.unwrap_or_default());
        let diagnostic = Diagnostic::new(Code::ApprovalWanted, messages.join("; "))
            .hint(format!("`{resume} --approve {step}` runs it"))
            .hint(format!("`{resume} --reject {step}=WHY` does not"));
        Box::new(diagnostic)
    }

    /// Runs what may run, and records everything: at once if all calls are without side effects,
    /// else one after the other.
    fn carry_out(&self, decided: &[Decided], limit: usize) -> Result<Vec<Ended>, Box<Diagnostic>> {
        let running = decided.iter().filter_map(|it| match &it.next {
            Next::Run(ready) => Some(ready.is_parallel),
            _ => None,
        });
        let threads = if running.clone().all(|is_parallel| is_parallel) {
            limit.clamp(1, MAX_PARALLEL).min(running.count())
        } else {
            1
        };
        let left = self.deadline.saturating_duration_since(Instant::now());
        let crew = Crew {
            recorder: self.recorder,
            scope: self.scope,
            tapes: self.tapes,
            is_dry: self.program.is_dry,
            left,
            timeout: self.program.timeout,
        };
        let ends = at_once(decided, threads, |call| crew.carry_out(call));
        ends.into_iter().collect()
    }
}

fn failed(tool: &str, diagnostics: &[Diagnostic]) -> Next {
    let (outcome, content) = end_of(tool, diagnostics);
    Next::End(outcome, content)
}
