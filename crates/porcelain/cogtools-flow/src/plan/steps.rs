//! A run of a plan: a chain of steps, each of which calls a tool of the project with the results
//! of earlier steps in its arguments, then the reply.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use cogtools_code::Run;
use cogtools_core::arguments::Arguments;
use cogtools_core::{Call, Code, Diagnostic, pointer};
use cogtools_executor::{
    Attempt, Completion, Event, Failure as StepFailure, Graph, Node, Observer, OnFailure, Options,
    SkipReason, State, Stop, Work, execute,
};
use cogtools_log::view::Results;
use cogtools_log::{EndStatus, NodeEvent, Timestamp};
use cogtools_program::call_timeout;
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io, Severity};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::contract::{Contract, Step};
use super::program::{self, Programs};
use super::references::{Record, Records, each_reference, hydrate, of_reply, resolve};
use crate::recorder::{Events, MAX_LOG_LINES, RecordedWork, Recorder, first_lines, millis};
use crate::work::value_of;

/// The inputs of a run.
pub(crate) struct PlanRun {
    pub(crate) contract: Contract,
    /// The results of an earlier run: these steps do not run again.
    pub(crate) results: Results,
    pub(crate) programs: Programs,
    pub(crate) recorder: Recorder,
    /// The command that goes on with the session.
    pub(crate) resume: String,
    /// True if events are printed, and not only the reply.
    pub(crate) streams: bool,
}

impl PlanRun {
    /// Returns true if a step runs a program.
    pub(super) fn has_programs(&self) -> bool {
        let mut steps = self.contract.steps.iter();
        steps.any(|step| self.programs.has(step))
    }

    /// Fails if the plan is impossible, before anything of it runs.
    ///
    /// # Errors
    /// A `CONTRACT_VIOLATION` for each tool, argument, reference and placeholder that leads
    /// nowhere.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let found = violations(&self.contract, &self.programs);
        if found.is_empty() {
            return Ok(());
        }
        let end = EndStatus::failed(Code::ContractViolation);
        self.recorder.end(end)?;
        Err(Diagnostic::truncate(found).into())
    }

    /// Runs the steps, and prints the reply.
    ///
    /// # Errors
    /// `STEP_FAILED` if a step has failed; the reply is printed nevertheless.
    pub(crate) fn run(mut self, io: &mut Io<'_>) -> Result<(), Failure> {
        self.programs.cx.cancel = io.signals.begin();
        let nodes = self.contract.steps.iter();
        let nodes = nodes.map(|step| Node::new(&*step.save_as));
        // The names of steps are unique, so only their number can be wrong.
        let graph = Graph::chain(nodes.collect()).map_err(|error| {
            Diagnostic::new(Code::ContractViolation, error.to_string()).with_pointer("/tool_plan")
        })?;
        let work = Arc::new(PlanWork::new(self));
        let (run, contract) = (&work.run, &work.run.contract);
        let (recorder, cancel) = (&run.recorder, &run.programs.cx.cancel);
        let mut events = PlanEvents {
            record: Events::new(work.clone(), recorder.clone(), cancel.clone()),
            work: &work,
            io,
            failure: None,
        };
        events.begin();
        let options = Options {
            on_failure: OnFailure::Stop,
            done: run.results.nodes.clone(),
            cancel: cancel.clone(),
            ..Options::default()
        };
        let states = execute(graph, work.clone(), options, &mut events).states;
        let last = last_result(contract, &states);
        let reply = hydrate(&contract.visible_reply, &last, &work.left.lock().records);
        let recorded = reply.as_ref().map_or(Ok(()), |reply| {
            events.reply(reply);
            recorder.reply(reply)
        });
        let resume = recorder.has_session().then_some(run.resume.as_str());
        let failure = failure(contract, &states, resume);
        let failed = failure.as_ref().or(reply.as_ref().err().map(Box::as_ref));
        let ended = recorder.end(match failed {
            _ if cancel.is_cancelled() => EndStatus::Cancelled,
            None => EndStatus::Completed,
            Some(failure) => EndStatus::failed(failure.code),
        });
        let printed = events.failure.map_or(Ok(()), Err);
        let written = events.record.failure.map_or(Ok(()), Err);
        printed?;
        written.and(recorded).and(ended)?;
        reply?;
        let Some(failure) = failure else {
            return Ok(());
        };
        // After a signal, nothing is reported any more.
        if io.signals.is_interrupted() {
            io.report(Severity::Error, &failure);
        }
        Err(failure.into())
    }
}

