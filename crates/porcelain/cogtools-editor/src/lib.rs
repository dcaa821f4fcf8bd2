//! `cogtools editor`: which editor answers to the source `editor`, and what connects one.

pub mod client;
mod command;
mod install;

pub use command::PROGRAM;
