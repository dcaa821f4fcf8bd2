//! `cogtools editor`: which editor answers to the source `editor`, and what connects one.

mod command;
mod extension;
mod install;
mod manual;
mod print;
mod status;

pub use command::PROGRAM;
