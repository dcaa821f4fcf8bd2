//! Why a session cannot be read or written.

use std::io;
use std::path::PathBuf;

use cogtools_document::file::{ReadError, WriteError};
use cogtools_document::{Code, Diagnostic};

use crate::reader::{MAX_BLOB_BYTES, MAX_DEPTH, MAX_ENTRIES, MAX_FILE_BYTES, MAX_LINE_BYTES};
use crate::{Header, Id};

/// Why a line is not one of a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It is not JSON. A line that was cut off is not.
    #[error("the line is not JSON: {0}")]
    Syntax(String),
    /// It is JSON, but not an object.
    #[error("the line is not a JSON object")]
    NotAnObject,
    /// It is JSON, but nested too deeply.
    #[error("the line is nested in more than {MAX_DEPTH} levels")]
    TooDeep,
    /// It is too long.
    #[error("the line is longer than {} MiB", MAX_LINE_BYTES >> 20)]
    TooLong,
    /// There is no `kind`.
    #[error("`kind` is missing, or not a text")]
    NoKind,
    /// A field that each line has is missing or wrong.
    #[error("`{0}`: {1}")]
    Field(String, String),
    /// The fields of this kind are wrong.
    #[error("not a valid `{0}`: {1}")]
    Event(String, String),
    /// The numbers do not grow.
    #[error("`id` is {0}, but an earlier line has {1}")]
    Order(Id, Id),
    /// No line before it has the number of its parent.
    #[error("`parent` is {0}, but no earlier line has that `id`")]
    Parent(Id),
    /// It refers to an entry that does not exist.
    #[error("it refers to {0}, but no earlier line has that `id`")]
    Reference(Id),
    /// It says that lines before it were cut off, and they were not.
    #[error("it counts {0} lines that were cut off, but there are {1}")]
    Torn(u32, u32),
    /// A second header.
    #[error("a session has only one header")]
    SecondHeader,
}

/// Why a session cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The file cannot be opened.
    #[error("`{path}` cannot be read: {1}", path = .0.display())]
    Open(PathBuf, ReadError),
    /// The first line is not a header.
    #[error("`{path}` is not a session: {1}", path = .0.display())]
    Header(PathBuf, HeaderError),
    /// A later version has written it.
    #[error("`{path}` was written by a newer cogtools (format {1}; this one reads {own})", path = .0.display(), own = Header::FORMAT)]
    Newer(PathBuf, u64),
    /// A line is invalid.
    #[error("`{path}`, line {1}: {2}", path = .0.display())]
    Line(PathBuf, usize, LineError),
    /// It is too large.
    #[error("`{}` has more than {} MiB or {MAX_ENTRIES} lines", .0.display(), MAX_FILE_BYTES >> 20)]
    TooLarge(PathBuf),
}

/// Why the first line is not a header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// There is no line.
    #[error("it is empty")]
    Empty,
    /// The line is not a line of a session.
    #[error("{0}")]
    Line(LineError),
    /// Something else comes first.
    #[error("the first line has no `kind` of `{}`", Header::KIND)]
    Missing,
}

/// The failure of a run that would go on with the `part` of `subject` in which a secret is masked.
pub fn masked(subject: &str, part: &str) -> Diagnostic {
    let message = format!("the session masks a secret in {part}, and nothing runs with the mask");
    Diagnostic::new(Code::InvalidSession, message).with_subject(subject)
}

