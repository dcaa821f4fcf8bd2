//! Why a program stops before it succeeds.

use std::io::ErrorKind;

use cogtools_core::{Code, Diagnostic};

use crate::next::Next;

/// Why a program stops, and with which exit status.
#[derive(Debug)]
pub enum Failure {
    /// What went wrong, in the order to be shown. The first one determines the status.
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
            Self::Diagnostics(diagnostics) => diagnostics
                .first()
                .map_or(Code::Internal, |diagnostic| diagnostic.code)
                .status(),
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
        Diagnostic::new(
            Code::IoFailed,
            format!("standard output cannot be written: {error}"),
        )
        .hint("the output is incomplete; free disk space, then run this again")
        .into()
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
