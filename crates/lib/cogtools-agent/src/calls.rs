//! The calls of a response: checked, approved, run, answered.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cogtools_core::arguments::{Arguments, ArgumentsError, Syntax};
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_log::{
    Approval, CallEvent, CallId, Decision, EndStatus, Event, Id, LogError, Outcome, ResultEvent,
    Why, masked,
};
use cogtools_model::{ModelError, Response, ToolMode};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::agent::{Agent, RunEnd};
use crate::conversation::OpenCall;
use crate::diagnostic::is_refused_request;
use crate::exchange::waiting;
use crate::journal::AS_JSON;
use crate::observer::{Activity, Answer, Asked, Question};
use crate::outcome::{call_budget_spent, cancelled, denial, failure, interrupted, shorten};
use crate::tools::{AgentTool, CallResult, ReadyCall, WaitingCall, declarations};
use crate::{CallScope, Settings, ToolTraits};

/// Maximum number of calls that run at the same time.
const MAX_PARALLEL: usize = 8;

/// A call about which everything is decided.
pub(crate) struct Decided {
    pub(crate) call: OpenCall,
    /// The arguments that the tool gets.
    pub(crate) resolved: Option<Value>,
    pub(crate) approval: Approval,
    pub(crate) next: Next,
}

/// The next step of a call.
pub(crate) enum Next {
    Run {
        run: ReadyCall,
        is_parallel: bool,
        is_counted: bool,
    },
    /// It has this outcome, and the model reads this response.
    Answer((Outcome, Value)),
    /// It waits for the user.
    Wait,
    /// The run is cancelled.
    Leave,
}

/// An event while calls run.
enum Happened {
    Ended(Option<Ended>),
    Asked(Asked),
    OutOfTime,
}

/// A call with its result, or the calls of its program that wait for the user.
type Ended = Result<Box<Answered>, Vec<WaitingCall>>;
/// Calls that run now.
type Running = FuturesUnordered<BoxFuture<'static, Ended>>;

