//! How a run ends when it does not end well.

use std::io::ErrorKind;

use cogtools_core::{Code, Diagnostic};

use crate::next::Next;

/// Why a program stops, and with which exit status.
#[derive(Debug)]
pub enum Failure {
    /// What went wrong, in the order to be shown. The first one gives the status.
    Faults(Vec<Diagnostic>),
    /// All has been said already (by another program, say); only the status is left.
    Status(u8),
    /// It goes on as another program, whose end is the end of the process.
    Exec(Next),
    /// Whoever read standard output has gone: nobody is left to tell.
    ClosedPipe,
}

impl Failure {
    /// What is to be shown.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Faults(diagnostics) => diagnostics,
            Self::Status(_) | Self::Exec(_) | Self::ClosedPipe => &[],
        }
    }

    /// The exit status. A closed pipe ends like SIGPIPE would: 128 + 13.
    pub fn status(&self) -> u8 {
        match self {
            Self::Faults(diagnostics) => diagnostics
                .first()
                .map_or(Code::Internal, |diagnostic| diagnostic.code)
                .status(),
            Self::Status(status) => *status,
            Self::Exec(_) => 0,
            Self::ClosedPipe => 141,
        }
    }

    /// The failure of writing to standard output.
    pub fn output(error: &std::io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        Diagnostic::new(
            Code::IoFailed,
            format!("standard output cannot be written: {error}"),
        )
        .hint("what was printed is incomplete; make room and run it again")
        .into()
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Faults(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Faults(diagnostics)
    }
}
