//! `cogtools trust`: the user's word on sources that run programs.

mod command;
mod report;

pub use command::PROGRAM;
