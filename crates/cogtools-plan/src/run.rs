//! `cogtools plan run`: the steps of a plan, one after the other, through the project's tools.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic};
use cogtools_executor::{Graph, GraphError, Node, OnFailure, Options, State, execute};
use cogtools_program::args::{
    EnvArgs, FilterArgs, RegistryArgs, filter_args, locked_arg, locked_from_matches, sandbox_arg,
    system_env_arg,
};
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Input, Io, named_file, text_input};
use serde_json::Value;

use crate::contract::Contract;
use crate::events::Events;
use crate::hydrate::hydrate;
use crate::limit::TooLarge;
use crate::step::Step;
use crate::tools::ProjectSteps;

/// The command.
pub(crate) fn command() -> Command {
    Command::new("run")
        .about("Run the steps of a plan, and print its reply")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The plan; by default, standard input"),
        )
        .arg(
            Arg::new("stream-json")
                .long("stream-json")
                .action(ArgAction::SetTrue)
                .help("Print what happens, one JSON object per line"),
        )
        .arg(system_env_arg())
        .arg(sandbox_arg())
        .arg(locked_arg())
        .args(filter_args())
}

/// Runs the plan that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let text = match matches.get_one::<PathBuf>("file") {
        Some(path) => text_input::utf8(named_file::read(path, Input::MAX_BYTES, io)?)?,
        None => text_input::read_text(io, "cogtools plan run < plan.json")?,
    };
    let contract = Contract::parse(&text)?;
    let registry = RegistryArgs {
        filter: FilterArgs::from_matches(matches),
        env: EnvArgs::from_matches(matches),
        refresh: false,
        locked: locked_from_matches(matches),
        lenient: false,
    };
    let (registry, context) = registry_and_context(&registry, io, None)?;
    let cx = context.context(io);
    let options = Options {
        max_parallel: 1,
        on_failure: OnFailure::Stop,
        done: std::collections::BTreeMap::new(),
        cancel: cx.cancel.clone(),
    };
    let steps = contract.steps();
    let nodes = steps.iter().map(|step| Node::new(step.save_as()));
    let graph = Graph::chain(nodes.collect()).map_err(|error| too_many(&error))?;
    let work = Arc::new(ProjectSteps::new(steps, registry, cx));
    let streams = matches.get_flag("stream-json");
    let mut events = Events::new(io, streams, Arc::clone(&work));
    events.plan(steps);
    let execution = execute(graph, Arc::clone(&work) as _, options, &mut events);
    let last = last_result(steps.iter().map(Step::save_as), &execution.states);
    let reply = hydrate(contract.visible_reply(), &last, &work.records());
    let reply = reply.map_err(TooLarge::diagnostic)?;
    events.reply(&reply);
    events.finish()?;
    let failed = steps.iter().find_map(|step| {
        let state = execution.states.get(step.save_as())?;
        let State::Failed(failure) = state else {
            return None;
        };
        Some((step.save_as(), failure))
    });
    match failed {
        Some((step, failure)) => Err(step_failed(step, &failure.diagnostic).into()),
        None => Ok(()),
    }
}

/// The result of the last step that has one.
fn last_result<'s>(
    steps: impl DoubleEndedIterator<Item = &'s str>,
    states: &std::collections::BTreeMap<String, State>,
) -> Value {
    let result = |step: &str| match states.get(step) {
        Some(State::Succeeded(value)) => Some((**value).clone()),
        _ => None,
    };
    steps.rev().find_map(result).unwrap_or_default()
}

fn step_failed(step: &str, reason: &Diagnostic) -> Diagnostic {
    let message = format!("{}: {}", reason.code.name(), reason.summary());
    let mut diagnostic = Diagnostic::new(Code::StepFailed, message).with_subject(step);
    diagnostic.details.clone_from(&reason.details);
    diagnostic.hints.clone_from(&reason.hints);
    diagnostic
}

/// The names of steps are unique, so only their number can be wrong.
fn too_many(error: &GraphError) -> Diagnostic {
    Diagnostic::new(Code::ContractViolation, error.to_string()).with_pointer("/tool_plan")
}
