//! Why a configuration file is not changed.

use std::path::PathBuf;

use cogtools_core::file::WriteError;
use cogtools_core::text::TextError;
use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;
use thiserror::Error;

/// Why a configuration file is not changed.
#[derive(Debug, Error)]
pub(crate) enum ConfigFileError {
    /// `HOME` is not set.
    #[error("the home directory is unknown")]
    NoHome,
    /// It cannot be read.
    #[error(transparent)]
    Text(TextError),
    /// It cannot be written.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
    /// It has been changed by another process since it was read.
    #[error("`{0}` has been changed by another process")]
    Changed(PathBuf),
}

impl From<ConfigFileError> for Failure {
    fn from(error: ConfigFileError) -> Self {
        let diagnostic = |code| Diagnostic::new(code, error.to_string());
        match &error {
            ConfigFileError::NoHome => diagnostic(Code::Usage).hint("set HOME"),
            ConfigFileError::Text(error) => error.diagnostic(Code::InvalidConfig),
            ConfigFileError::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("free disk space or grant permission, then run this again")),
            ConfigFileError::Changed(_) => diagnostic(Code::IoFailed).hint("run this again"),
        }
        .into()
    }
}
