//! `cogtools trust`: the user's approval of sources that run programs.

mod command;
mod manual;
mod prune;
mod report;
mod review;
mod rights;
mod select;
mod tool_review;
mod visible;

pub use command::PROGRAM;
