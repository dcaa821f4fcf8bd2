//! Why the program could not be run, with the exit statuses of env(1) and timeout(1).

use std::ffi::OsString;
use std::fmt::{self, Display, Formatter};
use std::io;

use crate::NAME;

/// Why the program could not be run.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// The text of `--help` or `--version` cannot be written.
    Output(io::Error),
    /// This process cannot be confined: what failed, and why.
    Confine(&'static str, io::Error),
    /// This system cannot enforce what is required.
    Unenforced,
    /// The process that it should have ended with is gone.
    #[cfg(target_os = "linux")]
    Orphan,
    /// The program cannot be started.
    Start(OsString, io::Error),
}

impl Failure {
    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Output(_) => 74,
            Self::Confine(..) => 125,
            Self::Unenforced => 125,
            #[cfg(target_os = "linux")]
            Self::Orphan => 125,
            Self::Start(_, error) if error.kind() == io::ErrorKind::NotFound => 127,
            Self::Start(..) => 126,
        }
    }

    const fn code(&self) -> &'static str {
        match self {
            Self::Usage(_) => "USAGE",
            Self::Unenforced => "SANDBOX_UNAVAILABLE",
            _ => "IO_FAILED",
        }
    }
}

impl Display for Failure {
    /// The message with its hint, as all programs print it. The last parentheses have the number
    /// of the system's error.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{NAME}: error[{}]: ", self.code())?;
        match self {
            Self::Usage(message) => {
                writeln!(f, "{message}\nhint: --help explains every option")
            }
            Self::Output(error) => writeln!(f, "standard output cannot be written: {error}"),
            Self::Confine(what, error) => writeln!(f, "{what}: {error}"),
            Self::Unenforced => writeln!(
                f,
                "this system cannot enforce the sandbox\nhint: --check prints what it lacks"
            ),
            #[cfg(target_os = "linux")]
            Self::Orphan => writeln!(f, "the parent process has exited"),
            Self::Start(program, error) => {
                let program = program.to_string_lossy();
                writeln!(f, "`{}` cannot be started: {error}", program.escape_debug())
            }
        }
    }
}
