//! Where a tool comes from, as those know it who use it.

use std::path::{Path, PathBuf};

/// Where a tool comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The source's name: the path of a folder, the name of a package or a provider.
    pub source: String,
    /// The name of the toolset, if it is in one: a folder below the source, with
    /// `/` between folders, or a package.
    pub toolset: Option<String>,
    /// Who else has written it.
    pub author: Author,
}

/// Who has written a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Author {
    /// The project itself, or whoever runs it.
    #[default]
    Project,
    /// The package in this folder.
    Package(PathBuf),
    /// A provider that whoever wrote the project has named.
    Provider,
}

impl Provenance {
    /// That of a folder of the project.
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

    /// That of the folder `name` in it.
    pub(crate) fn below(&self, name: &str) -> Self {
        let toolset = self.toolset.as_ref();
        let toolset = toolset.map_or_else(|| name.to_owned(), |above| format!("{above}/{name}"));
        Self {
            toolset: Some(toolset),
            ..self.clone()
        }
    }
}
