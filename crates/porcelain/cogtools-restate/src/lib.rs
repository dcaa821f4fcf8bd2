//! `cogtools-restate`: runs flows durably on Restate, a server that keeps a journal of what each
//! run has done.
//!
//! The graph comes from `cogtools flow show`, its order from the executor that runs flows on one
//! machine. Each node with an effect is a child process, `cogtools flow node`; nodes that only
//! compute share one. This crate connects them: what is in the journal is not done again, whatever
//! happens to the worker.

#[cfg(not(unix))]
compile_error!("a worker needs descriptors and process groups of Unix");

mod address;
mod attempt;
mod client;
mod command;
mod decision;
mod manual;
mod programs;
mod request;
mod serve;
mod submit;
mod walk;
mod workflow;

pub use command::PROGRAM;
