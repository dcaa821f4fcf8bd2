//! The errors of writing a file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::boundary::Boundary;

/// Why a file was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// A link on the path leads outside the folder.
    #[error("the link `{}` points outside {boundary}, to `{}`", link.display(), target.display())]
    Link {
        /// The link, relative to that folder.
        link: PathBuf,
        /// Its target.
        target: PathBuf,
        /// The folder that it leaves.
        boundary: Boundary,
    },
    /// A dangling link on the path.
    #[error("the link `{}` points to `{}`, which does not exist", link.display(), target.display())]
    Dangling {
        /// The link, relative to the folder.
        link: PathBuf,
        /// Its target.
        target: PathBuf,
    },
    /// The file has changed.
    #[error("it was changed by another program meanwhile")]
    Changed,
    /// The system refuses it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl WriteError {
    /// What to do about it; `otherwise` for errors of the system.
    pub fn hint(&self, otherwise: &str) -> String {
        match self {
            Self::Link { link, .. } => format!(
                "replace `{}` with a regular file or folder, then run this again",
                link.display()
            ),
            Self::Dangling { link, .. } => format!(
                "create the target of `{}`, or remove the link, then run this again",
                link.display()
            ),
            Self::Changed => "run this again".to_owned(),
            Self::Io(_) => otherwise.to_owned(),
        }
    }
}