/// Why a session cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Another process writes to it.
    #[error("`{}` is in use by another process", .0.display())]
    InUse(PathBuf),
    /// A new session was wanted, and the file has one.
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
    /// It cannot be opened or created.
    #[error("`{path}` cannot be written: {1}", path = .0.display())]
    Open(PathBuf, WriteError),
    /// A line cannot be written: the disk is full, for example.
    #[error("`{path}` cannot be written: {1}", path = .0.display())]
    Write(PathBuf, io::Error),
    /// The line would be too long, or too deep, to be read again.
    #[error("`{}` cannot have a line of more than {} MiB", .0.display(), MAX_LINE_BYTES >> 20)]
    LineTooLong(PathBuf),
    /// The value is nested too deeply to be read again.
    #[error("`{}` cannot have a line that is nested so deeply", .0.display())]
    TooDeep(PathBuf),
    /// The file would be too large.
    #[error("`{}` cannot have more than {} MiB or {MAX_ENTRIES} lines", .0.display(), MAX_FILE_BYTES >> 20)]
    Full(PathBuf),
    /// A blob is too large.
    #[error("`{}` cannot have more than {} MiB", .0.display(), MAX_BLOB_BYTES >> 20)]
    BlobTooLarge(PathBuf),
    /// The parent, or an entry that it refers to, does not exist.
    #[error("`{path}` has no entry {1}", path = .0.display())]
    NoEntry(PathBuf, Id),
    /// It cannot be continued, because it cannot be read.
    #[error(transparent)]
    Read(#[from] SessionError),
}

impl SessionError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = self.to_string();
        match self {
            Self::Open(_, error) if is_missing(error) => {
                Diagnostic::new(Code::SessionNotFound, message)
                    .hint("`cogtools session list` shows the sessions of this project")
            }
            Self::Open(_, ReadError::Outside { .. }) => {
                Diagnostic::new(Code::Denied, message).hint("name the file itself")
            }
            Self::Open(..) => Diagnostic::new(Code::IoFailed, message)
                .hint("check that it is a file that you can read"),
            Self::Header(..) => Diagnostic::new(Code::InvalidSession, message)
                .hint("name a file that a run or `cogtools session fork` has written"),
            Self::Newer(..) => {
                Diagnostic::new(Code::InvalidSession, message).hint("update cogtools")
            }
            Self::Line(..) => Diagnostic::new(Code::InvalidSession, message)
                .hint("`cogtools session verify` lists everything that is wrong with it")
                .hint("remove the line, or restore the file from a copy"),
            Self::TooLarge(_) => {
                Diagnostic::new(Code::InvalidSession, message).hint("begin a new session")
            }
        }
    }
}

impl LogError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = self.to_string();
        match self {
            Self::InUse(_) => Diagnostic::new(Code::SessionInUse, message)
                .hint("wait until it ends, or continue in a copy: `cogtools session fork`"),
            Self::Exists(_) => Diagnostic::new(Code::IoFailed, message)
                .hint("name another file; `--continue` or `resume` goes on with this one"),
            Self::Open(_, error) => {
                let code = match error {
                    WriteError::Link { .. } | WriteError::Dangling { .. } => Code::Denied,
                    WriteError::Changed | WriteError::ReadOnly | WriteError::Io(_) => {
                        Code::IoFailed
                    }
                };
                Diagnostic::new(code, message)
                    .hint(error.hint("make the file and its folder writable, or name another file"))
            }
            Self::Write(..) => Diagnostic::new(Code::IoFailed, message)
                .hint("free disk space, or make the file writable, then continue the session"),
            Self::LineTooLong(_) | Self::TooDeep(_) | Self::BlobTooLarge(_) => {
                Diagnostic::new(Code::IoFailed, message).hint("send less at once")
            }
            Self::Full(_) => Diagnostic::new(Code::IoFailed, message).hint("begin a new session"),
            Self::NoEntry(..) => Diagnostic::new(Code::SessionNotFound, message)
                .hint("`cogtools session tree` shows the entries"),
            Self::Read(error) => error.diagnostic(),
        }
    }
}

impl From<SessionError> for Box<Diagnostic> {
    fn from(error: SessionError) -> Self {
        Self::new(error.diagnostic())
    }
}

impl From<LogError> for Box<Diagnostic> {
    fn from(error: LogError) -> Self {
        Self::new(error.diagnostic())
    }
}

fn is_missing(error: &ReadError) -> bool {
    match error {
        ReadError::Dangling => true,
        ReadError::Io(error) => error.kind() == io::ErrorKind::NotFound,
        ReadError::Outside { .. } | ReadError::NotAFile => false,
    }
}
