//! A run of a plan: its steps one after the other, then its reply.

use std::collections::BTreeMap;
use std::sync::Arc;

use cogtools_core::{Code, Context, Diagnostic, Registry};
use cogtools_executor::{Graph, GraphError, Node, OnFailure, Options, State, execute};
use cogtools_log::EndStatus;
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io};
use serde_json::Value;

use crate::contract::Contract;
use crate::events::Events;
use crate::limit::TooLarge;
use crate::recorder::Recorder;
use crate::step::Step;
use crate::tools::ProjectSteps;

/// A plan with everything that it runs with.
pub(crate) struct PlanRun {
    pub(crate) contract: Contract,
    /// Results of an earlier run: these steps do not run again.
    pub(crate) done: BTreeMap<String, Value>,
    pub(crate) registry: Registry,
    pub(crate) cx: Context,
    pub(crate) recorder: Recorder,
    /// Whether events are printed, and not only the reply.
    pub(crate) streams: bool,
}

impl PlanRun {
    /// Runs the steps, and prints the reply.
    ///
    /// # Errors
    ///
    /// `STEP_FAILED` if a step has failed; the reply is printed nevertheless.
    pub(crate) fn run(self, io: &mut Io<'_>) -> Result<(), Failure> {
        let Self { contract, done, .. } = self;
        let steps = contract.steps();
        let nodes = steps.iter().map(|step| Node::new(step.save_as()));
        let graph = Graph::chain(nodes.collect()).map_err(|error| too_many(&error))?;
        let cancel = self.cx.cancel.clone();
        let work = Arc::new(ProjectSteps::new(steps, &done, self.registry, self.cx));
        let resume = self.recorder.resume().map(str::to_owned);
        let to = (&mut *io, self.streams);
        let mut events = Events::new(to, Arc::clone(&work), self.recorder, cancel.clone());
        events.plan(&contract);
        for (name, value) in steps
            .iter()
            .filter_map(|step| done.get_key_value(step.save_as()))
        {
            events.reused(name, value);
        }
        let options = Options {
            max_parallel: 1,
            on_failure: OnFailure::Stop,
            done,
            cancel: cancel.clone(),
        };
        let states = execute(graph, Arc::clone(&work) as _, options, &mut events).states;
        let last = last_result(&contract, &states);
        let reply = work.hydrate(contract.visible_reply(), &last);
        let reply = reply.map_err(TooLarge::diagnostic)?;
        events.reply(&reply);
        let failure = failure(&contract, &states, resume.as_deref());
        events.finish(match &failure {
            _ if cancel.is_cancelled() => EndStatus::Cancelled,
            None => EndStatus::Completed,
            Some(_) => EndStatus::Failed {
                code: Code::StepFailed.name().to_owned(),
            },
        })?;
        failure.map_or(Ok(()), |diagnostic| Err(diagnostic.into()))
    }
}

/// The result of the last step with a tool that has one.
fn last_result(contract: &Contract, states: &BTreeMap<String, State>) -> Value {
    let calls = contract.steps().iter().filter(|step| step.needs_tool());
    let result = |step: &str| match states.get(step) {
        Some(State::Succeeded(value)) => Some((**value).clone()),
        _ => None,
    };
    let mut names = calls.map(Step::save_as).rev();
    names.find_map(result).unwrap_or_default()
}

/// The step that has failed, if one has, and what became of the others.
fn failure(
    contract: &Contract,
    states: &BTreeMap<String, State>,
    resume: Option<&str>,
) -> Option<Diagnostic> {
    let (step, reason) = contract.steps().iter().find_map(|step| {
        let State::Failed(failure) = states.get(step.save_as())? else {
            return None;
        };
        Some((step.save_as(), &failure.diagnostic))
    })?;
    let message = format!("{}: {}", reason.code.name(), reason.summary());
    let mut diagnostic = Diagnostic::new(Code::StepFailed, message).with_subject(step);
    diagnostic.details.clone_from(&reason.details);
    diagnostic.hints.clone_from(&reason.hints);
    if let Some(resume) = resume {
        let count = |matches: fn(&State) -> bool| {
            let count = states.values().filter(|state| matches(state)).count();
            pluralize(count, "step")
        };
        let done = count(|state| matches!(state, State::Succeeded(_)));
        let skipped = count(|state| matches!(state, State::Skipped(_)));
        let hint = format!("{done} done, {skipped} skipped; `{resume}` goes on here");
        diagnostic = diagnostic.hint(hint);
    }
    Some(diagnostic)
}

/// The names of steps are unique, so only their number can be wrong.
fn too_many(error: &GraphError) -> Diagnostic {
    Diagnostic::new(Code::ContractViolation, error.to_string()).with_pointer("/tool_plan")
}
