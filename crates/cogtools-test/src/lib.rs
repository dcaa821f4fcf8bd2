//! `cogtools-test`: runs the examples of tools and compares with golden files.
//!
//! An example is a call that somebody wrote down. It goes the road that a call
//! goes, in every way in which a host may make it, and what comes out must be
//! what lies beside the tool.

mod case;
mod command;
mod diff;
mod failure;
mod golden;
mod invocation;
mod output;
mod runner;
mod snapshot;
mod spawn;
mod suite;
mod target;
mod watch;

pub use command::PROGRAM;
