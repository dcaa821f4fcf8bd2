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
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use cogtools_core::javascript::{Event, Request, Script, ScriptErrorKind};

pub use program::PROGRAM;

/// Runs the program: the whole `main` of the binary.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.as_slice() {
        [option, timeout] if option == Script::OPTION => run_worker(timeout, &[], read_whole),
        [calls, option, timeout] if calls == Script::CALLS && option == Script::OPTION => {
            run_worker(timeout, &engine::PARTS_OF_CALLS, read_lines)
        }
        _ => cogtools_program::main(&PROGRAM),
    }
}

/// Runs the process, for code that may take `timeout`: milliseconds. `read` gets the request and
/// the arguments, while the engine and these `parts` of the prelude are ready.
fn run_worker(
    timeout: &OsStr,
    parts: &[&'static str],
    read: fn() -> io::Result<Vec<u8>>,
) -> ExitCode {
    let milliseconds = timeout.to_str().and_then(|text| text.parse().ok());
    let timeout = milliseconds.and_then(|it: f64| Duration::try_from_secs_f64(it / 1000.0).ok());
    let Some(timeout) = timeout else {
        return ExitCode::from(2);
    };
    let last = match confinement::enter(timeout) {
        Ok(()) => engine::run(timeout, parts, || request(read), print),
        Err(reason) => Event::Error(ScriptErrorKind::Confine(reason).into()),
    };
    print(&last);
    ExitCode::SUCCESS
}

/// The request and the arguments, or why there are none.
fn request(read: fn() -> io::Result<Vec<u8>>) -> Result<(Request, Vec<u8>), ScriptErrorKind> {
    let input = read().map_err(|error| ScriptErrorKind::Crashed(error.to_string()))?;
    match Request::decode(&input) {
        Some((request, args)) => Ok((request, args.to_vec())),
        None => Err(ScriptErrorKind::Crashed("it got no request".to_owned())),
    }
}

/// Reads all of standard input.
fn read_whole() -> io::Result<Vec<u8>> {
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input).map(|_| input)
}

/// Reads a line with the request and one with the arguments; replies to calls follow.
fn read_lines() -> io::Result<Vec<u8>> {
    let (mut input, mut stdin) = (Vec::new(), io::stdin().lock());
    for _ in 0..2 {
        stdin.read_until(b'\n', &mut input)?;
    }
    Ok(input)
}

/// Prints an event at once. Without a reader nothing is left to do.
fn print(event: &Event) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(&event.encode());
    let _ = stdout.flush();
}
