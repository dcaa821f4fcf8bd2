//! Errors of commands, worded for the model, the author or the user.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process::{Exit, Output};
use crate::{Code, Diagnostic, Hint};

/// Why a call that runs a program failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// The first element of `exec`, or the first line of a script, is empty.
    #[error("the command names no program")]
    NoProgram,
    /// No directory of PATH has the program.
    #[error("the program `{0}` was not found")]
    NotFound(String),
    /// A path that is neither absolute nor begins with a dot.
    #[error("`{0}` is neither a program's name nor a path that begins with `./`")]
    Unclear(String),
    /// A file that does not exist.
    #[error("the program `{0}` does not exist")]
    NoSuchFile(PathBuf),
    /// An element that cannot be passed to a program.
    #[error("element {0} of the command contains a NUL character, which no program accepts")]
    Nul(usize),
    /// An item of an array that has no text.
    #[error("item {1} of `{0}` is or contains an object, which cannot be an argument of a program")]
    Object(String, usize),
    /// The system cannot start it.
    #[error("the program `{0}` cannot be started: {1}")]
    Start(PathBuf, io::Error),
    /// The script's file cannot be written.
    #[error("the script cannot be written to a temporary file: {0}")]
    Script(io::Error),
    /// The program that runs agents printed something else than its report.
    #[error("the report of the agent cannot be read")]
    Report,
    /// It exceeded its timeout.
    #[error("the tool timed out after {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It failed or was killed.
    #[error("the program {}", .0.describe())]
    Failed(Exit),
    /// Its output is not text.
    #[error("the program's output is not UTF-8 from byte {0} on")]
    Encoding(usize),
}

/// The number of bytes from the end of a program's output that are shown.
const STDERR_TAIL: usize = 8 << 10;

impl CommandError {
    /// Makes the error for a run that failed.
    pub(super) const fn of(end: Exit, timeout: Duration) -> Self {
        match end {
            Exit::TimedOut => Self::TimedOut(timeout),
            end => Self::Failed(end),
        }
    }

    /// Makes the diagnostic for the tool `name`.
    pub(super) fn diagnostic(&self, name: &str) -> Box<Diagnostic> {
        let mut diagnostic = Diagnostic::new(self.code(), self.to_string()).with_subject(name);
        diagnostic.hints.extend(self.hint().map(Hint::from));
        Box::new(diagnostic)
    }

    /// Makes the diagnostic for the tool `name` with the end of the program's standard error or,
    /// if that is empty, of its standard output.
    pub(super) fn diagnostic_with_output(&self, name: &str, output: &Output) -> Box<Diagnostic> {
        let mut diagnostic = self.diagnostic(name);
        let stderr = tail(&output.stderr.bytes);
        diagnostic.details = if stderr.trim().is_empty() {
            tail(&output.stdout.bytes)
        } else {
            stderr
        };
        diagnostic
    }

    const fn code(&self) -> Code {
        match self {
            Self::NoProgram
            | Self::NotFound(_)
            | Self::Unclear(_)
            | Self::NoSuchFile(_)
            | Self::Start(..) => Code::InvalidTool,
            Self::Nul(_)
            | Self::Object(..)
            | Self::Failed(_)
            | Self::Encoding(_)
            | Self::Report => Code::ToolFailed,
            Self::Script(_) => Code::IoFailed,
            Self::TimedOut(_) => Code::Timeout,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Report => "its answer may be too long: ask it for less".to_owned(),
            Self::NoProgram => "name a program, as in `exec: [echo, hello]`".to_owned(),
            Self::NotFound(name) => format!(
                "install `{name}`, or add its directory to PATH; write `./{name}` for a file next to the tool"
            ),
            Self::Unclear(path) => {
                format!("write `./{path}` for a file below the tool's folder")
            }
            Self::NoSuchFile(_) => {
                "a path that begins with `./` or `../` is relative to the tool's folder".to_owned()
            }
            Self::Nul(_) => "send text without the character U+0000".to_owned(),
            Self::Object(..) => {
                "send text or numbers; the program can read objects from standard input".to_owned()
            }
            Self::Start(path, error) => return start_hint(path, error),
            Self::Script(_) => "free space in the directory that TMPDIR names, or in the system's".to_owned(),
            Self::TimedOut(_) => "send less, or give the tool more time with `timeout`".to_owned(),
            Self::Failed(Exit::OutputLimit) => "ask the tool for less".to_owned(),
            Self::Failed(exit) => return exit.exceeded_limit().map(limit_hint),
            Self::Encoding(_) => {
                "a result is text; the tool's author can encode it, as `base64` does, or write it to a file"
                    .to_owned()
            }
        })
    }
}

fn start_hint(path: &Path, error: &io::Error) -> Option<String> {
    Some(match error.kind() {
        ErrorKind::PermissionDenied => {
            format!("make it executable: chmod +x {}", path.display())
        }
        ErrorKind::NotFound => "the interpreter in its first line does not exist".to_owned(),
        ErrorKind::ArgumentListTooLong => {
            "send less; a tool can read arguments of any size from standard input".to_owned()
        }
        // EAGAIN: the system counts all processes of the user.
        ErrorKind::WouldBlock => limit_hint("processes"),
        // ENOEXEC has no `ErrorKind`.
        _ if cfg!(unix) && error.raw_os_error() == Some(8) => {
            "begin the script with a line such as `#!/bin/sh`".to_owned()
        }
        _ => return None,
    })
}

/// Returns the hint to a limit of the configuration.
fn limit_hint(limit: &str) -> String {
    format!("it may use more if your own configuration sets `limits.{limit}`; see cogtoolrc(5)")
}

/// Returns the end of `bytes` as text; if truncated, it begins with a whole line.
fn tail(bytes: &[u8]) -> String {
    let start = bytes.len().saturating_sub(STDERR_TAIL);
    let decoded = String::from_utf8_lossy(&bytes[start..]);
    let text = decoded.trim_end();
    if start == 0 {
        return text.to_owned();
    }
    let lines = text.split_once('\n').map_or(text, |(_, rest)| rest);
    let left_out = bytes.trim_ascii_end().len().saturating_sub(lines.len());
    format!("[{left_out} bytes before this are left out]\n{lines}")
}
