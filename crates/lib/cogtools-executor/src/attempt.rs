//! One attempt of a node: what its work gets, and how it ends.

use std::sync::{Arc, PoisonError, RwLock};

use cogtools_core::{Cancel, Diagnostic};
use serde_json::Value;

use crate::Graph;

/// What nodes do. It is called from several threads at once.
pub trait Work: Send + Sync + 'static {
    /// Does the work of a node once.
    fn run(&self, attempt: &Attempt) -> Result<Completion, Failure>;
}

/// How the work of a node has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Completion {
    /// With a result.
    Done(Value),
    /// There was nothing to do: its condition does not hold.
    Skip,
}

/// Why an attempt has failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The reason, for people and models.
    pub diagnostic: Box<Diagnostic>,
    /// Whether another attempt would fail as well.
    pub is_final: bool,
}

/// One attempt of a node.
#[derive(Debug)]
pub struct Attempt {
    graph: Arc<Graph>,
    index: usize,
    number: u32,
    results: Arc<Results>,
    cancel: Cancel,
}

/// The results so far, by the index of the node.
#[derive(Debug)]
pub(crate) struct Results(RwLock<Vec<Option<Arc<Value>>>>);

impl Failure {
    /// A failure after which the node may be tried again.
    pub fn new(diagnostic: Diagnostic) -> Self {
        Self {
            diagnostic: Box::new(diagnostic),
            is_final: false,
        }
    }

    /// A failure that another attempt would repeat.
    pub fn is_final(diagnostic: Diagnostic) -> Self {
        Self {
            is_final: true,
            ..Self::new(diagnostic)
        }
    }
}

impl Results {
    pub(crate) fn new(count: usize) -> Self {
        Self(RwLock::new(vec![None; count]))
    }

    pub(crate) fn set(&self, index: usize, value: Arc<Value>) {
        let mut results = self.0.write().unwrap_or_else(PoisonError::into_inner);
        results[index] = Some(value);
    }

    fn get(&self, index: usize) -> Option<Arc<Value>> {
        let results = self.0.read().unwrap_or_else(PoisonError::into_inner);
        results[index].clone()
    }
}

impl Attempt {
    /// The attempt `number` of the node at `index`.
    pub(crate) fn new(
        (graph, index): (Arc<Graph>, usize),
        number: u32,
        results: Arc<Results>,
        cancel: Cancel,
    ) -> Self {
        Self {
            graph,
            index,
            number,
            results,
            cancel,
        }
    }

    /// The index of the node.
    pub(crate) const fn index(&self) -> usize {
        self.index
    }

    /// The node.
    pub fn node(&self) -> &str {
        &self.graph.nodes()[self.index].id
    }

    /// The number of the attempt, from 1.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Ends the attempt: the run was cancelled, or it takes too long.
    pub const fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The result of `node`. `None` if it has none, or if this node does not need it, directly or
    /// not: whether it had one by now would be chance.
    pub fn result(&self, node: &str) -> Option<Arc<Value>> {
        let other = self.graph.index(node)?;
        let is_before = self.graph.is_after(self.index, other);
        is_before.then(|| self.results.get(other)).flatten()
    }
}
