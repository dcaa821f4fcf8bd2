//! Why a file is not changed.

use std::path::PathBuf;

use cogtools_core::file::WriteError;
use cogtools_core::text::TextError;
use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;
use thiserror::Error;

/// Why a file is not changed.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    /// Nobody says where the home directory is.
    #[error("no home directory is known")]
    NoHome,
    /// It cannot be read.
    #[error(transparent)]
    Text(TextError),
    /// It cannot be written.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
    /// Somebody else has written to it meanwhile.
    #[error("`{0}` has been changed by somebody else meanwhile")]
    Overtaken(PathBuf),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let diagnostic = |code| Diagnostic::new(code, refusal.to_string());
        match &refusal {
            Refusal::NoHome => diagnostic(Code::Usage).hint("set HOME"),
            Refusal::Text(error) => error.diagnostic(Code::InvalidConfig),
            Refusal::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("make room or give permission, then run this again")),
            Refusal::Overtaken(_) => diagnostic(Code::IoFailed).hint("run this again"),
        }
        .into()
    }
}
