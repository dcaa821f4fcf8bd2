//! The one place that prints.

use std::process::ExitCode;

/// A line for the person (or the log) that follows.
#[allow(clippy::print_stdout, reason = "the outermost layer talks to its user")]
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// The end of the process, with the reason when it failed.
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
