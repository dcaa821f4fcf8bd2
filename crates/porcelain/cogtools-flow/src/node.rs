//! Parts of a flow for other engines: a node, and the output.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use clap::Args;
use cogtools_core::{Cancel, Code, Context, Diagnostic};
use cogtools_executor::{
    Attempt, Completion, Failure as NodeFailure, Graph, Node, OnFailure, Options, SkipReason,
    State, Work, execute,
};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value};

use crate::inputs::{self, AnswerArg, FlowArg, InputsArg, NodeInputs};
use crate::recorder::{Events, Recorder};
use crate::run::FlowRun;
use crate::show::{DigestArg, Pins};
use crate::work::{FlowWork, graph_node};

/// The descriptor on which `node` writes events, if it is there.
const EVENTS: &str = "/dev/fd/3";

/// Run one node of a flow, and print its result as JSON
#[derive(Args)]
#[group(skip)]
pub(crate) struct NodeArgs {
    #[command(flatten)]
    flow: FlowArg,
    /// The node
    #[arg(value_name = "NODE")]
    node: String,
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
    /// Runs the node that the command line names. One that is skipped has null.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let (registry, context) = registry_and_context(&self.registry, io, None)?;
        let tool = self.flow.find(&registry, io)?;
        let id = self.node.as_str();
        let node = inputs::node(tool.flow(), id)?;
        self.digest
            .check(id, || Pins::new(&tool, &registry, io)?.node(node))?;
        let variables = NodeInputs::read(&self.inputs, &tool, io)?.variables(node)?;
        let single = Node {
            timeout: graph_node(node).timeout,
            ..Node::new(id)
        };
        // It ends with the engine that started it, even if that was killed.
        let cx = Context {
            cancel: io.signals.begin(),
            ..context.context(io)
        };
        let parent = cogtools_program::parent();
        if self.parent.is_some() && parent.is_some() && self.parent != parent {
            return Err(Diagnostic::new(Code::IoFailed, "the parent process has exited").into());
        }
        let cancel = cx.cancel.clone();
        let options = Options {
            max_parallel: 1,
            on_failure: OnFailure::Stop,
            done: BTreeMap::new(),
            cancel: cancel.clone(),
            interrupt: Cancel::default(),
        };
        let recorder = Recorder::of_descriptor(EVENTS);
        let work = Arc::new(FlowWork::new(FlowRun {
            recorder: recorder.clone(),
            answers: Mutex::new(self.answers.by_node()?),
            ..FlowRun::new(tool, Map::new(), registry, cx)
        })?);
        let mut events = Events::new(work.clone(), recorder, cancel);
        let single_node = SingleNode {
            work,
            variables,
            attempt: self.attempt,
        };
        let graph = Graph::new(vec![single])
            .map_err(|error| Diagnostic::new(Code::Internal, error.to_string()))?;
        let mut states = execute(graph, Arc::new(single_node), options, &mut events).states;
        match (states.remove(id), events.failure) {
            (_, Some(diagnostic)) => Err(diagnostic.into()),
            (Some(State::Succeeded(value)), None) => io.show_json(&format!("{value}\n")),
            (Some(State::Failed(failure)), None) => Err(failure.diagnostic.into()),
            (Some(State::Skipped(SkipReason::Condition)), None) => io.show_json("null\n"),
            (Some(State::Skipped(_)) | None, None) => {
                let diagnostic = Diagnostic::new(Code::Timeout, "the node was cancelled");
                Err(diagnostic.with_subject(id).into())
            }
        }
    }
}

/// A node with its variables.
struct SingleNode {
    work: Arc<FlowWork>,
    variables: Map<String, Value>,
    /// The number of the attempt, from 1.
    attempt: u32,
}

impl Work for SingleNode {
    fn run(&self, attempt: &Attempt) -> Result<Completion, NodeFailure> {
        let flow = self.work.run.tool.flow();
        let Some(node) = flow.and_then(|flow| flow.node(attempt.node())) else {
            let diagnostic = Diagnostic::new(Code::Internal, "no such node");
            return Err(NodeFailure::is_final(diagnostic));
        };
        let (number, cancel) = (self.attempt, attempt.cancel());
        self.work.complete(node, &self.variables, number, cancel)
    }
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
        let tool = self.flow.find(&registry, io)?;
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
        io.show_json(&format!("{value}\n"))
    }
}
