//! `cogtools session resume`: goes on with a session, as `cogtools ask` does.

use std::process::Command;

use cogtools_program::{Failure, Io};

use crate::locate::locate;

/// Continues as `cogtools ask --session FILE --continue`, with the prompt if there is one.
pub(crate) fn resume(name: Option<&str>, prompt: &[String], io: &Io<'_>) -> Result<(), Failure> {
    let file = locate(name, io)?;
    let mut ask = Command::new(&io.program);
    ask.args(["ask", "--continue", "--session"])
        .arg(file.path());
    if !prompt.is_empty() {
        ask.arg("--").args(prompt);
    }
    ask.current_dir(&io.cwd);
    Err(Failure::Exec(ask.into()))
}
