//! Why one editor did not answer.

use std::io;
use std::path::PathBuf;

/// Why one editor did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The variable names something else than a socket.
    #[error("`{0}` is not the path of a socket")]
    NotAPath(String),
    /// The socket is gone.
    #[error("there is no socket at `{}`", .0.display())]
    Absent(PathBuf),
    /// The editor has ended and left the socket.
    #[error("nothing listens on `{}`", .0.display())]
    Refused(PathBuf),
    /// A file, a folder or a socket of another user.
    #[error("`{}` belongs to another user", .0.display())]
    Foreign(PathBuf),
    /// Others could have written it.
    #[error("`{}` can be written by other users", .0.display())]
    Shared(PathBuf),
    /// The discovery file cannot be used.
    #[error("`{}` is not valid: {reason}", .file.display())]
    Discovery {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The process that wrote the discovery file has ended.
    #[error("process {0} has ended")]
    Ended(u32),
    /// No answer came in time.
    #[error("it did not answer within {0} s")]
    TimedOut(u64),
    /// It ended the connection.
    #[error("it closed the connection without an answer")]
    Closed,
    /// The answer has no end, or one that is too far.
    #[error("its answer is longer than {} MiB", .0 >> 20)]
    TooLong(u64),
    /// The answer has the wrong form.
    #[error("its answer is not valid: {0}")]
    Invalid(String),
    /// The editor's own error.
    #[error("it answered: {0}")]
    Rejected(String),
    /// The editor cannot do that.
    #[error("it does not have `{0}`")]
    Unsupported(&'static str),
    /// Its folders are others.
    #[error("none of its folders contains `{}`", .0.display())]
    Elsewhere(PathBuf),
    /// It has no server to connect to.
    #[error("it has no server: run M-x server-start")]
    NoServer,
    /// An extension for one agent, whose connection another client would break.
    #[error("the companion of {0} serves {0} alone: run cogtools editor install")]
    Companion(&'static str),
    /// The user does not want an editor.
    #[error("COGTOOLS_EDITOR is `none`")]
    Disabled,
    /// The file of a snapshot.
    #[error("`{}` cannot be read: {reason}", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// The system's error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Failure {
    /// The longest text of an editor that a message contains, in characters.
    const MAX_SHOWN: usize = 200;

    /// The editor's own error, which may have any length.
    pub(crate) fn rejected(message: &str) -> Self {
        Self::Rejected(shown(message))
    }

    /// An answer that is not valid.
    pub(crate) fn invalid(reason: &str) -> Self {
        Self::Invalid(shown(reason))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::invalid(&error.to_string())
    }
}

/// The beginning of a text by others, in one line.
pub(crate) fn shown(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or_default().trim();
    let shown = line.chars().filter(|c| !c.is_control());
    shown.take(Failure::MAX_SHOWN).collect()
}
