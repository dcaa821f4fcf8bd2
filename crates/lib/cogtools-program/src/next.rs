//! What a process continues as when the program that it started as has ended.

use std::ffi::OsString;
use std::process::Command;

use crate::program::Program;

/// What a process continues as.
#[derive(Debug)]
pub enum Next {
    /// Another process: by `exec` if the system has it, otherwise as a child whose exit status
    /// becomes that of this process.
    Process(Box<Command>),
    /// Another cogtools program with these arguments, in this process.
    Program(&'static Program, Vec<OsString>),
}

impl From<Command> for Next {
    fn from(command: Command) -> Self {
        Self::Process(Box::new(command))
    }
}
