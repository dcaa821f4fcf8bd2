//! Parts of a flow for other engines: a node, and the output.

use std::sync::Arc;

use clap::Args;
use cogtools_core::tool::FlowNode;
use cogtools_core::{Code, Diagnostic};
use cogtools_executor::{Graph, Need, Options, Retry, SkipReason, State, execute};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io, Severity};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::code_node::rules;
use crate::inputs::{self, AnswerArg, FlowArg, InputsArg, NodeInputs};
use crate::recorder::{Events, Recorder};
use crate::run::{FlowRun, MAX_PARALLEL};
use crate::show::{DigestArg, Pins};
use crate::work::{FlowWork, graph_node};

/// The descriptor on which `node` writes events, if it is there.
const EVENTS: u8 = 3;

/// Run nodes of a flow, and print the result of one, or the ends of all, as JSON
#[derive(Args)]
#[group(skip)]
pub(crate) struct NodeArgs {
    #[command(flatten)]
    flow: FlowArg,
    /// The nodes, which run in the order of their needs
    #[arg(value_name = "NODE", required = true)]
    nodes: Vec<String>,
    /// Print the end of each node, with its result or failure; --digest is of the flow
    #[arg(long)]
    ends: bool,
    #[command(flatten)]
    inputs: InputsArg,
    #[command(flatten)]
    answers: AnswerArg,
    /// The number of the attempt, from 1: models are asked with another seed
    #[arg(
        long,
        value_name = "NUMBER",
        default_value = "1",
        hide_default_value = true
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    attempt: u32,
    /// Run nothing unless this process is the parent: it has not ended yet
    #[arg(long, value_name = "PID")]
    parent: Option<u32>,
    #[command(flatten)]
    digest: DigestArg,
    #[command(flatten)]
    registry: RegistryArgs,
}

impl NodeArgs {
    /// Runs the nodes that the command line names. One that is skipped has null.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let (registry, context) = registry_and_context(&self.registry, io, None)?;
        let tool = inputs::find(&self.flow.flow, &registry, io)?;
        let nodes = self.nodes.iter().map(|id| inputs::node(tool.flow(), id));
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        let pins = |io: &mut Io<'_>| Pins::new(&tool, &registry, io);
        match nodes[..] {
            [node] if !self.ends => self.digest.check(&node.id, || pins(io)?.node(node))?,
            _ if self.ends => self
                .digest
                .check(&self.flow.flow, || Ok(pins(io)?.flow()))?,
            _ => {
                let diagnostic = Diagnostic::new(Code::Usage, "several nodes have no one result");
                return Err(diagnostic.hint("`--ends` prints the end of each").into());
            }
        }
        let inputs = NodeInputs::read(&self.inputs, &tool, io)?;
        inputs.check(&nodes)?;
        let graph = graph_of(&nodes)?;
        // It ends with the engine that started it, even if that was killed.
        let cancel = io.signals.begin();
        let cx = context.context(io).ended_by(&cancel);
        let parent = cogtools_program::parent();
        if self.parent.is_some() && parent.is_some() && self.parent != parent {
            return Err(Diagnostic::new(Code::IoFailed, "the parent process has exited").into());
        }
        let options = Options {
            max_parallel: MAX_PARALLEL,
            cancel: cancel.clone(),
            ..Options::default()
        };
        let recorder = Recorder::of_descriptor(EVENTS);
        let work = Arc::new(FlowWork::new(FlowRun {
            recorder: recorder.clone(),
            answers: Mutex::new(self.answers.by_node()?),
            rules: rules(io)?,
            given: inputs.results,
            earlier_attempts: self.attempt - 1,
            ..FlowRun::new(tool, inputs.arguments, registry, cx)
        })?);
        let mut events = Events::new(work.clone(), recorder, cancel);
        let mut states = execute(graph, work, options, &mut events).states;
        if let Some(diagnostic) = events.failure {
            return Err(diagnostic.into());
        }
        if self.ends {
            let ends = states
                .iter()
                .map(|(id, state)| (id.clone(), end(state, io)));
            let ends: Map<String, Value> = ends.collect();
            return io.show_json(&format!("{}\n", Value::Object(ends)));
        }
        let id = self.nodes.first().map_or("", String::as_str);
        match states.remove(id) {
            Some(State::Succeeded(value)) => io.show_json(&format!("{value}\n")),
            Some(State::Failed(failure)) => Err(failure.diagnostic.into()),
            Some(State::Skipped(SkipReason::Condition)) => io.show_json("null\n"),
            Some(State::Skipped(_)) | None => Err(cancelled().with_subject(id).into()),
        }
    }
}

/// The graph of some nodes of a flow. Another engine decides about further attempts.
fn graph_of(nodes: &[&FlowNode]) -> Result<Graph, Failure> {
    let of_graph = nodes.iter().map(|node| {
        let mut of_graph = graph_node(node);
        let is_here = |need: &Need| nodes.iter().any(|node| node.id == need.node);
        of_graph.needs.retain(is_here);
        of_graph.retry = Retry::default();
        of_graph
    });
    Graph::new(of_graph.collect())
        .map_err(|error| Diagnostic::new(Code::Usage, error.to_string()).into())
}

/// The end of a node, for another engine.
fn end(state: &State, io: &Io<'_>) -> Value {
    let failed = |diagnostic: &Diagnostic| {
        let problem = io.reporter.json(Severity::Error, diagnostic);
        json!({"state": "failed", "problem": problem})
    };
    match state {
        State::Succeeded(value) => json!({"state": "succeeded", "value": value}),
        State::Failed(failure) => failed(&failure.diagnostic),
        State::Skipped(SkipReason::Condition | SkipReason::Needs(_)) => json!({"state": "skipped"}),
        State::Skipped(_) => failed(&cancelled()),
    }
}

fn cancelled() -> Diagnostic {
    Diagnostic::new(Code::Timeout, "the node was cancelled")
}

/// Print the output of a flow as JSON, from the results of its nodes
#[derive(Args)]
#[group(skip)]
pub(crate) struct OutputArgs {
    #[command(flatten)]
    flow: FlowArg,
    #[command(flatten)]
    inputs: InputsArg,
    #[command(flatten)]
    digest: DigestArg,
    #[command(flatten)]
    registry: RegistryArgs,
}

impl OutputArgs {
    /// Prints the output. A node without a result is null.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let (registry, _) = registry_and_context(&self.registry, io, None)?;
        let tool = inputs::find(&self.flow.flow, &registry, io)?;
        self.digest.check(&self.flow.flow, || {
            Ok(Pins::new(&tool, &registry, io)?.flow())
        })?;
        let mut inputs = NodeInputs::read(&self.inputs, &tool, io)?;
        let no_flow = || Diagnostic::new(Code::Internal, "a flow without nodes");
        let flow = tool.flow().ok_or_else(no_flow)?;
        for node in flow.nodes() {
            let value = inputs.results.remove(&node.id).unwrap_or_default();
            inputs.arguments.insert(node.id.clone(), value);
        }
        let value = flow.output(&tool, &inputs.arguments)?;
        tool.check_output(&value)?;
        io.show_json(&format!("{value}\n"))
    }
}
