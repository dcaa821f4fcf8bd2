//! Ends of a program: why it stops before it succeeds, and what its process continues as.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::Command;

use cogtools_core::{Code, Diagnostic};

use crate::program::Program;

/// Reasons why a program stops.
#[derive(Debug)]
pub enum Failure {
    /// Errors in the order to be shown. The first one determines the status.
    Diagnostics(Vec<Diagnostic>),
    /// Everything has been reported already, for example by another program; only the status is
    /// left.
    Reported(u8),
    /// The process continues as another program.
    Exec(Next),
    /// The reader of standard output has gone.
    ClosedPipe,
}

impl Failure {
    /// The diagnostics to show.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Diagnostics(diagnostics) => diagnostics,
            Self::Reported(_) | Self::Exec(_) | Self::ClosedPipe => &[],
        }
    }

    /// The exit status. A closed pipe has the status of SIGPIPE: 128 + 13.
    pub fn status(&self) -> u8 {
        match self {
            Self::Diagnostics(all) => all.first().map_or(Code::Internal, |it| it.code).status(),
            Self::Reported(status) => *status,
            Self::Exec(_) => 0,
            Self::ClosedPipe => 141,
        }
    }

    /// The failure for an error of writing to standard output.
    pub fn output(error: &std::io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        let message = format!("standard output cannot be written: {error}");
        let hint = "the output is incomplete; free disk space, then run this again";
        Diagnostic::new(Code::IoFailed, message).hint(hint).into()
    }
}

impl From<Box<Diagnostic>> for Failure {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        (*diagnostic).into()
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnostics(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Diagnostics(diagnostics)
    }
}

/// The program that a process continues as.
#[derive(Debug)]
pub enum Next {
    /// Another process: by `exec` if the system has it, otherwise as a child whose exit status
    /// this process returns.
    Process(Box<Command>),
    /// Another cogtools program with these arguments, in this process.
    Program(&'static Program, Vec<OsString>),
}

impl From<Command> for Next {
    fn from(command: Command) -> Self {
        Self::Process(Box::new(command))
    }
}
