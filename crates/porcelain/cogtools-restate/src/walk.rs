//! The nodes of a run, in the order of the executor.
//!
//! Each node is a call of another handler, which any worker may take. The journal has the order in
//! which calls have ended, so that a replay makes the same choices.

use std::collections::BTreeMap;
use std::time::Instant;

use cogtools_executor::{Progress, Schedule};
use restate_sdk::context::{DurableFuture, RequestTarget};
use restate_sdk::prelude::*;
use serde_json::{Map, Value};

use crate::request::{NodeEnd, NodeTask, Problem, RunRequest, Shown, ShownNode};

/// The number of nodes of a run at the same time, as on one machine.
const MAX_PARALLEL: usize = 8;

/// The ends of the nodes, by name, without nodes that were skipped.
#[derive(Debug, Default)]
pub(crate) struct Results {
    values: Map<String, Value>,
    problems: BTreeMap<String, Problem>,
}

/// Runs the nodes of `shown`.
pub(crate) async fn walk(
    ctx: &WorkflowContext<'_>,
    request: &RunRequest,
    shown: &Shown,
) -> Result<Results, TerminalError> {
    let graph = shown.graph();
    let graph = graph.map_err(|error| TerminalError::new(error.to_string()))?;
    let mut schedule = Schedule::new(&graph);
    let mut results = Results::default();
    let (mut calls, mut indexes) = (DurableFuturesUnordered::new(), Vec::new());
    loop {
        while calls.len() < MAX_PARALLEL {
            let Some(index) = schedule.next(Instant::now()) else {
                break;
            };
            if schedule.reason_to_skip(&graph, index).is_some() {
                schedule.end(&graph, index, Progress::Missing);
                continue;
            }
            let Some(node) = shown.nodes.get(index) else {
                return Err(TerminalError::new("a node without a graph"));
            };
            let inputs = results.inputs(&request.arguments, node);
            calls.push(call(ctx, request, shown, (node, inputs)));
            indexes.push(index);
        }
        let Some((number, end)) = calls.next().await? else {
            return Ok(results);
        };
        let Json(end) = end?;
        let (Some(index), Some(node)) = (
            indexes.get(number).copied(),
            indexes
                .get(number)
                .and_then(|index| shown.nodes.get(*index)),
        ) else {
            return Err(TerminalError::new("an end without a node"));
        };
        schedule.end(&graph, index, results.add(&node.id, end));
    }
}

/// Starts a node.
fn call<'c>(
    ctx: &WorkflowContext<'c>,
    request: &RunRequest,
    shown: &Shown,
    (node, inputs): (&ShownNode, Map<String, Value>),
) -> impl DurableFuture<Output = Result<Json<NodeEnd>, TerminalError>> + use<'c> {
    let task = NodeTask {
        flow: request.flow.clone(),
        locked: shown.lock.is_some(),
        node: node.clone(),
        retryable: shown.retryable.clone(),
        inputs,
    };
    let target = RequestTarget::workflow(crate::workflow::NAME, ctx.key(), "node");
    ctx.request(target, Json(task)).call()
}

impl Results {
    /// Adds the end of a node, and returns it as the nodes that need it see it.
    fn add(&mut self, id: &str, end: NodeEnd) -> Progress {
        match end {
            NodeEnd::Succeeded { value } => {
                self.values.insert(id.to_owned(), value);
                Progress::Succeeded
            }
            NodeEnd::Failed { problem } => {
                self.problems.insert(id.to_owned(), problem);
                Progress::Missing
            }
            NodeEnd::Skipped | NodeEnd::Asks { .. } | NodeEnd::Interrupted => Progress::Missing,
        }
    }

    /// The inputs of `node`: a node without a result is null, or its error if that is read.
    fn inputs(&self, arguments: &Map<String, Value>, node: &ShownNode) -> Map<String, Value> {
        let mut inputs = arguments.clone();
        for need in &node.needs {
            let value = self.values.get(&need.node).cloned();
            let problem = self.problems.get(&need.node).filter(|_| need.error);
            let error = || problem.map(|it| serde_json::json!({"error": it.message}));
            let value = value.or_else(error).unwrap_or_default();
            inputs.insert(need.node.clone(), value);
        }
        inputs
    }

    /// The arguments with all results, for the output.
    pub(crate) fn with(&self, arguments: &Map<String, Value>) -> Map<String, Value> {
        let mut all = arguments.clone();
        all.extend(self.values.clone());
        all
    }

    /// The failure of the run: of the first node that has failed, unless every node that
    /// needs it runs without it, too.
    pub(crate) fn failure(&self, shown: &Shown) -> Option<Problem> {
        let is_tolerated = |id: &str| {
            let needs = shown.nodes.iter().flat_map(|node| &node.needs);
            let mut needs = needs.filter(|need| need.node == id).peekable();
            needs.peek().is_some() && needs.all(|need| need.optional)
        };
        let mut failed = shown.nodes.iter().filter(|node| !is_tolerated(&node.id));
        failed.find_map(|node| Some(self.problems.get(&node.id)?.of_node(&node.id)))
    }
}
