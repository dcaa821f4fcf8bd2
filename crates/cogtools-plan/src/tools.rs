//! What the steps of a plan do: each calls one tool of the project, with the results of earlier
//! steps in its arguments.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cogtools_core::arguments::Arguments;
use cogtools_core::{Code, Context, Diagnostic, Limit, Registry, ToolOutput};
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
    done: BTreeMap<String, Done>,
    records: Records,
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
    /// The `steps`, whose tools are those of `registry`.
    pub(crate) fn new(steps: &[Step], registry: Registry, cx: Context) -> Self {
        let steps = steps
            .iter()
            .map(|step| (step.save_as().to_owned(), step.clone()));
        Self {
            steps: steps.collect(),
            registry,
            cx,
            left: Mutex::default(),
        }
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

    /// Runs a step. What it did is in `done`, even if it fails.
    fn call(
        &self,
        step: &Step,
        attempt: &Attempt,
        done: &mut Done,
    ) -> Result<Value, Box<Diagnostic>> {
        let Some(tool) = step.tool().filter(|_| step.needs_tool()) else {
            return Ok(step.reason().into());
        };
        let args = Value::Object(step.args().cloned().unwrap_or_default());
        let args = resolve(args, &self.lock().records).map_err(first)?;
        done.args = Some(args.clone());
        let Value::Object(args) = args else {
            let message = "arguments that are no object";
            return Err(Box::new(Diagnostic::new(Code::Internal, message)));
        };
        let call = self.registry.prepare(tool, Arguments::from(args));
        let call = call.map_err(first)?;
        let limit = Limit::of(call.tool());
        let cx = Context {
            cancel: attempt.cancel().clone(),
            ..self.cx.clone()
        };
        let output = call_timeout::run_within(&limit, attempt.cancel(), move || call.run(&cx));
        let output = output.map_err(first)?;
        done.log.clone_from(&output.stderr);
        Ok(value(output))
    }
}

impl Work for ProjectSteps {
    fn run(&self, attempt: &Attempt) -> Result<Completion, Failure> {
        let Some(step) = self.steps.get(attempt.node()) else {
            let diagnostic = Diagnostic::new(Code::Internal, "no such step");
            return Err(Failure::is_final(diagnostic));
        };
        let mut done = Done {
            started: Timestamp::now().to_string(),
            ..Done::default()
        };
        let result = self.call(step, attempt, &mut done);
        done.ended = Timestamp::now().to_string();
        let record = match &result {
            Ok(value) => json!({"result": value, "status": "executed", "tool": step.tool()}),
            Err(error) => {
                json!({"status": "failed", "tool": step.tool(), "error": error.summary()})
            }
        };
        let name = attempt.node().to_owned();
        let mut left = self.lock();
        if let Some(record) = Record::of(record) {
            left.records.insert(name.clone(), record);
        }
        left.done.insert(name, done);
        drop(left);
        let failed = |error: Box<Diagnostic>| Failure::is_final(*error);
        result.map(Completion::Done).map_err(failed)
    }
}

/// The output as a step refers to it: JSON where the tool declares it.
fn value(output: ToolOutput) -> Value {
    output.value.unwrap_or(Value::String(output.text))
}

/// The first of several diagnostics; the others are about the same call.
fn first(diagnostics: Vec<Diagnostic>) -> Box<Diagnostic> {
    let mut diagnostics = diagnostics.into_iter();
    let first = diagnostics.next();
    let mut first = first.unwrap_or_else(|| Diagnostic::new(Code::Internal, "no reason"));
    first
        .hints
        .extend(diagnostics.map(|other| other.summary().into()));
    Box::new(first)
}
