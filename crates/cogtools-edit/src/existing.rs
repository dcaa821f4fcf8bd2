//! A file that is there already, read with care.
//!
//! It may be anything: a link, a directory, a pipe that never ends, somebody's
//! file in another encoding. Whatever cannot be read as text is named, and left
//! alone.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use cogtools_core::{Code, Diagnostic, Location};
use thiserror::Error;

/// A text file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Existing {
    /// The file as the user knows it, relative to the project.
    pub file: PathBuf,
    /// The file itself, with every symbolic link followed.
    pub target: PathBuf,
    /// Its text, with the byte order mark if there is one.
    pub text: String,
}

/// Why a file that is there cannot be worked with.
#[derive(Debug, Error)]
pub enum ExistingError {
    /// It cannot be read.
    #[error("cannot be read: {error}")]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// It is a symbolic link to nothing.
    #[error("is a symbolic link to a file that does not exist")]
    Dangling(PathBuf),
    /// It is a directory, a pipe, a device.
    #[error("is not a file")]
    NotAFile(PathBuf),
    /// It is too large to be what it should be.
    #[error("is larger than {} MiB", Existing::LIMIT >> 20)]
    TooLarge(PathBuf),
    /// It is not UTF-8.
    #[error("is not UTF-8")]
    NotText(Location),
    /// It may not be written.
    #[error("may not be written: it is read-only")]
    ReadOnly(PathBuf),
}

impl Existing {
    /// The largest file that is read: 16 MiB.
    pub const LIMIT: u64 = 16 << 20;

    /// Opens `file` of `project`; `None` when nothing is there.
    pub fn open(project: &Path, file: &Path) -> Result<Option<Self>, ExistingError> {
        let path = project.join(file);
        let unreadable = |error| ExistingError::Unreadable {
            file: file.to_path_buf(),
            error,
        };
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
            Ok(_) => {}
        }
        let target = fs::canonicalize(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => ExistingError::Dangling(file.to_path_buf()),
            _ => unreadable(error),
        })?;
        // Asked before opening: a pipe would wait for a writer for ever.
        let metadata = fs::metadata(&target).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(ExistingError::NotAFile(file.to_path_buf()));
        }
        if metadata.len() > Self::LIMIT {
            return Err(ExistingError::TooLarge(file.to_path_buf()));
        }
        let bytes = fs::read(&target).map_err(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|error| not_text(file, &error))?;
        Ok(Some(Self {
            file: file.to_path_buf(),
            target,
            text,
        }))
    }

    /// Whether it may be replaced. A file that its owner made read-only is meant
    /// to stay, though a rename could get around that.
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
    /// The same as a fault, with what to do about it.
    pub fn diagnostic(self) -> Diagnostic {
        let message = self.to_string();
        let diagnostic = |code, file: &Path| {
            Diagnostic::new(code, message.clone()).with_subject(file.display().to_string())
        };
        match self {
            Self::Unreadable { file, .. } => diagnostic(Code::IoFailed, &file)
                .hint("make it readable, or move it away, then run this again"),
            Self::Dangling(file) => diagnostic(Code::IoFailed, &file)
                .hint("create the file it points to, or take the link out, then run this again"),
            Self::NotAFile(file) | Self::TooLarge(file) => {
                diagnostic(Code::InvalidConfig, &file).hint("move it away, then run this again")
            }
            Self::NotText(place) => Diagnostic::new(Code::InvalidConfig, message)
                .hint("save it as UTF-8, then run this again")
                .at(place),
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
