//! The package that a tool comes from, which is approved as a whole.

use std::path::{Path, PathBuf};

use crate::Tool;
use crate::digest::{self, DigestError};
use crate::source::packages;
use crate::tool::Author;
use crate::trust::Grant;

/// A package that a tool comes from.
#[derive(Clone, Debug)]
pub(super) struct ToolPackage {
    pub(super) name: String,
    /// Its folder, with links resolved.
    pub(super) root: PathBuf,
}

impl ToolPackage {
    /// The package of `tool`, if it runs programs and comes from one, whether by its
    /// folder or through a link.
    pub(super) fn of(tool: &Tool) -> Option<Self> {
        if !tool.runs_programs() {
            return None;
        }
        let (name, root) = match &tool.provenance().author {
            Author::Package(root) => (tool.provenance().source.clone(), root.clone()),
            Author::Provider | Author::BuiltIn => return None,
            Author::Project | Author::User => {
                packages::containing_package(&tool.text().path().canonicalize().ok()?)?
            }
        };
        Some(Self { name, root })
    }

    /// The grant that its tools need before they run a program.
    pub(super) fn grant(&self) -> Result<Grant, DigestError> {
        grant(&self.name, &self.root)
    }
}

/// The grant for the package `name` in the folder `root`, with its current content.
pub(super) fn grant(name: &str, root: &Path) -> Result<Grant, DigestError> {
    let (source, tool) = key(name, root);
    let hash = digest::package(root)?;
    Ok(Grant { source, tool, hash })
}

/// The source and tool under which the package is recorded.
pub(super) fn key(name: &str, root: &Path) -> (String, String) {
    (format!("npm:{name}"), root.display().to_string())
}
