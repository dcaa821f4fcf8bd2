//! One attempt of a node: what its work gets, and how it ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::{Cancel, Code, Diagnostic};
use serde_json::Value;

use crate::Graph;

/// The work of nodes. It is called from several threads at once.
pub trait Work: Send + Sync + 'static {
    /// Does the work of a node once.
    fn run(&self, attempt: &Attempt) -> Result<Completion, Failure>;
}

/// The end of a node's work.
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
    /// True if another attempt would fail as well.
    pub is_final: bool,
    /// True if no node that needs this one may run, not even without it.
    pub is_blocking: bool,
}

/// One attempt of a node.
#[derive(Debug)]
pub struct Attempt {
    pub(crate) graph: Arc<Graph>,
    pub(crate) index: usize,
    /// The number of the attempt, from 1.
    pub number: u32,
    pub(crate) results: Arc<Results>,
    /// Ends the attempt: the run was cancelled, or it takes too long.
    pub cancel: Cancel,
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
            is_blocking: false,
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
    /// The node.
    pub fn node(&self) -> &str {
        &self.graph.nodes()[self.index].id
    }

    /// The result of `node`. `None` if it has none, or if this node does not need it, directly or
    /// not: whether it had one by now would be chance.
    pub fn result(&self, node: &str) -> Option<Arc<Value>> {
        let other = self.graph.index(node)?;
        let is_before = self.graph.is_after(self.index, other);
        is_before.then(|| self.results.get(other)).flatten()
    }
}

/// An attempt that has ended.
pub(crate) struct Ended {
    pub(crate) index: usize,
    pub(crate) number: u32,
    pub(crate) result: Result<Completion, Failure>,
    pub(crate) duration: Duration,
}

/// Makes `attempt` on a thread of its own. Its end goes to `ended`.
///
/// # Errors
///
/// No thread can be started.
pub(crate) fn start(
    attempt: Attempt,
    work: Arc<dyn Work>,
    ended: Sender<Ended>,
) -> Result<(), Failure> {
    // After a timeout the result is not awaited any more.
    let run = move || drop(ended.send(make(&attempt, work.as_ref())));
    let started = thread::Builder::new().name("node".into()).spawn(run);
    started.map(drop).map_err(|error| {
        let message = format!("the thread for the node cannot be started: {error}");
        Failure::new(Diagnostic::new(Code::IoFailed, message))
    })
}

/// Makes `attempt`. A panic is its failure: one node must not take the others with it.
fn make(attempt: &Attempt, work: &dyn Work) -> Ended {
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| work.run(attempt)));
    let result = result.unwrap_or_else(|_| {
        let message = "unexpected failure while the node was running";
        Err(Failure {
            is_blocking: true,
            ..Failure::is_final(Diagnostic::new(Code::Internal, message))
        })
    });
    Ended {
        index: attempt.index,
        number: attempt.number,
        result,
        duration: start.elapsed(),
    }
}
