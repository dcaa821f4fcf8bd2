//! Runs nodes that depend on each other: in order, in parallel, with retries and time limits.
//!
//! A plan is a chain of nodes, a flow a graph. What a node does, where events are recorded and
//! how results are shown is the caller's: nothing here knows tools, models or logs.

mod attempt;
mod event;
mod execute;
mod graph;
mod node;
mod retry;
mod run;
mod schedule;
mod workers;

pub use attempt::{Attempt, Completion, Failure, Work};
pub use event::{Event, Observer, SkipReason, Stop};
pub use execute::{Execution, OnFailure, Options, State, execute};
pub use graph::{Graph, GraphError};
pub use node::{Need, Node};
pub use retry::Retry;
pub use schedule::{Progress, Schedule};
