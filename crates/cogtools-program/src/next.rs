//! What a process goes on as, once the program that it began as has ended.

use std::ffi::OsString;
use std::process::Command;

use crate::program::Program;

/// What a process goes on as.
#[derive(Debug)]
pub enum Next {
    /// Another process: this one becomes it where the system can do that, else it
    /// runs it and ends as it ends.
    Process(Box<Command>),
    /// Another program of ours with these arguments, in this process.
    Program(&'static Program, Vec<OsString>),
}

impl From<Command> for Next {
    fn from(command: Command) -> Self {
        Self::Process(Box::new(command))
    }
}
