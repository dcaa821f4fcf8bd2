//! The kinds of folders that a file must stay in.

use std::fmt;

/// The kind of folder, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// The project.
    Project,
    /// A package.
    Package,
    /// The folder of a file outside the project.
    Folder,
}

impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Project => "the project",
            Self::Package => "its package",
            Self::Folder => "its folder",
        })
    }
}
