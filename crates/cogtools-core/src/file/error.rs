//! Why a file is not written.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::path::Boundary;

/// Why a file is not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// A link on the way leads out of the folder.
    #[error("the link `{}` leads out of {boundary}, to `{}`", link.display(), target.display())]
    Link {
        /// The link, relative to that folder.
        link: PathBuf,
        /// Its text.
        target: PathBuf,
        /// What it leads out of.
        boundary: Boundary,
    },
    /// A link on the way leads to nothing.
    #[error("the link `{}` leads to `{}`, which does not exist", link.display(), target.display())]
    Dangling {
        /// The link, relative to the folder.
        link: PathBuf,
        /// Its text.
        target: PathBuf,
    },
    /// The file is not what it was expected to be.
    #[error("it was changed by another program meanwhile")]
    Changed,
    /// The system refuses it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl WriteError {
    /// What to do about it; `otherwise` when it is the system that refuses.
    pub fn hint(&self, otherwise: &str) -> String {
        match self {
            Self::Link { link, .. } => format!(
                "replace `{}` with a file or a folder of its own, then run this again",
                link.display()
            ),
            Self::Dangling { link, .. } => format!(
                "create what `{}` leads to, or remove the link, then run this again",
                link.display()
            ),
            Self::Changed => "run this again".to_owned(),
            Self::Io(_) => otherwise.to_owned(),
        }
    }
}
