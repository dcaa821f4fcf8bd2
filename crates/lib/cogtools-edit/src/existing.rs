//! Reading an existing file with care.
//!
//! It may be anything: a link, a directory, a pipe that never ends, a file in
//! another encoding. A file that cannot be read as text is reported and left
//! unchanged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cogtools_core::file::ReadScope;
use cogtools_core::text::{self, TextError};
use cogtools_core::{Code, Diagnostic, Location};
use thiserror::Error;

/// An existing text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Existing {
    /// The path to display, relative to the project.
    pub file: PathBuf,
    /// The canonical path.
    pub target: PathBuf,
    /// Its text, including any byte order mark.
    pub text: String,
}

/// Why an existing file cannot be edited.
#[derive(Debug, Error)]
pub enum ExistingError {
    /// It cannot be read.
    #[error("cannot be read: {error}")]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// It is a dangling symbolic link.
    #[error("is a symbolic link to a file that does not exist")]
    Dangling(PathBuf),
    /// A link to it leaves the project.
    #[error(transparent)]
    Outside(TextError),
    /// It is a directory, a pipe, a device.
    #[error("is not a file")]
    NotAFile(PathBuf),
    /// It is too large for a configuration file.
    #[error("is larger than {} MiB", Existing::MAX_BYTES >> 20)]
    TooLarge(PathBuf),
    /// It is not UTF-8.
    #[error("is not UTF-8")]
    NotText(Location),
    /// It is read-only.
    #[error("cannot be written: it is read-only")]
    ReadOnly(PathBuf),
}

impl Existing {
    /// The maximum size in bytes: 16 MiB.
    pub const MAX_BYTES: usize = 16 << 20;

    /// Opens `file`; `None` if it does not exist. A relative `file` is in `project`, and
    /// no link to it may leave that; an absolute one belongs to the user.
    pub fn open(project: &Path, file: &Path) -> Result<Option<Self>, ExistingError> {
        let path = project.join(file);
        let scope = if file.is_absolute() {
            ReadScope::User
        } else {
            ReadScope::project(project)
        };
        let unreadable = |error| ExistingError::Unreadable {
            file: file.to_path_buf(),
            error,
        };
        let bytes = match text::bytes(&path, file, Self::MAX_BYTES, &scope) {
            Ok(bytes) => bytes,
            Err(TextError::NotFound(_)) => return Ok(None),
            // The writer names a folder on the path that is a dangling link.
            Err(TextError::Dangling(_)) if !path.is_symlink() => return Ok(None),
            Err(TextError::Dangling(file)) => return Err(ExistingError::Dangling(file)),
            Err(TextError::NotAFile(file)) => return Err(ExistingError::NotAFile(file)),
            Err(TextError::TooLarge(file)) => return Err(ExistingError::TooLarge(file)),
            Err(TextError::Io(_, error)) => return Err(unreadable(error)),
            Err(error) => return Err(ExistingError::Outside(error)),
        };
        let target = fs::canonicalize(&path).map_err(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|error| not_text(file, &error))?;
        Ok(Some(Self {
            file: file.to_path_buf(),
            target,
            text,
        }))
    }

    /// Checks that it may be replaced. A rename could replace a read-only file, but
    /// its owner intended it not to change.
    pub fn writable(&self) -> Result<(), ExistingError> {
        let metadata = fs::metadata(&self.target).map_err(|error| ExistingError::Unreadable {
            file: self.file.clone(),
            error,
        })?;
        if metadata.permissions().readonly() {
            return Err(ExistingError::ReadOnly(self.file.clone()));
        }
        Ok(())
    }
}

impl ExistingError {
    /// The error as a diagnostic with hints.
    pub fn diagnostic(self) -> Diagnostic {
        let message = self.to_string();
        let diagnostic = |code, file: &Path| {
            Diagnostic::new(code, message.clone()).with_subject(file.display().to_string())
        };
        match self {
            Self::Unreadable { file, .. } => diagnostic(Code::IoFailed, &file)
                .hint("make it readable, or move it away, then run this again"),
            Self::Dangling(file) => diagnostic(Code::IoFailed, &file)
                .hint("create the file it points to, or remove the link, then run this again"),
            Self::NotAFile(file) | Self::TooLarge(file) => {
                diagnostic(Code::InvalidConfig, &file).hint("move it away, then run this again")
            }
            Self::Outside(error) => error.diagnostic(Code::InvalidConfig),
            Self::NotText(location) => Diagnostic::new(Code::InvalidConfig, message)
                .hint("save it as UTF-8, then run this again")
                .at(location),
            Self::ReadOnly(file) => {
                diagnostic(Code::IoFailed, &file).hint("make it writable, then run this again")
            }
        }
    }
}

fn not_text(file: &Path, error: &std::string::FromUtf8Error) -> ExistingError {
    let bytes = error.as_bytes();
    let valid = error.utf8_error().valid_up_to();
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let text = String::from_utf8_lossy(bytes);
    ExistingError::NotText(Location::new(file, &text, line, column, 1))
}
