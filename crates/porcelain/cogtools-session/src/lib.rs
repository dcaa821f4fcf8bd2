//! `cogtools session`: the logs of sessions with a model.
//!
//! Everything here reads session files and nothing else. None is ever changed: a fork is a new
//! file, and pruning removes whole ones.

mod command;
mod diff;
mod eval;
mod example;
mod export;
mod fork;
mod list;
mod locate;
mod phrase;
mod prompt;
mod report;
mod rerun;
mod show;
mod stats;
mod tree;
mod verify;

pub use command::PROGRAM;
