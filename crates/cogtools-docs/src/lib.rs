//! `cogtools docs`: the table of tools in the files that agents read.
//!
//! An agent knows a tool from its host; the people who read GEMINI.md do not.
//! The table stands between two markers, and every other byte of the file is
//! its author's.

mod command;
mod document;
mod markers;
mod prose;
mod refusal;
mod table;

pub use command::PROGRAM;
