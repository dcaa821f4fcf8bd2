//! The locations of a new tool and of the schema for editors.

use std::path::{Component, Path, PathBuf};

use cogtools_core::{Folder, Project};

use crate::new::error::NewError;

/// The schema's file, below the project's root. It is committed with the tools,
/// so that every editor finds it without a network.
const SCHEMA: [&str; 3] = [".cogtools", "schema", "tool.json"];

/// The folder of a new tool.
pub(crate) struct Destination {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The folder for messages.
    pub(crate) display_path: PathBuf,
    /// Whether the project finds tools in it by name.
    pub(crate) listed: bool,
}

/// The location of the schema.
pub(crate) struct Schema {
    /// Its file.
    pub(crate) file: PathBuf,
    /// Its file for messages.
    pub(crate) display_path: PathBuf,
    /// Its path relative to the tool's folder, for editors.
    pub(crate) reference: String,
}

impl Destination {
    /// `requested`, from the directory `cwd`, or else the first of `sources`.
    pub(crate) fn find(
        requested: Option<&Path>,
        cwd: &Path,
        sources: &[&Folder],
    ) -> Result<Self, NewError> {
        let Some(requested) = requested else {
            let first = sources.first().ok_or(NewError::NoFolder)?;
            return Ok(Self {
                folder: first.path().to_path_buf(),
                display_path: first.display_path().to_path_buf(),
                listed: true,
            });
        };
        let normalized: PathBuf = requested
            .components()
            .filter(|c| c.as_os_str() != ".")
            .collect();
        let folder = cwd.join(&normalized);
        let listed = sources.iter().any(|source| source.leads_to(&folder));
        Ok(Self {
            folder,
            display_path: normalized,
            listed,
        })
    }

    /// The location of the schema: at the project's root for a folder of the project,
    /// otherwise in the folder itself.
    pub(crate) fn schema(&self, project: &Project) -> Schema {
        let (folder, root) = (canonical(&self.folder), canonical(project.root()));
        let below: PathBuf = SCHEMA.iter().collect();
        let (file, display_path, prefix) = match folder.strip_prefix(&root) {
            Ok(path) => {
                let (file, display_path) = project.resolve(&below);
                (file, display_path, "../".repeat(depth(path)))
            }
            Err(_) => (
                self.folder.join(&below),
                self.display_path.join(&below),
                String::new(),
            ),
        };
        let prefix = if prefix.is_empty() { "./" } else { &prefix };
        Schema {
            file,
            display_path,
            reference: format!("{prefix}{}", SCHEMA.join("/")),
        }
    }
}

/// `path` with the links of its existing part resolved.
fn canonical(path: &Path) -> PathBuf {
    let mut above = path.ancestors();
    let resolved = above.find_map(|above| {
        let there = above.canonicalize().ok()?;
        Some(there.join(path.strip_prefix(above).ok()?))
    });
    resolved.unwrap_or_else(|| path.to_path_buf())
}

/// The depth of `path`, in folders.
fn depth(path: &Path) -> usize {
    path.components().fold(0, |depth: usize, part| match part {
        Component::ParentDir => depth.saturating_sub(1),
        _ => depth + 1,
    })
}
