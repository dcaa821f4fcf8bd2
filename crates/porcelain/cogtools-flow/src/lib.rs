//! `cogtools flow`: tools whose implementation is a graph of nodes.
//!
//! The core reads a flow and says what each node does once its variables are known; the executor
//! runs nodes in order and in parallel. This crate is between the two: it calls tools, asks models
//! and users, and records what happens in a session, from which a run goes on.

mod call;
mod command;
mod each;
mod earlier;
mod execution;
mod graph;
mod inputs;
mod layout;
mod logged;
mod manual;
mod model;
mod node;
mod outcome;
mod output;
mod pins;
mod recorder;
mod repeatable;
mod resume;
mod routing;
mod run;
mod show;
mod svg;
mod tape;
mod target;
mod test;
mod trace;
mod tree;
mod work;

pub use command::PROGRAM;
