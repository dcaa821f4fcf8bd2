//! Where a provider starts, and what is inside of a folder.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use super::Settings;
use crate::Context;
use crate::environment::Vars;

/// The working directory of the provider with `settings`.
pub(super) fn directory(settings: &Settings, cx: &Context) -> PathBuf {
    if !settings.is_neutral() {
        return cx.root.clone();
    }
    neutral_directory(cx.environment.process())
}

/// A directory in which nothing of a project is, for a process with these variables.
pub fn neutral_directory(variables: &Vars) -> PathBuf {
    if cfg!(windows) {
        let drive = variables.get(OsStr::new("SystemDrive"));
        let mut root = drive.map_or_else(|| OsString::from("C:"), Clone::clone);
        root.push("\\");
        return PathBuf::from(root);
    }
    PathBuf::from("/")
}

/// Whether `path` is in the folder `root`, as written or with links resolved.
pub(super) fn is_inside(path: &Path, root: &Path) -> bool {
    let up = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    let below = |path: &Path, root: &Path| path.starts_with(root) && !up(path);
    if below(path, root) {
        return true;
    }
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => path.starts_with(root),
        _ => false,
    }
}
