//! A program that is run to its end, bounded in time and output.
//!
//! What is looked at may be broken: a program that never ends or never stops
//! talking must not take the doctor with it.

use std::io;
use std::path::Path;
use std::time::Duration;

use cogtools_core::Cancel;
use cogtools_core::process::{Exit, Process};

use crate::host::Host;

/// What Gemini CLI takes from a discovery command: 10 MiB of each stream.
const LIMIT: usize = 10 << 20;
/// How long anything may take. Gemini CLI itself would wait for ever.
const TIMEOUT: Duration = Duration::from_secs(20);

/// What a program left behind.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) end: Exit,
    pub(crate) stdout: Vec<u8>,
    /// The last part of it, if it is long.
    pub(crate) stderr: Vec<u8>,
}

/// Why there is nothing to look at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("did not end within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    #[error("ended, but something that it had started kept its output open")]
    Open,
    #[error("printed more than {} MiB", LIMIT >> 20)]
    TooMuch,
    #[error("was stopped, as was asked")]
    Cancelled,
}

/// Runs `program` on `host` with exactly its variables, and `input`
/// on its standard input.
pub(crate) fn run(
    program: &Path,
    args: &[&str],
    input: &[u8],
    host: &Host,
) -> Result<Output, RunError> {
    let process = Process::new(program, &host.root)
        .args(args)
        .variables(host.vars.clone())
        .input(input);
    bounded(process, TIMEOUT, &host.cancel)
}

/// Runs `process`, no longer than `timeout`.
fn bounded(process: Process, timeout: Duration, cancel: &Cancel) -> Result<Output, RunError> {
    let process = process.timeout(timeout).stdout_limit(LIMIT);
    let output = process.run(cancel).map_err(RunError::Start)?;
    let most = LIMIT as u64;
    if output.stdout.total() > most || output.stderr.total() > most {
        return Err(RunError::TooMuch);
    }
    match output.exit {
        Exit::TimedOut => Err(RunError::Timeout(timeout)),
        Exit::Cancelled => Err(RunError::Cancelled),
        // Gemini CLI would wait.
        _ if output.left_children => Err(RunError::Open),
        end => Ok(Output {
            end,
            stdout: output.stdout.bytes,
            stderr: output.stderr.bytes,
        }),
    }
}

/// The first line of what a program printed, as it can be shown.
pub(crate) fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or("nothing").trim().to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, input: &[u8], expected: &str) {
        let process = Process::new("/bin/sh", "/").args(["-c", script]);
        let vars = [("PATH".into(), "/usr/bin:/bin".into())];
        let process = process.variables(vars.into()).input(input);
        let timeout = Duration::from_millis(900);
        let found = match bounded(process, timeout, &Cancel::default()) {
            Err(error) => error.to_string(),
            Ok(output) => format!(
                "{}: {} {}",
                output.end.describe(),
                output.stdout.len(),
                first_line(&output.stderr)
            ),
        };
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn everything_ends() {
        check(
            "cat; echo no >&2; exit 3",
            b"four",
            "ended with status 3: 4 no",
        );
        check("exec sleep 60", b"", "did not end within 0.9 s");
        check(
            "sleep 60 &",
            b"",
            "ended, but something that it had started kept its output open",
        );
        check("exec yes", b"", "printed more than 10 MiB");
        check("exec yes >&2", b"", "printed more than 10 MiB");
        check(
            "exit 0",
            &vec![b'x'; 1 << 20],
            "ended with status 0: 0 nothing",
        );
        check(
            "kill -9 $$",
            b"",
            "was ended by signal 9 (SIGKILL): 0 nothing",
        );
    }
}
