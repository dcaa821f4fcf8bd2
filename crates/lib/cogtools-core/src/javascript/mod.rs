//! Runs of JavaScript: a body over `args`, evaluated by a process of `cogtools-js`.
//!
//! No engine is linked here. The process confines itself before it reads the code, and is killed
//! when its own limits do not end it in time, so that a run costs no more than it may.

mod error;
mod requested;
mod wire;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

pub use error::{ScriptError, ScriptErrorKind};
pub use wire::{Event, Request};

use crate::environment::Vars;
use crate::process::{Exit, Output, Process};
use crate::{Cancel, json};

/// A body of JavaScript, and what it is run with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The body of a strict function with the parameter `args`.
    pub code: String,
    /// The value of `args`, as JSON.
    pub args: String,
    /// How long it may run.
    pub timeout: Duration,
    /// The time that its clock shows, in milliseconds since 1970; the real time if there is none.
    pub now: Option<f64>,
}

/// What a body returned.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The result.
    pub value: Value,
    /// The result as JSON, as the engine wrote it.
    pub json: String,
    /// Whether the result is the text of a value that JSON does not have.
    pub stringified: bool,
    /// What was logged.
    pub logs: Vec<String>,
    /// How long it ran, in milliseconds.
    pub ms: u64,
}

impl Evaluation {
    /// The evaluation as one JSON object: `result`, `logs`, `stringified` and `ms`.
    pub fn render(&self) -> String {
        let Self {
            json,
            logs,
            stringified,
            ms,
            ..
        } = self;
        let logs = Value::from(logs.as_slice());
        format!(r#"{{"result":{json},"logs":{logs},"stringified":{stringified},"ms":{ms}}}"#)
    }
}

impl Script {
    /// The program that evaluates.
    pub const PROGRAM: &'static str = "cogtools-js";
    /// The option with which that program is the confined process; its value is the timeout in
    /// milliseconds.
    pub const OPTION: &'static str = "--worker";
    /// How many bytes a result has at most, as JSON: 1 MiB.
    pub const MAX_RESULT_BYTES: usize = 1 << 20;
    /// How many bytes of what is logged are kept: 64 KiB.
    pub const MAX_LOG_BYTES: usize = 64 << 10;
    /// How many bytes of memory the values of a run may take: 64 MiB.
    pub const MEMORY: usize = 64 << 20;

    /// How much longer than its timeout a run may take until it is killed.
    const GRACE: Duration = Duration::from_millis(150);
    /// How much the process may print: a result and logs, with all escapes.
    const MAX_OUTPUT_BYTES: usize = 4 << 20;

    /// Runs it with the `cogtools-js` in the folder `programs`, until it ends or is cancelled.
    pub fn run(self, programs: Option<&Path>, cancel: &Cancel) -> Result<Evaluation, ScriptError> {
        let file = Self::file(programs).ok_or(ScriptErrorKind::NotInstalled)?;
        let folder = file.parent().unwrap_or(Path::new("/")).to_path_buf();
        let Self {
            code,
            args,
            timeout,
            now,
        } = self;
        let option = OsString::from(Self::OPTION);
        let milliseconds = (timeout.as_secs_f64() * 1000.0).to_string();
        // Its clock is in UTC, whatever the zone of this machine is.
        let variables = Vars::from([("TZ".into(), "UTC0".into())]);
        let output = Process::new(&file, folder)
            .args([option, milliseconds.into()])
            .variables(variables)
            .input(Request { code, now }.encode(&args))
            .stdout_limit(Self::MAX_OUTPUT_BYTES)
            .timeout(timeout.saturating_add(Self::GRACE))
            .run(cancel)
            .map_err(|error| ScriptErrorKind::Start(error.to_string()))?;
        evaluation(&output, timeout)
    }

    /// The file of the program in the folder `programs`, if it is installed.
    pub fn file(programs: Option<&Path>) -> Option<PathBuf> {
        let name = format!("{}{}", Self::PROGRAM, std::env::consts::EXE_SUFFIX);
        let file = programs?.join(name);
        file.is_file().then_some(file)
    }
}

/// What the process reported, or why it ended without that.
fn evaluation(output: &Output, timeout: Duration) -> Result<Evaluation, ScriptError> {
    let mut logs = Vec::new();
    let fail = |kind: ScriptErrorKind, logs: Vec<String>| {
        let error = ScriptError::from(kind);
        Err(ScriptError { logs, ..error })
    };
    // A process that was killed may have written a part of a line.
    for line in output.stdout.bytes.split(|byte| *byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(Event::Log(text)) => logs.push(text),
            Ok(Event::Result {
                json,
                stringified,
                ms,
            }) => {
                let Ok(value) = json::parse(&json) else {
                    return fail(ScriptErrorKind::Crashed("no JSON as a result".into()), logs);
                };
                return Ok(Evaluation {
                    value,
                    json,
                    stringified,
                    logs,
                    ms,
                });
            }
            Ok(Event::Error(error)) => return Err(ScriptError { logs, ..error }),
            Err(_) => {}
        }
    }
    fail(
        match output.exit {
            Exit::TimedOut => ScriptErrorKind::Timeout(timeout),
            Exit::Cancelled => ScriptErrorKind::Cancelled,
            exit => ScriptErrorKind::Crashed(exit.describe()),
        },
        logs,
    )
}

#[cfg(test)]
mod tests;