/// The reasons why a plan cannot run: tools that are not there, arguments that do not match,
/// references to nothing, to later steps and to the step itself, placeholders of nothing.
pub(crate) fn violations(contract: &Contract, programs: &Programs) -> Vec<Diagnostic> {
    let violation = |message: String, pointer: String| {
        Diagnostic::new(Code::ContractViolation, message).with_pointer(pointer)
    };
    let mut found = Vec::new();
    let all: BTreeSet<&str> = contract.steps.iter().map(|it| &*it.save_as).collect();
    let mut before = BTreeSet::new();
    for (index, step) in contract.steps.iter().enumerate() {
        let at = |key: &str| format!("/tool_plan/{index}/{key}");
        let mut references = Vec::new();
        each_reference(step, |pointer, name| {
            references.push(pointer.to_owned());
            let message = if before.contains(name) {
                return;
            } else if name == step.save_as {
                format!("the step refers to its own result, `{name}`")
            } else if all.contains(name) {
                format!("the step refers to the result of a later step, `{name}`")
            } else {
                format!("no step saves a result as `{name}`")
            };
            let otherwise = "refer to an earlier step by its `save_as`";
            let violation = violation(message, at(&format!("args{pointer}")));
            found.push(violation.meant_or(name, before.iter().copied(), otherwise));
        });
        if let Some(tool) = step.called() {
            let arguments = Arguments::from(step.args.clone().unwrap_or_default());
            let wrong = if programs.has(step) {
                Ok(programs.mistakes(step))
            } else {
                programs.registry.find(tool).map(|tool| {
                    let wrong = tool.accept(arguments).err();
                    wrong.map_or_else(Vec::new, |error| error.diagnostics(&tool))
                })
            };
            match wrong {
                Ok(wrong) => {
                    // The value of a reference is not known yet.
                    let is_known = |it: &Diagnostic| {
                        let pointer = it.pointer.as_deref().unwrap_or_default();
                        !references.iter().any(|reference| {
                            pointer.starts_with(reference)
                                || (!pointer.is_empty() && reference.starts_with(pointer))
                        })
                    };
                    found.extend(wrong.into_iter().filter(is_known).map(|it| {
                        let at = at(&format!(
                            "args{}",
                            it.pointer.as_deref().unwrap_or_default()
                        ));
                        let mut wrong = violation(it.message, at).with_subject(tool);
                        wrong.hints = it.hints;
                        wrong
                    }));
                }
                Err(error) => found.extend(error.diagnostics().into_iter().map(|it| {
                    let message = match it.code {
                        Code::ToolNotFound => format!("no tool is named `{tool}`"),
                        _ => it.summary(),
                    };
                    let mut missing = violation(message, at("tool"));
                    missing.hints = it.hints;
                    missing
                })),
            }
        }
        before.insert(&*step.save_as);
    }
    for name in of_reply(&contract.visible_reply) {
        if !all.contains(name) {
            let message = format!("no step saves a result as `{name}`");
            let violation = violation(message, pointer::child("", "visible_reply"));
            let otherwise = "name a step by its `save_as`";
            found.push(violation.meant_or(name, all.iter().copied(), otherwise));
        }
    }
    found
}

