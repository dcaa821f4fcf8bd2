//! Where a new tool and the schema for its editor go.

use std::path::{Component, Path, PathBuf};

use cogtools_core::{Folder, Project};

use crate::refusal::Refusal;

/// The schema's file, below the project's root. It is committed with the tools,
/// so that every editor finds it without a network.
const SCHEMA: [&str; 3] = [".cogtools", "schema", "tool.json"];

/// A folder for a tool.
pub(crate) struct Place {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The folder as the user would write it.
    pub(crate) shown: PathBuf,
    /// Whether tools in it are found by name.
    pub(crate) listed: bool,
}

/// Where the schema is.
pub(crate) struct Schema {
    /// Its file.
    pub(crate) file: PathBuf,
    /// Its file as the user would write it.
    pub(crate) shown: PathBuf,
    /// The way to it from the tool's folder, as editors read it.
    pub(crate) reference: String,
}

impl Place {
    /// `asked`, from the directory `cwd`, or else the first of `sources`.
    pub(crate) fn find(
        asked: Option<&Path>,
        cwd: &Path,
        sources: &[&Folder],
    ) -> Result<Self, Refusal> {
        let Some(asked) = asked else {
            let first = sources.first().ok_or(Refusal::NoFolder)?;
            return Ok(Self {
                folder: first.path().to_path_buf(),
                shown: first.display_path().to_path_buf(),
                listed: true,
            });
        };
        let tidy: PathBuf = asked
            .components()
            .filter(|c| c.as_os_str() != ".")
            .collect();
        let folder = cwd.join(&tidy);
        let listed = sources.iter().any(|source| source.leads_to(&folder));
        Ok(Self {
            folder,
            shown: tidy,
            listed,
        })
    }

    /// Where the schema goes: to the project's root for a folder of the project,
    /// else into the folder itself.
    pub(crate) fn schema(&self, project: &Project) -> Schema {
        let (folder, root) = (canonical(&self.folder), canonical(project.root()));
        let below: PathBuf = SCHEMA.iter().collect();
        let (file, shown, way) = match folder.strip_prefix(&root) {
            Ok(path) => {
                let (file, shown) = project.resolve(&below);
                (file, shown, "../".repeat(depth(path)))
            }
            Err(_) => (
                self.folder.join(&below),
                self.shown.join(&below),
                String::new(),
            ),
        };
        let way = if way.is_empty() { "./" } else { &way };
        Schema {
            file,
            shown,
            reference: format!("{way}{}", SCHEMA.join("/")),
        }
    }
}

/// `path` with the links followed as far as it is there; the rest will be made.
fn canonical(path: &Path) -> PathBuf {
    let mut above = path.ancestors();
    let found = above.find_map(|above| {
        let there = above.canonicalize().ok()?;
        Some(there.join(path.strip_prefix(above).ok()?))
    });
    found.unwrap_or_else(|| path.to_path_buf())
}

/// How many folders lie between the beginning and the end of `path`.
fn depth(path: &Path) -> usize {
    path.components().fold(0, |depth: usize, part| match part {
        Component::ParentDir => depth.saturating_sub(1),
        _ => depth + 1,
    })
}
