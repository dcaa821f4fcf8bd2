//! The nodes of a run, in the order of the executor.
//!
//! A node that has an effect is a call of another handler, which any worker may take. The journal
//! has the order in which calls have ended, so that a replay makes the same choices. Nodes that
//! only compute run here, all that can in one step of the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use cogtools_core::Code;
use cogtools_executor::{Progress, Schedule};
use restate_sdk::context::{DurableFuture, RequestTarget};
use restate_sdk::prelude::*;
use serde_json::{Map, Value};

use crate::programs::Programs;
use crate::request::{NodeEnd, NodeTask, Problem, RunRequest, Shown, ShownNeed, ShownNode};

/// The number of nodes of a run at the same time, as on one machine.
const MAX_PARALLEL: usize = 8;
/// The number of nodes after which a step is named that computes many.
const NAMED: usize = 3;

/// The ends of the nodes, by name.
#[derive(Debug, Default)]
pub(crate) struct Results {
    values: Map<String, Value>,
    problems: BTreeMap<String, Problem>,
    skipped: BTreeSet<String>,
    /// The ends of nodes that were computed before their turn.
    computed: BTreeMap<String, NodeEnd>,
}

/// Runs the nodes of `shown`.
pub(crate) async fn walk(
    ctx: &WorkflowContext<'_>,
    programs: &Programs,
    request: &RunRequest,
    shown: &Shown,
) -> Result<Results, TerminalError> {
    let graph = shown.graph();
    let graph = graph.map_err(|error| TerminalError::new(error.to_string()))?;
    let mut schedule = Schedule::new(&graph);
    let mut results = Results::default();
    let (mut calls, mut indexes) = (DurableFuturesUnordered::new(), Vec::new());
    loop {
        let mut pure = Vec::new();
        while calls.len() < MAX_PARALLEL {
            let Some(index) = schedule.next(Instant::now()) else {
                break;
            };
            let Some(node) = shown.nodes.get(index) else {
                return Err(TerminalError::new("a node without a graph"));
            };
            if schedule.reason_to_skip(&graph, index).is_some() {
                let end = results.add(&node.id, NodeEnd::Skipped);
                schedule.end(&graph, index, end);
            } else if let Some(end) = results.computed.remove(&node.id) {
                schedule.end(&graph, index, results.add(&node.id, end));
            } else if node.is_computed() {
                pure.push((index, node));
            } else {
                let inputs = results.inputs(&request.arguments, node);
                calls.push(call(ctx, request, shown, (node, inputs)));
                indexes.push(index);
            }
        }
        if !pure.is_empty() {
            let ends = compute(ctx, programs, (request, shown), &results).await?;
            results.computed.extend(ends);
            for (index, node) in pure {
                let lost = || NodeEnd::Failed {
                    problem: Problem::new(Code::Internal, "the node was not computed"),
                };
                let end = results.computed.remove(&node.id).unwrap_or_else(lost);
                schedule.end(&graph, index, results.add(&node.id, end));
            }
            continue;
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

/// Computes every node that only computes and whose needs are known or computed here as well.
async fn compute(
    ctx: &WorkflowContext<'_>,
    programs: &Programs,
    (request, shown): (&RunRequest, &Shown),
    results: &Results,
) -> Result<BTreeMap<String, NodeEnd>, TerminalError> {
    let mut nodes: BTreeMap<&str, &ShownNode> = BTreeMap::new();
    // The graph has its nodes in the order of the file, not of their needs.
    loop {
        let is_known = |need: &ShownNeed| {
            let id = need.node.as_str();
            let has_value = nodes.contains_key(id) || results.values.contains_key(id);
            has_value || need.optional && results.has_ended(id)
        };
        let is_next = |node: &&ShownNode| {
            let is_open = !nodes.contains_key(node.id.as_str()) && !results.has_ended(&node.id);
            is_open && node.is_computed() && node.needs.iter().all(is_known)
        };
        let next: Vec<&ShownNode> = shown.nodes.iter().filter(is_next).collect();
        if next.is_empty() {
            break;
        }
        nodes.extend(next.into_iter().map(|node| (node.id.as_str(), node)));
    }
    let mut inputs = request.arguments.clone();
    for node in nodes.values() {
        results.give(node, &mut inputs, |id| nodes.contains_key(id));
    }
    let ids: Vec<String> = nodes.into_keys().map(str::to_owned).collect();
    let name = ids.iter().take(NAMED).map(String::as_str);
    let name = name.collect::<Vec<_>>().join(", ");
    let (programs, flow, digest) = (programs.clone(), request.flow.clone(), shown.digest.clone());
    let work = move || async move {
        let ends = programs.compute((&flow, &digest), &ids, &inputs).await?;
        Ok(Json(ends.unwrap_or_else(|problem| {
            let failed = NodeEnd::Failed { problem };
            ids.into_iter().map(|id| (id, failed.clone())).collect()
        })))
    };
    let Json(ends) = ctx.run(work).name(name).await?;
    Ok(ends)
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
                Progress::Failed
            }
            NodeEnd::Skipped => {
                self.skipped.insert(id.to_owned());
                Progress::Missing
            }
            NodeEnd::Asks { .. } | NodeEnd::Interrupted => {
                self.skipped.insert(id.to_owned());
                Progress::Blocked
            }
        }
    }

    fn has_ended(&self, id: &str) -> bool {
        self.values.contains_key(id) || self.problems.contains_key(id) || self.skipped.contains(id)
    }

    /// The inputs of `node`: a node without a result is null, or its error if that is read.
    fn inputs(&self, arguments: &Map<String, Value>, node: &ShownNode) -> Map<String, Value> {
        let mut inputs = arguments.clone();
        self.give(node, &mut inputs, |_| false);
        inputs
    }

    /// Adds the inputs of `node` to `inputs`, without nodes that are computed with it.
    fn give(
        &self,
        node: &ShownNode,
        inputs: &mut Map<String, Value>,
        is_computed: impl Fn(&str) -> bool,
    ) {
        for need in node.needs.iter().filter(|need| !is_computed(&need.node)) {
            let value = self.values.get(&need.node).cloned();
            let problem = self.problems.get(&need.node).filter(|_| need.error);
            let error = || problem.map(|it| serde_json::json!({"error": it.message}));
            let value = value.or_else(error).unwrap_or_default();
            inputs.insert(need.node.clone(), value);
        }
    }

    /// The arguments with all results, for the output.
    pub(crate) fn with(&self, arguments: &Map<String, Value>) -> Map<String, Value> {
        let mut all = arguments.clone();
        all.extend(self.values.clone());
        all
    }

    /// The failure of the run: of the first node that has failed, unless every node that
    /// needs it says that it runs without it, too.
    pub(crate) fn failure(&self, shown: &Shown) -> Option<Problem> {
        let is_tolerated = |id: &str| {
            let needs = shown.nodes.iter().flat_map(|node| &node.needs);
            let mut needs = needs.filter(|need| need.node == id).peekable();
            needs.peek().is_some() && needs.all(|need| need.may_fail)
        };
        let mut failed = shown.nodes.iter().filter(|node| !is_tolerated(&node.id));
        failed.find_map(|node| Some(self.problems.get(&node.id)?.of_node(&node.id)))
    }
}
