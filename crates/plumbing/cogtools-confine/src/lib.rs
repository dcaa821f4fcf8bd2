//! Limits itself, then runs another program that inherits the limits: its own session, no
//! descriptors, no new privileges, less of everything, and only the files and sockets of a policy.
//!
//! On Linux it stays, as the parent of everything that the program leaves behind, and ends that
//! when the program exits or when its own parent does. On other Unix systems it becomes the program;
//! on Windows it keeps it in a job.
//!
//! It is started for every call of a program, so it has neither clap nor the core.

#![cfg_attr(
    windows,
    expect(unused_crate_dependencies, reason = "the library is for Linux")
)]

#[cfg(target_os = "linux")]
mod children;
#[cfg(unix)]
mod confinement;
#[cfg(unix)]
mod descriptors;
mod failure;
#[cfg(windows)]
mod job;
#[cfg(unix)]
mod limits;
mod options;
mod policy;
#[cfg(all(unix, any(test, not(target_os = "linux"))))]
mod profile;
mod sandbox;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod supervisor;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use failure::Failure;
use options::{Action, Options};

/// The name of the program.
pub const NAME: &str = "cogtools-confine";

/// Runs the program: the whole `main` of the binary.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match run(args) {
        Ok(code) => code,
        Err(failure) => {
            let _ = std::io::stderr().write_all(failure.to_string().as_bytes());
            ExitCode::from(failure.status())
        }
    }
}

fn run(args: Vec<OsString>) -> Result<ExitCode, Failure> {
    match Options::parse(args)? {
        Action::Print(text) => print(&text),
        Action::Check => print(&sandbox::check()),
        Action::Run(options) => start(&options),
    }
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map(|()| ExitCode::SUCCESS).map_err(Failure::Output)
}

#[cfg(unix)]
fn start(options: &Options) -> Result<ExitCode, Failure> {
    confinement::run(options)
}

#[cfg(windows)]
fn start(options: &Options) -> Result<ExitCode, Failure> {
    job::run(options)
}
