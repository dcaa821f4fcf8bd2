//! `cogtools editor`: which editor answers to the source `editor`, and what connects one.

mod command;
mod install;
mod manual;

pub use command::PROGRAM;
