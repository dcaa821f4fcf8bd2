//! Where a tool comes from.

use std::path::{Path, PathBuf};

/// Where a tool comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The source's name: the path of a folder, the name of a package or a provider.
    pub source: String,
    /// The name of the toolset, if it is in one: a folder below the source, with
    /// `/` between folders, or a package.
    pub toolset: Option<String>,
    /// The author.
    pub author: Author,
}

/// The author of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Author {
    /// The project.
    #[default]
    Project,
    /// The user: a folder outside the project, or a provider, of the user's own
    /// configuration. It sees the user's variables only.
    User,
    /// The package in this folder.
    Package(PathBuf),
    /// A provider that the project's configuration names.
    Provider,
    /// This program: a built-in tool, which approves what it calls.
    BuiltIn,
}

impl Provenance {
    /// The provenance of a folder of the project.
    pub(crate) fn local(display_path: &Path) -> Self {
        let source = if display_path.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            display_path.display().to_string()
        };
        Self {
            source,
            toolset: None,
            author: Author::Project,
        }
    }

    /// The provenance of the folder `name` in it.
    pub(crate) fn below(&self, name: &str) -> Self {
        let toolset = match &self.toolset {
            Some(parent) => format!("{parent}/{name}"),
            None => name.to_owned(),
        };
        Self {
            toolset: Some(toolset),
            ..self.clone()
        }
    }
}
