//! The folders whose files may come from others: the project, the repository around it, and
//! the packages above it.

use std::path::{Path, PathBuf};

/// The name of the folder that contains packages.
pub const MODULES: &str = "node_modules";
/// Folders of the system, for a project that is the root of the file system.
const SYSTEM: [&str; 8] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/snap",
];

/// The folders of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The project and its repository.
    folders: Vec<PathBuf>,
    /// The folders of packages above the project.
    modules: Vec<PathBuf>,
}

impl Roots {
    /// The folders of the project at `root`. A repository in the user's `home`, where
    /// some keep their settings, is not the project's.
    pub fn of(root: &Path, home: Option<&Path>) -> Self {
        let real = root.canonicalize();
        let root = real.unwrap_or_else(|_| root.to_path_buf());
        let home = home.and_then(|home| home.canonicalize().ok());
        let is_own = |folder: &Path| {
            let contains_home = home.as_ref().is_some_and(|home| home.starts_with(folder));
            !contains_home && folder.parent().is_some()
        };
        let repository = root
            .ancestors()
            .skip(1)
            .find(|folder| folder.join(".git").exists() && is_own(folder));
        let repository = repository.map(Path::to_path_buf);
        let modules = root.ancestors().skip(1).map(|folder| folder.join(MODULES));
        Self {
            modules: modules.collect(),
            folders: std::iter::once(root.clone()).chain(repository).collect(),
        }
    }

    /// Whether one of the folders contains `path`, which has no links.
    pub fn contain(&self, path: &Path) -> bool {
        let mut all = self.folders.iter().chain(&self.modules);
        all.any(|folder| {
            let is_all = folder.parent().is_none();
            path.starts_with(folder)
                && !(is_all && SYSTEM.iter().any(|system| path.starts_with(system)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_the_file_system_has_programs_of_the_system() {
        let roots = Roots::of(Path::new("/"), None);
        for (path, expected) in [
            ("/usr/bin/env", false),
            ("/bin/sh", false),
            ("/x.sh", true),
            ("/home/me/x.sh", true),
        ] {
            assert_eq!(roots.contain(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn packages_above_the_project_are_not_the_systems() {
        let roots = Roots::of(Path::new("/nowhere/a/b"), None);
        for (path, expected) in [
            ("/nowhere/a/b/x", true),
            ("/nowhere/a/node_modules/x/y", true),
            ("/node_modules/x", true),
            ("/nowhere/a/x", false),
            ("/nowhere/a/bc", false),
            ("/usr/lib/node_modules/npm/bin/npm-cli.js", false),
        ] {
            assert_eq!(roots.contain(Path::new(path)), expected, "{path}");
        }
    }
}
