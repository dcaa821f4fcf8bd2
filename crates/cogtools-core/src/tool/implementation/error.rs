//! Why a command did not answer, in words for the model, the author or the user.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

use crate::process::{Exit, Output};
use crate::{Code, Diagnostic, Hint};

/// Why a tool that runs a program did not answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// The first element of `exec`, or the first line of a script, names nothing.
    #[error("no program is named to be run")]
    Nameless,
    /// No directory of PATH has it.
    #[error("the program `{0}` is not found")]
    NotFound(String),
    /// A path that is neither absolute nor begins with a dot.
    #[error("`{0}` is neither the name of a program nor a path that begins with `./`")]
    Unclear(String),
    /// A file that is not there.
    #[error("the program `{0}` does not exist")]
    Absent(PathBuf),
    /// An element that no program can be given.
    #[error("element {0} of the command holds a NUL character, which no program can be given")]
    Nul(usize),
    /// The system does not start it.
    #[error("the program `{0}` cannot be started: {1}")]
    Start(PathBuf, io::Error),
    /// No file can be written for the script.
    #[error("the script cannot be written to a temporary file: {0}")]
    Script(io::Error),
    /// It was not allowed to go on.
    #[error("the tool did not end within {} s", .0.as_secs_f64())]
    Late(Duration),
    /// It failed, or was ended.
    #[error("the program {}", .0.describe())]
    Failed(Exit),
    /// What it printed is no text.
    #[error("the program printed something else than UTF-8 from byte {0} on")]
    Encoding(usize),
}

/// How much of what a program said is told, in bytes: its end.
const STDERR_TAIL: usize = 8 << 10;

impl CommandError {
    /// How a run ended that did not end well.
    pub(super) const fn of(end: Exit, timeout: Duration) -> Self {
        match end {
            Exit::TimedOut => Self::Late(timeout),
            end => Self::Failed(end),
        }
    }

    /// The fault of the tool `name`.
    pub(super) fn diagnostic(&self, name: &str) -> Box<Diagnostic> {
        let mut diagnostic = Diagnostic::new(self.code(), self.to_string()).with_subject(name);
        diagnostic.hints.extend(self.hint().map(Hint::from));
        Box::new(diagnostic)
    }

    /// The same, with the end of what its program said: on standard error, or, when
    /// that is empty, on standard output.
    pub(super) fn diagnostic_with_output(&self, name: &str, output: &Output) -> Box<Diagnostic> {
        let mut diagnostic = self.diagnostic(name);
        let said = tail(&output.stderr.bytes);
        diagnostic.details = if said.trim().is_empty() {
            tail(&output.stdout.bytes)
        } else {
            said
        };
        diagnostic
    }

    const fn code(&self) -> Code {
        match self {
            Self::Nameless
            | Self::NotFound(_)
            | Self::Unclear(_)
            | Self::Absent(_)
            | Self::Start(..) => Code::InvalidTool,
            Self::Nul(_) | Self::Failed(_) | Self::Encoding(_) => Code::ToolFailed,
            Self::Script(_) => Code::IoFailed,
            Self::Late(_) => Code::Timeout,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Nameless => "name a program, as in `exec: [echo, hello]`".to_owned(),
            Self::NotFound(name) => format!(
                "install `{name}`, or put its directory on PATH; write `./{name}` for a file beside the tool"
            ),
            Self::Unclear(path) => {
                format!("write `./{path}` for a file below the tool's own folder")
            }
            Self::Absent(_) => {
                "a path that begins with `./` or `../` starts from the tool's own folder".to_owned()
            }
            Self::Nul(_) => "send text without the character U+0000".to_owned(),
            Self::Start(path, error) => return start_hint(path, error),
            Self::Script(_) => "make room in the directory that TMPDIR names, or in the system's".to_owned(),
            Self::Late(_) => "send less, or give the tool more time with `timeout`".to_owned(),
            Self::Failed(Exit::OutputLimit) => "ask the tool for less".to_owned(),
            Self::Failed(_) => return None,
            Self::Encoding(_) => {
                "a result is text; its author can encode it, as `base64` does, or write it to a file"
                    .to_owned()
            }
        })
    }
}

fn start_hint(path: &std::path::Path, error: &io::Error) -> Option<String> {
    Some(match error.kind() {
        ErrorKind::PermissionDenied => {
            format!("make it executable: chmod +x {}", path.display())
        }
        ErrorKind::NotFound => "the interpreter in its first line does not exist".to_owned(),
        ErrorKind::ArgumentListTooLong => {
            "send less; a tool can read arguments of any size from standard input".to_owned()
        }
        // ENOEXEC has no kind of its own.
        _ if cfg!(unix) && error.raw_os_error() == Some(8) => {
            "a script begins with a line such as `#!/bin/sh`".to_owned()
        }
        _ => return None,
    })
}

/// The end of `bytes` as text, from the beginning of a line where it has to be cut.
fn tail(bytes: &[u8]) -> String {
    let start = bytes.len().saturating_sub(STDERR_TAIL);
    let text = String::from_utf8_lossy(&bytes[start..]);
    let text = text.trim_end();
    if start == 0 {
        return text.to_owned();
    }
    let text = text.split_once('\n').map_or(text, |(_, rest)| rest);
    let left = bytes.trim_ascii_end().len().saturating_sub(text.len());
    format!("[{left} bytes before this are left out]\n{text}")
}
