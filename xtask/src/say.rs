//! The one place that prints.

use std::process::ExitCode;

/// Prints a line for the user or the log.
#[allow(clippy::print_stdout, reason = "the outermost layer talks to its user")]
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// Exits the process, with the reason of a failure.
#[allow(clippy::print_stderr, reason = "the outermost layer talks to its user")]
pub(crate) fn end(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
