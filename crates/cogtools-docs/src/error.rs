//! Why a file is not written, and what to do about it.

use std::path::PathBuf;

use cogtools_core::file::WriteError;
use cogtools_core::text::TextError;
use cogtools_core::{Code, Diagnostic, Location};

use crate::markers::{Broken, END};

/// Why a file is not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// No file was named, and none of the usual ones asks for a table.
    #[error("neither GEMINI.md nor AGENTS.md nor CLAUDE.md has the markers of a table")]
    NoMarkers,
    /// It is there, and cannot be read.
    #[error(transparent)]
    Unreadable(#[from] TextError),
    /// Its markers are no pair.
    #[error("{broken}")]
    Broken { broken: Broken, place: Location },
    /// What is added at its end would be code.
    #[error("`{0}` ends inside of a block of code or HTML, which would swallow the table")]
    Open(PathBuf),
    /// Its owner wants it to stay as it is.
    #[error("`{0}` may not be written: it is read-only")]
    ReadOnly(PathBuf),
    /// Somebody wrote to it meanwhile.
    #[error("`{0}` was changed by somebody else meanwhile")]
    Overtaken(PathBuf),
    /// The system says why.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
}

impl Refusal {
    /// The fault to show.
    pub(crate) fn diagnostic(self) -> Diagnostic {
        let diagnostic = |code| Diagnostic::new(code, self.to_string());
        match &self {
            Self::NoMarkers => diagnostic(Code::Usage)
                .hint("cogtools docs GEMINI.md adds them with the table at its end")
                .hint("then they can be moved to where the table belongs"),
            Self::Unreadable(error) => error.diagnostic(Code::InvalidConfig),
            Self::Broken { broken, place } => {
                let hint = match broken {
                    Broken::NoEnd(_) => format!("write `{END}` on a line of its own behind it"),
                    Broken::EndFirst(_) => "remove it, or put it behind the beginning".to_owned(),
                    _ => "remove it".to_owned(),
                };
                diagnostic(Code::InvalidConfig).hint(hint).at(place.clone())
            }
            Self::Open(_) => diagnostic(Code::InvalidConfig)
                .hint("close the block, or write the markers where the table belongs"),
            Self::ReadOnly(_) => {
                diagnostic(Code::IoFailed).hint("make it writable, then run this again")
            }
            Self::Overtaken(_) => diagnostic(Code::IoFailed).hint("run this again"),
            Self::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("make room or give permission, then run this again")),
        }
    }
}
