//! `cogtools docs`: the table of tools in the files that agents read.
//!
//! Agents learn about tools from their host; people who read GEMINI.md do not. The table is
//! between two markers, and every other byte of the file is preserved.

mod command;
mod document;
mod error;
mod markers;
mod prose;
mod table;

pub use command::PROGRAM;
