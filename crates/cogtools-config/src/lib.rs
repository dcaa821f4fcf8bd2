//! `cogtools config`: what holds for the tools of a project, who says so, and a
//! way to say otherwise that keeps every byte of a file that is not concerned.

mod change;
mod command;
mod edit;
mod file;
mod key;
mod refusal;
mod show;
mod variables;

pub use command::PROGRAM;
