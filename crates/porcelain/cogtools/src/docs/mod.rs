//! `cogtools docs`: the table of tools in the documents that agents read.

mod command;

pub use command::PROGRAM;
