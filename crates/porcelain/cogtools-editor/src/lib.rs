//! `cogtools editor`: which editor answers to the source `editor`, and what connects one.

pub mod client;
mod command;
mod install;
mod manual;

pub use command::PROGRAM;
