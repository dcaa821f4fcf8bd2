//! Why a configuration file is not changed.

use std::path::PathBuf;

use cogtools_core::file::WriteError;
use cogtools_core::text::TextError;
use cogtools_core::{Code, Diagnostic, Location};
use thiserror::Error;

/// Why a configuration file is not changed.
#[derive(Debug, Error)]
pub enum ConfigFileError {
    /// `HOME` is not set.
    #[error("the home directory is unknown")]
    NoHome,
    /// It cannot be read.
    #[error(transparent)]
    Text(TextError),
    /// It cannot be written.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
    /// The new value or the new text is not valid: all diagnostics.
    #[error("not a valid configuration")]
    Invalid(Vec<Diagnostic>),
    /// The key cannot be changed without changing the text around it.
    #[error("`{0}` cannot be changed without changing the text around it")]
    Entangled(String, Box<Location>),
    /// It has been changed by another process since it was read.
    #[error("`{0}` has been changed by another process")]
    Changed(PathBuf),
}

impl ConfigFileError {
    /// All diagnostics to show.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        let diagnostic = |code| Diagnostic::new(code, self.to_string());
        let diagnostic = match &self {
            Self::Invalid(diagnostics) => return diagnostics.clone(),
            Self::NoHome => diagnostic(Code::Usage).hint("set HOME"),
            Self::Text(error) => error.diagnostic(Code::InvalidConfig),
            Self::Entangled(_, location) => diagnostic(Code::Usage)
                .at((**location).clone())
                .hint("nothing was written; edit the file by hand"),
            Self::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("free disk space or grant permission, then run this again")),
            Self::Changed(_) => diagnostic(Code::IoFailed).hint("run this again"),
        };
        vec![diagnostic]
    }
}
