//! The outcome of a run, and assertions on it.
//!
//! Assertions compare stdout, stderr and status completely: an unexpected warning on
//! stderr breaks a host that treats any stderr as a failure.

use std::fmt::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use serde_json::Value;

use crate::{Expected, difference};

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It exited with this status.
    Exit(i32),
    /// This signal ended it.
    Signal(i32),
}

impl From<i32> for Status {
    fn from(status: i32) -> Self {
        Self::Exit(status)
    }
}

impl From<u8> for Status {
    fn from(status: u8) -> Self {
        Self::Exit(status.into())
    }
}

impl From<ExitStatus> for Status {
    fn from(status: ExitStatus) -> Self {
        match status.code() {
            Some(code) => Self::Exit(code),
            None => Self::Signal(status.signal().unwrap_or_default()),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// The [`Outcome`] of a run in the test's process: of any value with fields `status`,
/// `stdout` and `stderr`.
#[macro_export]
macro_rules! outcome {
    ($run:expr) => {{
        let run = $run;
        $crate::Outcome::captured(stringify!($run), run.status, run.stdout, run.stderr)
    }};
}

/// The outcome of a run.
#[derive(Clone, Debug)]
#[must_use = "an unchecked outcome proves nothing"]
pub struct Outcome {
    /// The command line.
    pub command: String,
    /// The status.
    pub status: Status,
    /// The complete stdout.
    pub stdout: Vec<u8>,
    /// The complete stderr.
    pub stderr: Vec<u8>,
    /// True if it read all of its input before it exited. Meaningful only if the input is larger
    /// than a pipe's buffer (64 KiB).
    pub read_all_input: bool,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "`{}`: {}", self.command, self.status)?;
        for (name, bytes) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !bytes.is_empty() {
                writeln!(f, "{name}:\n{}", String::from_utf8_lossy(bytes))?;
            }
        }
        Ok(())
    }
}

impl Outcome {
    pub(crate) fn new(
        command: String,
        status: Status,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
        read_all_input: bool,
    ) -> Self {
        Self {
            command,
            status,
            stdout,
            stderr,
            read_all_input,
        }
    }

    /// The outcome of a run in the test's process; see [`outcome!`](crate::outcome).
    pub fn captured(command: &str, status: u8, stdout: String, stderr: String) -> Self {
        let (stdout, stderr) = (stdout.into_bytes(), stderr.into_bytes());
        let status = i32::from(status).into();
        Self::new(command.to_owned(), status, stdout, stderr, true)
    }

    /// Asserts status, stdout and stderr.
    #[track_caller]
    pub fn expect(
        &self,
        status: impl Into<Status>,
        stdout: impl Into<Expected>,
        stderr: impl Into<Expected>,
    ) -> &Self {
        let (stdout, stderr) = (stdout.into(), stderr.into());
        self.check(Some(status.into()), Some(&stdout), Some(&stderr))
    }

    /// Asserts success with this stdout and empty stderr.
    #[track_caller]
    pub fn outputs(&self, stdout: impl Into<Expected>) -> &Self {
        self.expect(0, stdout, "")
    }

    /// Asserts success with this JSON on stdout, in any formatting.
    #[track_caller]
    pub fn outputs_json(&self, expected: &Value) -> &Self {
        let found = self.json();
        let pretty = |value: &Value| format!("{value:#}\n");
        if let Some(difference) = difference(pretty(expected), pretty(&found)) {
            panic!(
                "`{}`\nstdout (- expected, + found):\n{difference}",
                self.command
            );
        }
        self
    }

    /// Asserts failure with this status, this stderr and empty stdout.
    #[track_caller]
    pub fn fails(&self, status: impl Into<Status>, stderr: impl Into<Expected>) -> &Self {
        self.expect(status, "", stderr)
    }

    /// Asserts success with empty stderr; stdout may be anything.
    #[track_caller]
    pub fn succeeds(&self) -> &Self {
        self.status(0).stderr_is("")
    }

    /// Asserts only the status.
    #[track_caller]
    pub fn status(&self, status: impl Into<Status>) -> &Self {
        self.check(Some(status.into()), None, None)
    }

    /// Asserts only stdout, completely.
    #[track_caller]
    pub fn stdout_is(&self, stdout: impl Into<Expected>) -> &Self {
        self.check(None, Some(&stdout.into()), None)
    }

    /// Asserts only stderr, completely.
    #[track_caller]
    pub fn stderr_is(&self, stderr: impl Into<Expected>) -> &Self {
        self.check(None, None, Some(&stderr.into()))
    }

    /// Asserts a part of stdout, for third-party programs.
    #[track_caller]
    pub fn stdout_contains(&self, part: &str) -> &Self {
        let found = String::from_utf8_lossy(&self.stdout);
        assert!(found.contains(part), "no `{part}` in stdout of {self}");
        self
    }

    /// Asserts a part of stderr, for third-party programs.
    #[track_caller]
    pub fn stderr_contains(&self, part: &str) -> &Self {
        let found = String::from_utf8_lossy(&self.stderr);
        assert!(found.contains(part), "no `{part}` in stderr of {self}");
        self
    }

    /// Asserts that the program read all of its input.
    #[track_caller]
    pub fn reads_all_input(&self) -> &Self {
        assert!(
            self.read_all_input,
            "`{}` ended before it had read its input",
            self.command
        );
        self
    }

    /// Asserts success with empty stderr and returns stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        self.succeeds();
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| {
            let text = self.stdout.escape_ascii();
            panic!("`{}`: stdout is not JSON: {error}\n{text}", self.command)
        })
    }

    /// Asserts success with empty stderr and returns stdout as text.
    #[track_caller]
    pub fn text(&self) -> String {
        self.succeeds();
        String::from_utf8(self.stdout.clone()).unwrap_or_else(|error| {
            let text = self.stdout.escape_ascii();
            panic!("`{}`: stdout is not UTF-8: {error}\n{text}", self.command)
        })
    }

    #[track_caller]
    fn check(
        &self,
        status: Option<Status>,
        stdout: Option<&Expected>,
        stderr: Option<&Expected>,
    ) -> &Self {
        let mut wrong = String::new();
        if let Some(status) = status.filter(|status| *status != self.status) {
            wrong = format!("status: expected {status}, got {}\n", self.status);
        }
        let mut right = String::new();
        for (name, expected, found) in [
            ("stdout", stdout, &self.stdout),
            ("stderr", stderr, &self.stderr),
        ] {
            if let Some(difference) = expected.and_then(|expected| expected.difference(found)) {
                let _ = write!(wrong, "{name} (- expected, + found):\n{difference}");
            } else if !found.is_empty() {
                let note = expected.map_or("", |_| " (as expected)");
                let _ = writeln!(right, "{name}{note}:");
                right.push_str(&String::from_utf8_lossy(found));
            }
        }
        assert!(wrong.is_empty(), "`{}`\n{wrong}{right}", self.command);
        self
    }
}