/// The result of the last step with a tool that has one.
fn last_result(contract: &Contract, states: &BTreeMap<String, State>) -> Value {
    let steps = contract.steps.iter().rev();
    let calls = steps.filter(|it| it.called().is_some());
    let mut results = calls.filter_map(|step| match states.get(&step.save_as) {
        Some(State::Succeeded(value)) => Some((**value).clone()),
        _ => None,
    });
    results.next().unwrap_or_default()
}

/// The step that has failed, or the interruption, if there is one, and the states of the others.
fn failure(
    contract: &Contract,
    states: &BTreeMap<String, State>,
    resume: Option<&str>,
) -> Option<Diagnostic> {
    let failed = contract.steps.iter().find_map(|step| {
        let State::Failed(failure) = states.get(&step.save_as)? else {
            return None;
        };
        Some((&*step.save_as, &failure.diagnostic))
    });
    let is_cancelled = |state: &State| *state == State::Skipped(SkipReason::Cancelled);
    let mut diagnostic = match failed {
        Some((step, reason)) => {
            let message = format!("{}: {}", reason.code.name(), reason.summary());
            let mut diagnostic = Diagnostic::new(Code::StepFailed, message).with_subject(step);
            diagnostic.details.clone_from(&reason.details);
            diagnostic.hints.clone_from(&reason.hints);
            diagnostic
        }
        None if states.values().any(is_cancelled) => {
            Diagnostic::new(Code::StepFailed, "the run was interrupted")
        }
        None => return None,
    };
    if let Some(resume) = resume {
        let count = |matches: fn(&State) -> bool| {
            pluralize(states.values().filter(|it| matches(it)).count(), "step")
        };
        let done = count(|state| matches!(state, State::Succeeded(_)));
        let skipped = count(|state| matches!(state, State::Skipped(_)));
        let hint = format!("{done} done, {skipped} skipped; `{resume}` goes on here");
        let replan = resume.replacen("resume", "replan", 1);
        diagnostic = diagnostic
            .hint(hint)
            .hint(format!("`{replan}` asks a model for another way"));
    }
    Some(diagnostic)
}

/// The steps of a plan that runs.
struct PlanWork {
    run: PlanRun,
    left: Mutex<Left>,
}

/// Results of the steps so far, and facts about the step that runs. References are resolved in
/// place: copies of all records for each step would take quadratic time.
#[derive(Default)]
struct Left {
    /// The call of the step, until it is made; none if it calls nothing.
    prepared: Option<Result<Option<Prepared>, Box<Diagnostic>>>,
    done: Done,
    records: Records,
}

/// A call that is ready.
enum Prepared {
    Tool(Call),
    Program(Box<Run>),
}

/// Facts about a step.
#[derive(Clone, Debug, Default)]
struct Done {
    /// The arguments of the call, with references replaced.
    args: Option<Map<String, Value>>,
    started: String,
    ended: String,
    /// The standard error of the tool's program.
    log: String,
}

impl PlanWork {
    /// The steps of `run`, of which some may have results of an earlier run.
    fn new(run: PlanRun) -> Self {
        let mut left = Left::default();
        for step in &run.contract.steps {
            if let Some(value) = run.results.nodes.get(&step.save_as) {
                left.keep(step, &Ok(value.clone()));
            }
        }
        Self {
            run,
            left: Mutex::new(left),
        }
    }

    /// The step `save_as`.
    fn step(&self, save_as: &str) -> Option<&Step> {
        let mut steps = self.run.contract.steps.iter();
        steps.find(|step| step.save_as == save_as)
    }

    /// The facts about the step that runs, or has ended last.
    fn done(&self) -> Done {
        self.left.lock().done.clone()
    }