impl Agent<'_> {
    /// Answers the calls that have no result yet. Returns the end of the run if it waits for the
    /// user, or if the user has cancelled it: calls that were running have a result that says so
    /// then, and those that had not begun stay open.
    pub(crate) async fn answer_calls(&mut self) -> Result<Option<EndStatus>, LogError> {
        let open = self.journal.conversation().open_calls().to_vec();
        // All questions come first, so that a user who has answered them may leave.
        let decided: VecDeque<Decided> = open.into_iter().map(|call| self.decide(call)).collect();
        let waits = decided.iter().filter(|it| matches!(it.next, Next::Wait));
        let mut waiting: Vec<CallId> = waits.map(|it| it.call.id.clone()).collect();
        let mut running = Running::new();
        self.calls = self.cancel.child();
        self.waiting.clear();
        self.stopped = None;
        let result = self.carry_out(decided, &mut running).await;
        if result.is_err() {
            // Without a log nothing may go on; the running calls are cancelled, and awaited.
            self.cancel.cancel();
            while self.next_answer(&mut running).await.is_some() {}
        }
        result?;
        waiting.extend(self.waiting.iter().map(|one| one.call.clone()));
        if !waiting.is_empty() {
            self.journal.append(Event::Paused { calls: waiting })?;
            return Ok(Some(EndStatus::ApprovalWanted));
        }
        if let Some(stopped) = &self.stopped {
            return Ok(Some(EndStatus::failed(stopped.code)));
        }
        let is_cancelled = self.cancel.is_cancelled();
        Ok(is_cancelled.then_some(EndStatus::Cancelled))
    }

    /// Carries out what was decided, in the order of the calls: at once if all that run are
    /// without side effects, else one after the other.
    async fn carry_out(
        &mut self,
        mut decided: VecDeque<Decided>,
        running: &mut Running,
    ) -> Result<(), LogError> {
        let is_alone =
            |it: &Decided| matches!(it.next, Next::Run { is_parallel, .. } if !is_parallel);
        let is_one_by_one = decided.iter().any(is_alone);
        let limit = if is_one_by_one { 1 } else { MAX_PARALLEL };
        loop {
            while running.len() < limit {
                let Some(next) = decided.pop_front() else {
                    break;
                };
                self.begin(next, running)?;
            }
            match self.next_answer(running).await {
                None => return Ok(()),
                Some(Ok(mut answered)) => {
                    self.stopped = answered.stop.take().or(self.stopped.take());
                    self.finish_call(*answered)?;
                }
                Some(Err(waiting)) => self.waiting.extend(waiting),
            }
        }
    }

    /// The next call that has ended. Questions of agents that calls run are asked meanwhile, and
    /// the calls end when the time of the run is over.
    async fn next_answer(&mut self, running: &mut Running) -> Option<Ended> {
        loop {
            let left = self.ledger.time_left().unwrap_or(Duration::MAX);
            let is_late = self.calls.is_cancelled();
            let questions = &mut self.questions;
            let next = async {
                tokio::select! {
                    biased;
                    ended = running.next() => Happened::Ended(ended),
                    Some(asked) = questions.receiver.recv() => Happened::Asked(asked),
                    () = sleep(left), if !is_late => Happened::OutOfTime,
                }
            };
            match waiting(next, &mut *self.observer).await {
                Happened::Ended(ended) => return ended,
                // Not asked any more; its agent takes that as a no.
                Happened::Asked(asked) if self.calls.is_cancelled() => drop(asked),
                Happened::Asked(asked) => asked(&mut *self.observer),
                Happened::OutOfTime => self.calls.cancel(),
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
        let next = match next {
            Next::Leave => return Ok(()),
            Next::Run { .. } if self.cancel.is_cancelled() => {
                // The user has answered, and need not do so again.
                if approval.decision == Decision::Granted && approval.why == Why::Answer {
                    let call = call.id;
                    self.journal.append(Event::Decision { call, approval })?;
                }
                return Ok(());
            }
            Next::Run {
                is_counted: true, ..
            } if !self.ledger.try_add_call() => Next::Answer(failure(&[call_budget_spent()])),
            next => next,
        };
        let entry = self.record_call(&call, resolved, &approval)?;
        match next {
            Next::Run { run, .. } => {
                let scope = CallScope {
                    cancel: self.calls.child(),
                    ledger: self.ledger.clone(),
                    log: self.journal.shared_log(),
                    call: entry,
                    approval,
                    questions: self.questions.sender.clone(),
                };
                let cancels = [&self.cancel, &self.calls].map(Clone::clone);
                running.push(Box::pin(run_call(call, run, scope, cancels)));
            }
            Next::Answer(answer) => self.finish_call(Answered::at_once(call, answer))?,
            Next::Wait | Next::Leave => {}
        }
        Ok(())
    }

    /// Checks a call, and asks for its approval if nothing else decides.
    fn decide(&mut self, call: OpenCall) -> Decided {
        let traits = self.known.get(&call.tool).map(|(traits, _)| *traits);
        let traits = traits.unwrap_or_default();
        if traits.is_program && !call.is_masked {
            return self.decide_program(call, traits);
        }
        let decision = self.journal.state().decision(&call.id).cloned();
        let mut approval = self.approval(&call, &traits, decision);
        let mut resolved = None;
        let next = if call.has_started && (call.is_masked || !traits.is_repeatable()) {
            Next::Answer(interrupted())
        } else if call.is_masked {
            let again = masked(&call.tool, "the arguments").hint("make the call again");
            Next::Answer(failure(&[again]))
        } else {
            match self.prepare(&call.tool, &call.arguments) {
                Err(diagnostics) => Next::Answer(failure(&diagnostics)),
                Ok((run, arguments)) => {
                    self.permit(&call, &arguments, &mut approval);
                    if approval.decision == Decision::Asked {
                        approval.digest = self.tools.digest(&call.tool, &arguments);
                    }
                    resolved = Some(arguments);
                    self.next(run, traits, &approval)
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

    /// The approval of a call about which the user has made the `decision` before, if there is one.
    /// A rule that denies holds against it: an approval may be older than the rule.
    pub(crate) fn approval(
        &self,
        call: &OpenCall,
        traits: &ToolTraits,
        decision: Option<Approval>,
    ) -> Approval {
        let by_rule = self.settings.permissions.decide(&call.tool, traits);
        match decision {
            None => by_rule,
            Some(decision) => decision.unless_denied(by_rule),
        }
    }

    /// Decides what happens with a valid call.
    pub(crate) fn next(&self, run: ReadyCall, traits: ToolTraits, approval: &Approval) -> Next {
        if self.cancel.is_cancelled() {
            return Next::Leave;
        }
        match approval.decision {
            Decision::Asked => Next::Wait,
            Decision::Denied => Next::Answer((Outcome::Denied, json!({"error": denial(approval)}))),
            Decision::Allowed | Decision::Granted => Next::Run {
                run,
                is_parallel: traits.is_parallel(),
                is_counted: !traits.is_uncounted,
            },
        }
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
        let runs = self.known.get(&call.tool);
        let answer = self.observer.ask(&Question {
            tool: &call.tool,
            arguments,
            runs: runs.and_then(|(_, runs)| runs.as_deref()),
            approval,
        });
        if answer == Answer::Always {
            self.always.insert(call.tool.clone());
        }
        if let Some(decided) = answer.approval() {
            *approval = decided;
        }
    }

    pub(crate) fn prepare(
        &self,
        tool: &str,
        arguments: &Value,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let Value::Object(arguments) = arguments else {
            return Err(vec![no_object(arguments).with_subject(tool)]);
        };
        self.tools.prepare(tool, arguments.clone())
    }

    fn record_call(
        &mut self,
        call: &OpenCall,
        resolved: Option<Value>,
        approval: &Approval,
    ) -> Result<Id, LogError> {
        let OpenCall {
            id,
            tool,
            arguments,
            ..
        } = call.clone();
        let event = CallEvent {
            resolved: resolved.filter(|resolved| *resolved != arguments),
            ..CallEvent::new(id, tool, arguments, approval.clone())
        };
        self.observer.on(&Activity::Call(&event));
        self.journal.append(Event::Call(event))
    }
}

/// A call with its result.
pub(crate) struct Answered {
    pub(crate) call: OpenCall,
    pub(crate) outcome: Outcome,
    pub(crate) response: Value,
    pub(crate) files: Vec<Value>,
    pub(crate) started: Instant,
    /// Why the run ends with it.
    stop: Option<Diagnostic>,
}

impl Answered {
    /// Makes the end of a call that did not run.
    fn at_once(call: OpenCall, (outcome, response): (Outcome, Value)) -> Self {
        Self {
            call,
            outcome,
            response,
            files: Vec::new(),
            started: Instant::now(),
            stop: None,
        }
    }
}

impl Agent<'_> {
    /// Writes the result of a call to the log.
    pub(crate) fn finish_call(&mut self, answered: Answered) -> Result<(), LogError> {
        let Answered {
            call,
            outcome,
            response,
            files,
            started,
            stop: _,
        } = answered;
        let (content, blob) = match shorten(&response) {
            Some((short, whole)) => (short, Some(self.journal.log().write_blob(&whole)?)),
            None => (response, None),
        };
        let result = ResultEvent {
            files,
            blob,
            ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            ..ResultEvent::new(call.id, outcome, content)
        };
        self.observer.on(&Activity::Result {
            tool: &call.tool,
            result: &result,
        });
        self.journal.append(Event::Result(result))?;
        Ok(())
    }

    /// Gives each call without a result one that says why: a model needs one for each. A call that
    /// has started may have had an effect.
    pub(crate) fn abandon_calls(&mut self, reason: &str) -> Result<(), LogError> {
        for call in self.journal.conversation().open_calls().to_vec() {
            let answer = if call.has_started {
                interrupted()
            } else {
                (Outcome::Cancelled, json!({"error": reason}))
            };
            self.finish_call(Answered::at_once(call, answer))?;
        }
        Ok(())
    }
}

/// Runs a call in a thread of its own. The user ends it by the first of `cancels`, the end of the
/// run's time by the second one.
pub(crate) async fn run_call(
    call: OpenCall,
    run: ReadyCall,
    scope: CallScope,
    [user, time]: [Cancel; 2],
) -> Ended {
    let started = Instant::now();
    let result = spawn_blocking(move || run(&scope)).await;
    let (mut files, mut stop) = (Vec::new(), None);
    let (outcome, response) = match result {
        Ok(CallResult::Waits(waiting)) => return Err(waiting),
        Ok(CallResult::Output(output)) => (Outcome::Succeeded, json!({"output": output})),
        Ok(CallResult::Files(output, parts)) => {
            files = parts;
            (Outcome::Succeeded, json!({"output": output}))
        }
        Ok(CallResult::Failed(_)) if user.is_cancelled() => cancelled(),
        Ok(CallResult::Failed(_)) if time.is_cancelled() => {
            let response = json!({"error": "ended: the time of the run is over"});
            (Outcome::TimedOut, response)
        }
        Ok(CallResult::Failed(diagnostics)) => {
            let first = diagnostics.first();
            stop = first.filter(|it| it.code == Code::ApprovalWanted).cloned();
            failure(&diagnostics)
        }
        // The panic hook has reported it.
        Err(_) => {
            let message = "unexpected failure while the tool was running";
            failure(&[Diagnostic::new(Code::Internal, message)])
        }
    };
    Ok(Box::new(Answered {
        call,
        outcome,
        response,
        files,
        started,
        stop,
    }))
}

/// The number of characters before a mistake that a message quotes.
const QUOTED_CHARS: usize = 40;

/// Says why arguments are no object. Those that are not JSON are the text that the model sent: it
/// reads the mistake, and the text before it. An object that is encoded as a text is none, either:
/// what is repaired must not have an effect.
fn no_object(arguments: &Value) -> Diagnostic {
    let code = Code::InvalidArgumentsSyntax;
    let text = arguments.as_str().unwrap_or_default();
    let no_object = Diagnostic::new(code, "the arguments must be an object");
    let (error, place) = match Arguments::read(text.into(), Syntax::Json) {
        Err(ArgumentsError::Json(error, place)) => (error, place),
        Ok(_) if !text.is_empty() => {
            return no_object.hint("send the object itself, not a text with it");
        }
        _ => return no_object,
    };
    let (line, column) = (place.line, place.column);
    let before = place.text.unwrap_or_default();
    let before = before.chars().take(column - 1);
    let left_out = (column - 1).saturating_sub(QUOTED_CHARS);
    let quoted: String = before.skip(left_out).collect();
    let message = format!(
        "the arguments are not JSON: {error} in line {line}, column {column}, after `{quoted}`"
    );
    Diagnostic::new(code, message).hint("send one JSON object")
}

/// The tool that takes the answer.
const NAME: &str = "answer";

/// Declares `tools` and, if `settings` ask for it, the tool that takes the answer, which the model
/// then has to call.
pub(crate) fn declare(tools: &[AgentTool], settings: &mut Settings) -> Arc<Vec<Value>> {
    let mut declared = declarations(tools);
    if let Some(schema) = &settings.answer_call {
        settings.request.mode = ToolMode::Any(vec![NAME.to_owned()]);
        Arc::make_mut(&mut declared).push(json!({
            "name": NAME,
            "description": "Give the answer.",
            "parametersJsonSchema": schema,
        }));
    }
    declared
}

impl Agent<'_> {
    /// Ends the run if `response` calls the tool that takes the answer.
    pub(crate) fn end_with_answer(
        &mut self,
        response: &Response,
    ) -> Result<Option<RunEnd>, LogError> {
        let calls = response.calls();
        let mut calls = calls.iter().filter(|call| call.name == NAME);
        let (Some(call), true) = (calls.next(), self.settings.answer_call.is_some()) else {
            return Ok(None);
        };
        let answer = call.args.cloned().unwrap_or_else(|| json!({})).to_string();
        for call in self.journal.conversation().open_calls().to_vec() {
            let answer = (Outcome::Succeeded, json!({"output": "accepted"}));
            self.finish_call(Answered::at_once(call, answer))?;
        }
        self.observer.on(&Activity::Text(&answer));
        self.last_text = answer;
        self.end(EndStatus::Completed, None).map(Some)
    }

    /// Asks for JSON from now on, if the model has rejected a request because it cannot make
    /// calls. Returns whether it is worth asking again.
    pub(crate) fn ask_without_call(&mut self, error: &ModelError) -> bool {
        let is_rejected = is_refused_request(error);
        let Some(schema) = self.settings.answer_call.take_if(|_| is_rejected) else {
            return is_rejected && self.postpone_schema();
        };
        let request = &mut self.settings.request;
        request.mode = ToolMode::Auto;
        request.generation.response_json_schema = Some(schema);
        self.fixed.tools = declarations(&self.tools.list());
        true
    }

    /// Asks for JSON in a request of its own after the work, because the model does not take a
    /// schema beside tools. Returns false if that is not the reason.
    fn postpone_schema(&mut self) -> bool {
        let schema = &mut self.settings.request.generation.response_json_schema;
        let has_tools = !self.fixed.tools.is_empty();
        self.last_schema = schema.take_if(|_| has_tools);
        self.last_schema.is_some()
    }

    /// Asks for the answer as JSON, without tools, if the schema was postponed. Returns true if it
    /// was.
    pub(crate) fn ask_for_schema(&mut self) -> Result<bool, LogError> {
        let Some(schema) = self.last_schema.take() else {
            return Ok(false);
        };
        let parts = vec![json!({ "text": AS_JSON })];
        self.journal.append(Event::Task { parts })?;
        self.settings.request.generation.response_json_schema = Some(schema);
        self.fixed.tools = Arc::default();
        Ok(true)
    }
}
