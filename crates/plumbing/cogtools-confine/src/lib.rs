//! Limits itself, then runs another program that inherits the limits: its own session, no
//! descriptors, no new privileges, less of everything, and only the files and sockets of a policy.
//!
//! On Linux it stays, as the parent of everything that the program leaves behind, and ends that
//! when the program or its own parent exits. On other Unix systems it becomes the program;
//! on Windows it keeps it in a job.
//!
//! It is started for every call of a program, so it has neither clap nor the core.

#![cfg_attr(
    windows,
    expect(unused_crate_dependencies, reason = "the library is for Linux")
)]

#[cfg_attr(windows, path = "job.rs")]
mod confinement;
mod options;
#[cfg(target_os = "linux")]
mod outside;
#[cfg(target_os = "linux")]
mod proxy;
pub mod sandbox;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod trace;
#[cfg(target_os = "linux")]
mod usage;

use std::ffi::OsString;
use std::fmt::{self, Display, Formatter};
use std::io::{self, Write as _};
use std::process::ExitCode;

use options::{Action, Options};

/// The name of the program.
pub const NAME: &str = "cogtools-confine";

/// Runs the program: the whole `main` of the binary.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match run(args) {
        Ok(code) => code,
        Err(failure) => {
            let _ = io::stderr().write_all(failure.to_string().as_bytes());
            ExitCode::from(failure.status())
        }
    }
}

fn run(args: Vec<OsString>) -> Result<ExitCode, Failure> {
    match Options::parse(args)? {
        Action::Print(text) => print(&text),
        Action::Check => print(&sandbox::check()),
        Action::Run(options) => confinement::run(&options),
    }
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    let written = io::stdout().write_all(text.as_bytes());
    written.map(|()| ExitCode::SUCCESS).map_err(Failure::Output)
}

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
            Self::Start(_, error) if error.kind() == io::ErrorKind::NotFound => 127,
            Self::Start(..) => 126,
            _ => 125,
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
