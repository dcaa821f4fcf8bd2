//! The package that a tool comes from, which is allowed as a whole.

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
    /// Its folder, links resolved.
    pub(super) root: PathBuf,
}

impl ToolPackage {
    /// That of `tool`, if it runs programs and comes from one, be it by a folder or a
    /// link that leads there.
    pub(super) fn of(tool: &Tool) -> Option<Self> {
        if !tool.runs_programs() {
            return None;
        }
        let (name, root) = match &tool.provenance().author {
            Author::Package(root) => (tool.provenance().source.clone(), root.clone()),
            Author::Provider => return None,
            Author::Project => packages::cx(&tool.text().path().canonicalize().ok()?)?,
        };
        Some(Self { name, root })
    }

    /// What has to be allowed before any of its tools runs a program.
    pub(super) fn grant(&self) -> Result<Grant, DigestError> {
        grant(&self.name, &self.root)
    }
}

/// What has to be allowed of the package `name` in the folder `root`, as it is now.
pub(super) fn grant(name: &str, root: &Path) -> Result<Grant, DigestError> {
    let (source, tool) = key(name, root);
    let hash = digest::package(root)?;
    Ok(Grant { source, tool, hash })
}

/// Where the record has that package: source and tool.
pub(super) fn key(name: &str, root: &Path) -> (String, String) {
    (format!("npm:{name}"), root.display().to_string())
}
