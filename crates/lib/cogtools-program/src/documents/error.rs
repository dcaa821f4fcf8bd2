//! Why a file is not written, and the hint for each reason.

use std::path::PathBuf;

use cogtools_core::file::WriteError;
use cogtools_core::text::TextError;
use cogtools_core::{Code, Diagnostic, Location};

use crate::documents::markers::{END, MarkerError};

/// Why a file is not written.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// No file was named, and none of the default files has markers.
    #[error("none of GEMINI.md, AGENTS.md and CLAUDE.md contains the markers of the table")]
    NoMarkers,
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] TextError),
    /// Its markers are not a pair.
    #[error("{error}")]
    Markers {
        /// What is wrong.
        error: MarkerError,
        /// The marker.
        location: Location,
    },
    /// A table at its end would be part of a code block.
    #[error("`{0}` ends inside a block of code or HTML, which would contain the table")]
    UnclosedBlock(PathBuf),
    /// It is read-only.
    #[error("`{0}` cannot be written: it is read-only")]
    ReadOnly(PathBuf),
    /// It has been changed by another process since it was read.
    #[error("`{0}` has been changed by another process")]
    Changed(PathBuf),
    /// The system reported an error.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
}

impl DocumentError {
    /// The diagnostic to report.
    pub fn diagnostic(self) -> Diagnostic {
        let diagnostic = |code| Diagnostic::new(code, self.to_string());
        match &self {
            Self::NoMarkers => diagnostic(Code::Usage)
                .hint("cogtools docs GEMINI.md appends them with the table")
                .hint("move them to where the table belongs"),
            Self::Unreadable(error) => error.diagnostic(Code::InvalidConfig),
            Self::Markers { error, location } => {
                let hint = match error {
                    MarkerError::NoEnd(_) => format!("write `{END}` on a separate line after it"),
                    MarkerError::EndFirst(_) => {
                        "remove it, or move it after `cogtools:begin`".to_owned()
                    }
                    MarkerError::Nested(_) => format!("write `{END}` before it"),
                    MarkerError::Unnamed(_) => "write `<!-- cogtools:flow NAME -->`".to_owned(),
                    MarkerError::NoFlow(..) => "`cogtools list` shows the tools".to_owned(),
                    _ => "remove it".to_owned(),
                };
                diagnostic(Code::InvalidConfig)
                    .hint(hint)
                    .at(location.clone())
            }
            Self::UnclosedBlock(_) => diagnostic(Code::InvalidConfig)
                .hint("close the block, or write the markers where the table belongs"),
            Self::ReadOnly(_) => {
                diagnostic(Code::IoFailed).hint("make it writable, then run this again")
            }
            Self::Changed(_) => diagnostic(Code::IoFailed).hint("run this again"),
            Self::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("free disk space or grant permission, then run this again")),
        }
    }
}