    /// Prepares the call of a step; `None` if it calls nothing. Its arguments are in `resolved` as
    /// soon as they are known.
    fn prepare(
        &self,
        step: &Step,
        resolved: &mut Option<Map<String, Value>>,
    ) -> Result<Option<Prepared>, Box<Diagnostic>> {
        let Some(tool) = step.called() else {
            return Ok(None);
        };
        let args = Value::Object(step.args.clone().unwrap_or_default());
        let args = resolve(args, &self.left.lock().records).map_err(Diagnostic::merge)?;
        let Value::Object(args) = args else {
            let message = "arguments that are no object";
            return Err(Box::new(Diagnostic::new(Code::Internal, message)));
        };
        *resolved = Some(args.clone());
        if self.run.programs.has(step) {
            let run = program::accept(args).map_err(Diagnostic::merge)?;
            return Ok(Some(Prepared::Program(Box::new(run))));
        }
        let programs = &self.run.programs;
        let call = programs.registry.prepare(tool, Arguments::from(args));
        let call = call.map_err(Diagnostic::merge)?;
        call.check(&programs.cx).map_err(Diagnostic::merge)?;
        Ok(Some(Prepared::Tool(call)))
    }

    /// Runs a step that was prepared. Returns its result, and the standard error of its program.
    fn call(&self, step: &Step, attempt: &Attempt) -> (Result<Value, Box<Diagnostic>>, String) {
        let prepared = self.left.lock().prepared.take();
        let call = match prepared {
            Some(Ok(Some(Prepared::Tool(call)))) => call,
            Some(Ok(Some(Prepared::Program(run)))) => {
                let within = (&self.run.recorder, &attempt.cancel);
                return self.run.programs.run(&step.save_as, *run, within);
            }
            Some(Ok(None)) => return (Ok(step.reason.as_str().into()), String::new()),
            Some(Err(diagnostic)) => return (Err(diagnostic), String::new()),
            None => {
                let diagnostic = Diagnostic::new(Code::Internal, "a step that is not prepared");
                return (Err(Box::new(diagnostic)), String::new());
            }
        };
        let limit = call.limit();
        let cx = self.run.programs.cx.clone().ended_by(&attempt.cancel);
        match call_timeout::run_within(&limit, &attempt.cancel, move || call.run(&cx)) {
            Ok(mut output) => {
                let log = std::mem::take(&mut output.stderr);
                (value_of(output), log)
            }
            Err(diagnostics) => (Err(Diagnostic::merge(diagnostics)), String::new()),
        }
    }
}

impl Left {
    /// Keeps the end of `step`, for those after it and for the reply.
    fn keep(&mut self, step: &Step, result: &Result<Value, Box<Diagnostic>>) {
        let tool = &step.tool;
        let record = match result {
            Ok(value) => json!({"result": value, "status": "executed", "tool": tool}),
            Err(error) => json!({"status": "failed", "tool": tool, "error": error.summary()}),
        };
        if let Some(record) = Record::of(record) {
            self.records.insert(step.save_as.clone(), record);
        }
    }
}

impl Work for PlanWork {
    fn run(&self, attempt: &Attempt) -> Result<Completion, StepFailure> {
        let Some(step) = self.step(attempt.node()) else {
            let diagnostic = Diagnostic::new(Code::Internal, "no such step");
            return Err(StepFailure::is_final(diagnostic));
        };
        let started = Timestamp::now().to_string();
        let (result, log) = self.call(step, attempt);
        let mut left = self.left.lock();
        left.keep(step, &result);
        left.done.started = started;
        left.done.ended = Timestamp::now().to_string();
        left.done.log = log;
        drop(left);
        let failed = |error: Box<Diagnostic>| StepFailure::is_final(*error);
        result.map(Completion::Done).map_err(failed)
    }
}

impl RecordedWork for PlanWork {
    /// References are replaced, and the call is checked. The start of a step that calls nothing,
    /// or that cannot be called, is not recorded.
    fn start(&self, save_as: &str) -> Option<NodeEvent> {
        let step = self.step(save_as)?;
        let mut args = None;
        let prepared = self.prepare(step, &mut args);
        let is_call = matches!(prepared, Ok(Some(_)));
        let mut left = self.left.lock();
        left.prepared = Some(prepared);
        left.done = Done {
            args: args.clone(),
            ..Done::default()
        };
        is_call.then(|| NodeEvent {
            tool: step.tool.clone(),
            inputs: args.map(Value::Object),
            ..NodeEvent::default()
        })
    }

