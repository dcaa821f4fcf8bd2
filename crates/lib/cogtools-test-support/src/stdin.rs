//! The standard input of a program.
//!
//! Programs fail differently in each of these situations, so a test names the one
//! that it covers.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The standard input of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// `/dev/null`, as under a service manager.
    #[default]
    Null,
    /// A pipe with these bytes, closed at their end.
    Bytes(Vec<u8>),
    /// A closed file descriptor 0, as after `<&-`.
    Closed,
    /// A pipe that stays open and is never written to.
    Open,
    /// This file, opened for reading.
    File(PathBuf),
    /// A terminal without any input.
    Terminal,
}

/// Runs its arguments without descriptor 0: without unsafe code, only a shell can
/// close it.
const CLOSED: &str = r#"exec "$@" <&-"#;

/// Runs the command line in its argument at a terminal that `script` creates, with
/// stdout and stderr redirected around it.
const TERMINAL: &str = r#"exec script -qec "$1" /dev/null 3>&1 4>&2 >/dev/null 2>&1"#;

impl Stdin {
    /// The command that runs `program` with this input.
    pub(crate) fn command(&self, program: &Path, args: &[OsString]) -> Command {
        let mut command = match self {
            Self::Closed | Self::Terminal => Command::new("/bin/sh"),
            _ => Command::new(program),
        };
        match self {
            Self::Closed => command.args(["-c", CLOSED, "sh"]).arg(program).args(args),
            Self::Terminal => {
                let line = quoted(program.as_os_str(), args);
                command.args(["-c", TERMINAL, "sh"]).arg(line)
            }
            _ => command.args(args),
        };
        command
    }

    pub(crate) fn stdio(&self) -> Stdio {
        match self {
            Self::Null | Self::Closed => Stdio::null(),
            Self::Bytes(_) | Self::Open | Self::Terminal => Stdio::piped(),
            Self::File(path) => File::open(path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
                .into(),
        }
    }
}

/// A shell's command line that runs `program` with its streams on 3 and 4.
fn quoted(program: &OsStr, args: &[OsString]) -> OsString {
    let mut line = OsString::from("exec");
    for word in [program].into_iter().chain(args.iter().map(AsRef::as_ref)) {
        let word = word.to_str().expect("a shell word that is no UTF-8");
        line.push(format!(" '{}'", word.replace('\'', r"'\''")));
    }
    line.push(" >&3 2>&4 3>&- 4>&-");
    line
}

impl From<&str> for Stdin {
    fn from(text: &str) -> Self {
        Self::Bytes(text.into())
    }
}

impl From<String> for Stdin {
    fn from(text: String) -> Self {
        Self::Bytes(text.into())
    }
}

impl From<&String> for Stdin {
    fn from(text: &String) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }
}

impl From<&[u8]> for Stdin {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Stdin {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<const N: usize> From<&[u8; N]> for Stdin {
    fn from(bytes: &[u8; N]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl From<&serde_json::Value> for Stdin {
    fn from(value: &serde_json::Value) -> Self {
        Self::Bytes(value.to_string().into())
    }
}

impl From<serde_json::Value> for Stdin {
    fn from(value: serde_json::Value) -> Self {
        Self::from(&value)
    }
}
