//! `cogtools-js`: evaluates a body of JavaScript, JSON in, JSON out.
//!
//! Two processes do it. The one that is started checks the request, starts itself again with
//! `--worker`, and kills that when the time is over. The worker confines itself, then reads the
//! code and evaluates it; only it contains the engine. `cogtools-call` and the other programs
//! that run tools start the worker themselves.

mod confinement;
mod engine;
mod program;
mod request;
mod worker;

use std::ffi::OsString;
use std::process::ExitCode;

use cogtools_core::javascript::Script;

pub use program::PROGRAM;

/// Runs the program: the whole `main` of the binary.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.as_slice() {
        [option, timeout] if option == Script::OPTION => worker::run(timeout),
        _ => cogtools_program::main(&PROGRAM),
    }
}
