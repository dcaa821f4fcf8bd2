//! What a run of a graph is given, and what it amounts to.

use std::collections::BTreeMap;
use std::sync::Arc;

use cogtools_core::Cancel;
use serde_json::Value;

use crate::run::Run;
use crate::{Failure, Graph, Observer, SkipReason, Work};

/// How a graph is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many nodes run at the same time; at least one.
    pub max_parallel: usize,
    /// What happens when a node fails.
    pub on_failure: OnFailure,
    /// Results of an earlier run: these nodes do not run again.
    pub done: BTreeMap<String, Value>,
    /// Ends the run.
    pub cancel: Cancel,
}

/// What happens when a node fails for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// Nothing further starts.
    Stop,
    /// Nodes that need it do not run; the others do.
    SkipDependents,
}

/// How a node has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// With a result.
    Succeeded(Arc<Value>),
    /// It failed.
    Failed(Failure),
    /// It did not run.
    Skipped(SkipReason),
}

/// A run that has ended: each node with its state.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// The states, by node. Only after a [`crate::Stop`], some are missing.
    pub states: BTreeMap<String, State>,
    /// Whether an event could not be recorded.
    pub is_stopped: bool,
}

/// Runs `graph`: each node by `work`, after what it needs.
pub fn execute(
    graph: Graph,
    work: Arc<dyn Work>,
    options: Options,
    observer: &mut dyn Observer,
) -> Execution {
    Run::new(graph, work, options, observer).execute()
}
