//! How a run ends when it does not end well.

use std::io::ErrorKind;

use cogtools_core::{Code, Fault};

use crate::next::Next;

/// Why a program stops, and with which exit status.
#[derive(Debug)]
pub enum Failure {
    /// What went wrong, in the order to be shown. The first one gives the status.
    Faults(Vec<Fault>),
    /// All has been said already (by another program, say); only the status is left.
    Status(u8),
    /// It goes on as another program, whose end is the end of the process.
    Exec(Next),
    /// Whoever read standard output has gone: nobody is left to tell.
    ClosedPipe,
}

impl Failure {
    /// What is to be shown.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::Faults(faults) => faults,
            Self::Status(_) | Self::Exec(_) | Self::ClosedPipe => &[],
        }
    }

    /// The exit status. A closed pipe ends like SIGPIPE would: 128 + 13.
    pub fn status(&self) -> u8 {
        match self {
            Self::Faults(faults) => faults
                .first()
                .map_or(Code::Internal, |fault| fault.code)
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
        Fault::new(
            Code::IoFailed,
            format!("standard output cannot be written: {error}"),
        )
        .hint("what was printed is incomplete; make room and run it again")
        .into()
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Faults(vec![fault])
    }
}

impl From<Vec<Fault>> for Failure {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Faults(faults)
    }
}
