//! `cogtools-js`: evaluates a body of JavaScript, JSON in, JSON out.
//!
//! Two processes do it. The one that is started checks the request, starts itself again with
//! `--worker`, and kills that when the time is over. The worker confines itself, then reads the
//! code and evaluates it; only it contains the engine. `cogtools-call` and the other programs
//! that run tools start the worker themselves.

mod confinement;
mod engine;
mod program;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use cogtools_core::javascript::{Event, Request, Script, ScriptErrorKind};

pub use program::PROGRAM;

/// Runs the program: the whole `main` of the binary.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.as_slice() {
        [option, timeout] if option == Script::OPTION => run_worker(timeout),
        _ => cogtools_program::main(&PROGRAM),
    }
}

/// Runs the process, for code that may take `timeout`: milliseconds.
fn run_worker(timeout: &OsStr) -> ExitCode {
    let milliseconds = timeout.to_str().and_then(|text| text.parse().ok());
    let timeout = milliseconds.and_then(|it: f64| Duration::try_from_secs_f64(it / 1000.0).ok());
    let Some(timeout) = timeout else {
        return ExitCode::from(2);
    };
    let last = match confinement::enter(timeout) {
        Ok(()) => evaluate(timeout),
        Err(reason) => Event::Error(ScriptErrorKind::Confine(reason).into()),
    };
    print(&last);
    ExitCode::SUCCESS
}

fn evaluate(timeout: Duration) -> Event {
    let mut input = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut input);
    let crashed = |reason: String| Event::Error(ScriptErrorKind::Crashed(reason).into());
    match (read, Request::decode(&input)) {
        (Ok(_), Some((request, args))) => engine::run(&request, args, timeout, print),
        (Ok(_), None) => crashed("it got no request".to_owned()),
        (Err(error), _) => crashed(error.to_string()),
    }
}

/// Prints an event at once. Without a reader nothing is left to do.
fn print(event: &Event) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(&event.encode());
    let _ = stdout.flush();
}
