//! `cogtools-test`: runs the examples of tools and compares the results with golden files.
//!
//! Each example is called in every way that a host may call it, through the same code as a
//! real call.

mod assertion;
mod case;
mod command;
mod denied;
mod diff;
mod failure;
mod golden;
mod history;
mod invocation;
mod manual;
mod output;
mod pattern;
mod review;
mod runner;
mod snapshot;
mod spawn;
mod suite;
mod tape;
mod target;
mod watch;

pub use command::PROGRAM;
