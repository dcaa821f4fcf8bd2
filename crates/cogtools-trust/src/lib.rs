//! `cogtools trust`: the user's approval of sources that run programs.

mod command;
mod report;

pub use command::PROGRAM;
