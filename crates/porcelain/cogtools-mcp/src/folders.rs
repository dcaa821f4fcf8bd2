//! The folders whose files make the list of tools.

use std::path::{Path, PathBuf};

use cogtools_core::Source;
use cogtools_program::project;

use crate::catalogue::Catalogue;

impl Catalogue {
    /// The folders to watch for changes of the list: the root, for its configuration,
    /// and the folders of tools, or the closest ancestors that exist.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let (root, config) = self.with_io(|io| {
            let project = project::project(io);
            let config = project::valid_config(&project, io);
            (project.root().to_path_buf(), config)
        });
        let path = |source: &Source| match source.folder() {
            Some(folder) => folder.path().to_path_buf(),
            None => root.join("node_modules"),
        };
        let closest = |path: PathBuf| {
            let existing = path.ancestors().find(|path| path.is_dir());
            existing.map(Path::to_path_buf)
        };
        let sources = config.map(|config| config.sources).unwrap_or_default();
        let mut folders: Vec<PathBuf> = sources.iter().map(path).filter_map(closest).collect();
        let host_folder = root.join(".gemini");
        if host_folder.is_dir() {
            folders.push(host_folder);
        }
        folders.push(root);
        folders.sort_unstable();
        folders.dedup();
        folders
    }
}
