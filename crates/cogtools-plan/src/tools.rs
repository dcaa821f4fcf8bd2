//! What the steps of a plan do: each calls one tool of the project, with the results of earlier
//! steps in its arguments.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cogtools_core::arguments::Arguments;
use cogtools_core::{Call, Code, Context, Diagnostic, Registry, ToolOutput};
use cogtools_executor::{Attempt, Completion, Failure, Work};
use cogtools_log::Timestamp;
use cogtools_program::call_timeout;
use serde_json::{Value, json};

use crate::hydrate::hydrate;
use crate::limit::TooLarge;
use crate::record::{Record, Records};
use crate::resolve::resolve;
use crate::step::Step;

/// The steps of a plan, and what they have left.
pub(crate) struct ProjectSteps {
    steps: BTreeMap<String, Step>,
    registry: Registry,
    cx: Context,
    left: Mutex<Left>,
}

/// What the steps have left so far. References are resolved in place: copies of all records for
/// each step would take quadratic time.
#[derive(Debug, Default)]
struct Left {
    prepared: BTreeMap<String, Result<Prepared, Box<Diagnostic>>>,
    done: BTreeMap<String, Done>,
    records: Records,
}

/// What a step will do.
#[derive(Debug)]
enum Prepared {
    /// It calls nothing.
    Note,
    /// It calls a tool, with arguments that match.
    Call(Call),
}

/// What a step has left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    /// The arguments of the call, with references replaced.
    pub(crate) args: Option<Value>,
    pub(crate) started: String,
    pub(crate) ended: String,
    /// What the tool's program has written to standard error.
    pub(crate) log: String,
}

impl ProjectSteps {
    /// The `steps`, whose tools are those of `registry`. Those of an earlier run have `results`.
    pub(crate) fn new(
        steps: &[Step],
        results: &BTreeMap<String, Value>,
        registry: Registry,
        cx: Context,
    ) -> Self {
        let mut left = Left::default();
        for step in steps {
            if let Some(value) = results.get(step.save_as()) {
                left.keep(step, &Ok(value.clone()));
            }
        }
        let steps = steps
            .iter()
            .map(|step| (step.save_as().to_owned(), step.clone()));
        Self {
            steps: steps.collect(),
            registry,
            cx,
            left: Mutex::new(left),
        }
    }

    /// Prepares a step: references are replaced, and the call is checked. Returns the arguments of
    /// the call; `None` if there will be none, because the step calls nothing, or fails.
    pub(crate) fn prepare(&self, save_as: &str) -> Option<Value> {
        let step = self.steps.get(save_as)?;
        let mut args = None;
        let prepared = self.prepare_step(step, &mut args);
        let is_call = matches!(prepared, Ok(Prepared::Call(_)));
        let mut left = self.lock();
        left.prepared.insert(save_as.to_owned(), prepared);
        let done = left.done.entry(save_as.to_owned()).or_default();
        done.args.clone_from(&args);
        args.filter(|_| is_call)
    }

    /// The tool of the step `save_as`, if it calls one.
    pub(crate) fn tool(&self, save_as: &str) -> Option<&str> {
        let step = self.steps.get(save_as)?;
        step.tool().filter(|_| step.needs_tool())
    }

    /// What the step `save_as` has left so far.
    pub(crate) fn done(&self, save_as: &str) -> Done {
        self.lock().done.get(save_as).cloned().unwrap_or_default()
    }

    /// Fills the results of all steps that have ended into a reply.
    pub(crate) fn hydrate(&self, template: &str, last: &Value) -> Result<String, TooLarge> {
        hydrate(template, last, &self.lock().records)
    }

    fn lock(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prepares a step. Its arguments are in `resolved` as soon as they are known.
    fn prepare_step(
        &self,
        step: &Step,
        resolved: &mut Option<Value>,
    ) -> Result<Prepared, Box<Diagnostic>> {
        let Some(tool) = step.tool().filter(|_| step.needs_tool()) else {
            return Ok(Prepared::Note);
        };
        let args = Value::Object(step.args().cloned().unwrap_or_default());
        let args = resolve(args, &self.lock().records).map_err(Diagnostic::merge)?;
        *resolved = Some(args.clone());
        let Value::Object(args) = args else {
            let message = "arguments that are no object";
            return Err(Box::new(Diagnostic::new(Code::Internal, message)));
        };
        let call = self.registry.prepare(tool, Arguments::from(args));
        let call = call.map_err(Diagnostic::merge)?;
        call.check(&self.cx).map_err(Diagnostic::merge)?;
        Ok(Prepared::Call(call))
    }

    /// Runs a step that was prepared. Returns its result, and what its program has logged.
    fn call(&self, step: &Step, attempt: &Attempt) -> (Result<Value, Box<Diagnostic>>, String) {
        let prepared = self.lock().prepared.remove(step.save_as());
        let call = match prepared {
            Some(Ok(Prepared::Call(call))) => call,
            Some(Ok(Prepared::Note)) => return (Ok(step.reason().into()), String::new()),
            Some(Err(diagnostic)) => return (Err(diagnostic), String::new()),
            None => {
                let diagnostic = Diagnostic::new(Code::Internal, "a step that is not prepared");
                return (Err(Box::new(diagnostic)), String::new());
            }
        };
        let limit = call.limit();
        let cx = Context {
            cancel: attempt.cancel().clone(),
            ..self.cx.clone()
        };
        match call_timeout::run_within(&limit, attempt.cancel(), move || call.run(&cx)) {
            Ok(mut output) => {
                let log = std::mem::take(&mut output.stderr);
                (Ok(value(output)), log)
            }
            Err(diagnostics) => (Err(Diagnostic::merge(diagnostics)), String::new()),
        }
    }
}

impl Left {
    /// Keeps how `step` has ended, for those after it and for the reply.
    fn keep(&mut self, step: &Step, result: &Result<Value, Box<Diagnostic>>) {
        let record = match result {
            Ok(value) => json!({"result": value, "status": "executed", "tool": step.tool()}),
            Err(error) => {
                json!({"status": "failed", "tool": step.tool(), "error": error.summary()})
            }
        };
        if let Some(record) = Record::of(record) {
            self.records.insert(step.save_as().to_owned(), record);
        }
    }
}

impl Work for ProjectSteps {
    fn run(&self, attempt: &Attempt) -> Result<Completion, Failure> {
        let Some(step) = self.steps.get(attempt.node()) else {
            let diagnostic = Diagnostic::new(Code::Internal, "no such step");
            return Err(Failure::is_final(diagnostic));
        };
        let started = Timestamp::now().to_string();
        let (result, log) = self.call(step, attempt);
        let mut left = self.lock();
        left.keep(step, &result);
        let done = left.done.entry(step.save_as().to_owned()).or_default();
        done.started = started;
        done.ended = Timestamp::now().to_string();
        done.log = log;
        drop(left);
        let failed = |error: Box<Diagnostic>| Failure::is_final(*error);
        result.map(Completion::Done).map_err(failed)
    }
}

/// The output as a step refers to it: JSON where the tool declares it.
fn value(output: ToolOutput) -> Value {
    output.value.unwrap_or(Value::String(output.text))
}
