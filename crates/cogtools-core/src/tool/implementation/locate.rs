//! Where the program is that a command names.
//!
//! A name is looked for on PATH, as everywhere. A path that begins with `./` or
//! `../` starts from the tool's own folder, so that a tool can bring its program
//! along wherever it is installed. Nothing is looked for in the directory that
//! happens to be the current one.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use super::error::CommandError;
use crate::environment::Vars;

/// Where programs are looked for.
#[derive(Clone, Debug)]
pub(super) struct ProgramSearch {
    /// PATH; only what is absolute of it counts.
    path: OsString,
    /// The tool's own folder, absolute.
    folder: PathBuf,
}

impl ProgramSearch {
    /// The search for a tool in `folder` that sees `variables`.
    pub(super) fn new(folder: PathBuf, variables: &Vars) -> Self {
        let path = variables.get(OsStr::new("PATH"));
        let entries = path.map(env::split_paths).into_iter().flatten();
        let path = env::join_paths(entries.filter(|entry| entry.is_absolute()));
        Self {
            path: path.unwrap_or_default(),
            folder,
        }
    }

    /// The file of the program that is written `name`.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, CommandError> {
        let path = Path::new(name);
        let mut parts = path.components();
        let first = parts.next().ok_or(CommandError::Nameless)?;
        let absent = |path: &Path| CommandError::Absent(path.to_path_buf());
        if path.is_absolute() {
            return self.file(path).ok_or_else(|| absent(path));
        }
        if matches!(first, Component::CurDir | Component::ParentDir) {
            let tidy: PathBuf = path
                .components()
                .filter(|part| *part != Component::CurDir)
                .collect();
            return self
                .file(&self.folder.join(tidy))
                .ok_or_else(|| absent(path));
        }
        if parts.next().is_some() || name.ends_with(['/', '\\']) {
            return Err(CommandError::Unclear(name.to_owned()));
        }
        self.search(name)
            .ok_or_else(|| CommandError::NotFound(name.to_owned()))
    }

    /// What PATH has of that name.
    pub(super) fn search(&self, name: &str) -> Option<PathBuf> {
        which::which_in(name, Some(&self.path), &self.folder).ok()
    }

    /// An executable file; where names have endings, the one with the ending that
    /// `path` leaves out. A file that is not executable is found too, for the
    /// system to say so.
    fn file(&self, path: &Path) -> Option<PathBuf> {
        let found = which::which_in(path, Some(&self.path), &self.folder).ok();
        found.or_else(|| path.is_file().then(|| path.to_path_buf()))
    }
}