    fn take_outcome(&self, _: &str) -> NodeEvent {
        NodeEvent {
            logs: first_lines(self.done().log.lines()),
            ..NodeEvent::default()
        }
    }
}

/// Records events, and prints them as `--stream-json` does, or only the reply.
struct PlanEvents<'a, 'io> {
    record: Events,
    work: &'a PlanWork,
    io: &'a mut Io<'io>,
    /// The reason why nothing can be printed any more.
    failure: Option<Failure>,
}

impl PlanEvents<'_, '_> {
    /// Prints the plan, and the steps that have their results from an earlier run.
    fn begin(&mut self) {
        let run = &self.work.run;
        let shown =
            |it: &Step| json!({"save_as": it.save_as, "tool": it.tool, "reason": it.reason});
        let steps: Value = run.contract.steps.iter().map(shown).collect();
        self.event(&json!({"event": "plan", "steps": steps}));
        for step in &run.contract.steps {
            if let Some(result) = run.results.nodes.get(&step.save_as) {
                self.step(&step.save_as, "executed", json!({ "result": result }));
            }
        }
    }

    fn reply(&mut self, text: &str) {
        if self.work.run.streams {
            self.event(&json!({"event": "reply", "text": text}));
        } else if self.failure.is_none() {
            self.failure = self.io.show(&format!("{text}\n")).err();
        }
    }

    fn event(&mut self, event: &Value) {
        if self.work.run.streams && self.failure.is_none() {
            self.failure = self.io.show_json(&format!("{event}\n")).err();
        }
    }

    /// Prints that a step has reached a state, with `more` about it.
    fn step(&mut self, save_as: &str, state: &str, more: Value) {
        let mut event = json!({"event": "step", "save_as": save_as, "state": state});
        if let (Value::Object(event), Value::Object(more)) = (&mut event, more) {
            event.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
        }
        self.event(&event);
    }

    /// Prints the end of a step.
    fn ended(&mut self, save_as: &str, state: &str, end: (&str, Value), duration: Duration) {
        let done = self.work.done();
        for line in done.log.lines().take(MAX_LOG_LINES) {
            self.event(&json!({"event": "log", "text": line}));
        }
        let (key, end) = end;
        let more = json!({
            "args": done.args,
            key: end,
            "startedAt": done.started,
            "endedAt": done.ended,
            "ms": millis(duration),
        });
        self.step(save_as, state, more);
    }
}

impl Observer for PlanEvents<'_, '_> {
    fn on(&mut self, event: &Event<'_>) -> Result<(), Stop> {
        self.record.on(event)?;
        match *event {
            Event::Started { node, .. } => {
                let is_call = matches!(self.work.left.lock().prepared, Some(Ok(Some(_))));
                if is_call {
                    let args = self.work.done().args;
                    self.step(node, "executing", json!({ "args": args }));
                }
            }
            Event::Succeeded {
                node,
                value,
                duration,
            } => self.ended(node, "executed", ("result", value.clone()), duration),
            Event::Failed {
                node,
                failure,
                duration,
            } => {
                let error = &failure.diagnostic;
                let error = json!({"code": error.code.name(), "message": error.summary()});
                self.ended(node, "failed", ("error", error), duration);
            }
            Event::Skipped { node, reason } => {
                let because = match reason {
                    SkipReason::Needs(step) | SkipReason::Stopped(step) => {
                        let message = format!("`{step}` failed");
                        json!({"error": {"code": Code::StepFailed.name(), "message": message}})
                    }
                    SkipReason::Condition | SkipReason::Cancelled => Value::Null,
                };
                self.step(node, "skipped", because);
            }
            Event::Retrying { .. } => {}
        }
        self.failure.as_ref().map_or(Ok(()), |_| Err(Stop))
    }
}
