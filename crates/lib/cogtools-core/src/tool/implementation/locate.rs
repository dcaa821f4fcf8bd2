//! The search for the program that a command names.
//!
//! A name is searched on PATH. A path that begins with `./` or `../` is relative to
//! the tool's folder, so that a tool can ship its program. The current directory is
//! never searched.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use super::error::CommandError;
use crate::environment::Vars;

/// Where programs are searched.
#[derive(Clone, Debug)]
pub(super) struct ProgramSearch {
    /// The absolute entries of PATH.
    path: OsString,
    /// The tool's folder, absolute.
    folder: PathBuf,
}

impl ProgramSearch {
    /// The search for a tool in `folder` that sees `variables`.
    pub(super) fn new(folder: PathBuf, variables: &Vars) -> Self {
        let entries = variables
            .get(OsStr::new("PATH"))
            .map(env::split_paths)
            .into_iter()
            .flatten();
        let path = env::join_paths(entries.filter(|entry| entry.is_absolute()));
        Self {
            path: path.unwrap_or_default(),
            folder,
        }
    }

    /// The file of the program `name`.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, CommandError> {
        let path = Path::new(name);
        let mut parts = path.components();
        let first = parts.next().ok_or(CommandError::NoProgram)?;
        let absent = |path: &Path| CommandError::NoSuchFile(path.to_path_buf());
        if path.is_absolute() {
            return self.file(path).ok_or_else(|| absent(path));
        }
        if matches!(first, Component::CurDir | Component::ParentDir) {
            let relative: PathBuf = path
                .components()
                .filter(|part| *part != Component::CurDir)
                .collect();
            return self
                .file(&self.folder.join(relative))
                .ok_or_else(|| absent(path));
        }
        if parts.next().is_some() || name.ends_with(['/', '\\']) {
            return Err(CommandError::Unclear(name.to_owned()));
        }
        self.search(name)
            .ok_or_else(|| CommandError::NotFound(name.to_owned()))
    }

    /// The program of that name on PATH.
    pub(super) fn search(&self, name: &str) -> Option<PathBuf> {
        which::which_in(name, Some(&self.path), &self.folder).ok()
    }

    /// The executable file at `path`, or with an extension of PATHEXT where the system
    /// has that. A file that is not executable is returned, too, so that the error
    /// comes from the system.
    fn file(&self, path: &Path) -> Option<PathBuf> {
        let found = which::which_in(path, Some(&self.path), &self.folder).ok();
        found.or_else(|| path.is_file().then(|| path.to_path_buf()))
    }
}
