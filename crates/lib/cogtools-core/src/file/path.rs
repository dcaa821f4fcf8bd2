//! A path to write to, and the folder that it must stay in.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::boundary::Boundary;
use super::scope::ReadScope;

/// A path to write to, and the folder that it must stay in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WritePath {
    /// The folder; links in its own path are followed.
    pub(super) root: PathBuf,
    /// The path below it.
    pub(super) below: PathBuf,
    pub(super) boundary: Boundary,
}

impl WritePath {
    pub(super) fn new(root: &Path, below: &Path, boundary: Boundary) -> Self {
        Self {
            root: root.to_path_buf(),
            below: below.to_path_buf(),
            boundary,
        }
    }

    /// `path`, relative to the project's `root`. A path outside the project must stay
    /// in its own folder.
    pub fn in_project(root: &Path, path: &Path) -> Self {
        let path = root.join(path);
        let relative = path.strip_prefix(root).ok().filter(|path| descends(path));
        let below = relative.map(Path::to_path_buf).or_else(|| {
            // The path of a source may be canonical.
            let root = root.canonicalize().ok()?;
            let below = path.strip_prefix(root).ok()?;
            descends(below).then(|| below.to_path_buf())
        });
        match below {
            Some(below) => Self {
                root: root.to_path_buf(),
                below,
                boundary: Boundary::Project,
            },
            None => Self::in_folder(&path),
        }
    }

    /// A `path` that the user controls, such as a file in the home directory. All links
    /// on it are followed.
    pub fn of_user(path: &Path) -> Self {
        let target = path.canonicalize();
        Self::in_folder(target.as_deref().unwrap_or(path))
    }

    /// `path`, below its nearest existing ancestor. Links in the path of that folder
    /// are followed.
    pub fn in_folder(path: &Path) -> Self {
        let root = path
            .ancestors()
            .skip(1)
            .find(|folder| folder.is_dir())
            .unwrap_or(Path::new(""));
        let below = path.strip_prefix(root).unwrap_or(path);
        Self {
            root: root.to_path_buf(),
            below: below.to_path_buf(),
            boundary: Boundary::Folder,
        }
    }

    /// Where the file may be when it is read.
    pub fn read_scope(&self) -> ReadScope {
        ReadScope::within(&self.root, self.boundary, true)
    }

    /// `below`, relative to `folder`, which must exist. Links in the path of that folder are
    /// followed.
    pub fn below(folder: &Path, below: &Path) -> Self {
        Self::new(folder, below, Boundary::Folder)
    }

    /// The file `name` in the folder that this one is.
    pub(super) fn file(&self, name: &str) -> Self {
        Self {
            root: self.root.clone(),
            below: self.below.join(name),
            boundary: self.boundary,
        }
    }

    /// The full path.
    pub fn full(&self) -> PathBuf {
        self.root.join(&self.below)
    }

    /// The rest of the absolute `path` below the folder, if it leads there once links
    /// and dots are resolved.
    pub(super) fn rest(&self, path: &Path) -> Option<PathBuf> {
        let root = self.root.canonicalize().ok()?;
        let resolved = path.ancestors().find_map(|folder| {
            let existing = folder.canonicalize().ok()?;
            let rest = path.strip_prefix(folder).ok()?;
            Some(existing.join(rest))
        });
        Some(resolved?.strip_prefix(root).ok()?.to_path_buf())
    }
}

/// Whether `path`, read from left to right, stays below its starting point.
fn descends(path: &Path) -> bool {
    let mut depth = 0_usize;
    let mut parts = path.components();
    let is_contained = parts.all(|part| match part {
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::ParentDir if depth > 0 => {
            depth -= 1;
            true
        }
        part => part.as_os_str() == OsStr::new("."),
    });
    is_contained && depth > 0
}
