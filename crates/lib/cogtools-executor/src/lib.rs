//! Runs nodes that depend on each other: in order, in parallel, with retries and time limits.
//!
//! A plan is a chain of nodes, a flow a graph. What a node does, where events are recorded and
//! how results are shown is the caller's: nothing here knows tools, models or logs.

mod graph;
mod run;
mod work;

pub use cogtools_core::http::Retry;
pub use graph::{Graph, GraphError, Need, Node, Progress, Schedule};
pub use run::{Event, Execution, Observer, OnFailure, Options, SkipReason, State, Stop, execute};
pub use work::{Attempt, Completion, Failure, Work};
