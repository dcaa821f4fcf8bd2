//! `cogtools flow node`: exactly one node, for engines that run flows themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Context, Diagnostic};
use cogtools_executor::{
    Attempt, Completion, Failure as NodeFailure, Graph, Node, OnFailure, Options, SkipReason,
    State, Work, execute,
};
use cogtools_program::args::{RegistryArgs, required};
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value};

use crate::earlier::EarlierResults;
use crate::execution::Events;
use crate::graph;
use crate::inputs::{self, NodeInputs};
use crate::pins::{self, Pins};
use crate::recorder::SharedRecorder;
use crate::run::{answer_arg, answers};
use crate::target;
use crate::work::FlowWork;

/// The descriptor on which events are written, if it is there.
const EVENTS: &str = "/dev/fd/3";

/// A node with its variables.
struct SingleNode {
    work: Arc<FlowWork>,
    variables: Map<String, Value>,
    /// The number of the attempt, from 1.
    attempt: u32,
}

/// The command.
pub(crate) fn command() -> Command {
    Command::new("node")
        .about("Run one node of a flow, and print its result as JSON")
        .arg(target::arg())
        .arg(
            Arg::new("node")
                .value_name("NODE")
                .required(true)
                .help("The node"),
        )
        .arg(inputs::file_arg())
        .arg(answer_arg())
        .arg(
            Arg::new("attempt")
                .long("attempt")
                .value_name("NUMBER")
                .value_parser(value_parser!(u32).range(1..))
                .default_value("1")
                .hide_default_value(true)
                .help("The number of the attempt, from 1: models are asked with another seed"),
        )
        .arg(
            Arg::new("parent")
                .long("parent")
                .value_name("PID")
                .value_parser(value_parser!(u32))
                .help("Run nothing unless this process is the parent: it has not ended yet"),
        )
        .arg(pins::arg())
        .args(RegistryArgs::options())
}

/// Runs the node that the command line names. One that is skipped has null.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let (registry, context) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let tool = target::find(&target::name(matches)?, &registry, io)?;
    let id: String = required(matches, "node")?;
    let node = inputs::node(tool.flow(), &id)?;
    pins::check(matches, &id, || Pins::new(&tool, &registry, io)?.node(node))?;
    let variables = NodeInputs::read(matches, &tool, io)?.variables(node)?;
    let single = Node {
        timeout: graph::node(node).timeout,
        ..Node::new(id.as_str())
    };
    // It ends with the engine that started it, even if that was killed.
    let cx = Context {
        cancel: io.signals.begin(),
        ..context.context(io)
    };
    check_parent(matches)?;
    let options = Options {
        max_parallel: 1,
        on_failure: OnFailure::Stop,
        done: BTreeMap::new(),
        cancel: cx.cancel.clone(),
    };
    let recorder = SharedRecorder::of_descriptor(EVENTS);
    let work = Arc::new(FlowWork::new(
        (tool, Map::new()),
        (registry, cx),
        (answers(matches)?, BTreeMap::new()),
        (recorder, EarlierResults::default()),
    )?);
    let mut events = Events::new(&work);
    let single_node = SingleNode {
        work,
        variables,
        attempt: required(matches, "attempt")?,
    };
    let graph = Graph::new(vec![single])
        .map_err(|error| Diagnostic::new(Code::Internal, error.to_string()))?;
    let mut states = execute(graph, Arc::new(single_node), options, &mut events).states;
    match (states.remove(&id), events.failure) {
        (_, Some(diagnostic)) => Err((*diagnostic).into()),
        (Some(State::Succeeded(value)), None) => io.show_json(&format!("{value}\n")),
        (Some(State::Failed(failure)), None) => Err((*failure.diagnostic).into()),
        (Some(State::Skipped(SkipReason::Condition)), None) => io.show_json("null\n"),
        (Some(State::Skipped(_)) | None, None) => {
            let diagnostic = Diagnostic::new(Code::Timeout, "the node was cancelled");
            Err(diagnostic.with_subject(id).into())
        }
    }
}

/// Fails if the engine has ended before its signals, and its end, were watched.
fn check_parent(matches: &ArgMatches) -> Result<(), Failure> {
    let expected = matches.get_one::<u32>("parent").copied();
    let actual = cogtools_program::parent();
    if expected.is_none() || actual.is_none() || expected == actual {
        return Ok(());
    }
    Err(Diagnostic::new(Code::IoFailed, "the parent process has exited").into())
}

impl Work for SingleNode {
    fn run(&self, attempt: &Attempt) -> Result<Completion, NodeFailure> {
        let flow = self.work.tool.flow();
        let Some(node) = flow.and_then(|flow| flow.node(attempt.node())) else {
            let message = "no such node";
            return Err(NodeFailure::is_final(Diagnostic::new(
                Code::Internal,
                message,
            )));
        };
        let (number, cancel) = (self.attempt, attempt.cancel());
        self.work.complete(node, &self.variables, number, cancel)
    }
}
