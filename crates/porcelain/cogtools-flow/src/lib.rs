//! `cogtools flow`, `cogtools plan` and `cogtools code`: tools whose implementation is a graph of
//! nodes, plans, which are chains of steps that a model writes, and programs that call tools.
//!
//! The core reads a flow, and knows the work of each node once its variables are known; the executor
//! runs nodes in order and in parallel. This crate is between the two: it calls tools, asks models
//! and users, and records what happens in a session, from which a run goes on.

pub mod code;
mod code_node;
mod command;
mod each;
mod earlier;
mod inputs;
mod journal;
mod live;
mod node;
mod picture;
pub mod plan;
mod recorder;
mod routing;
mod run;
mod show;
mod test;
mod trace;
mod work;

pub use command::PROGRAM;
