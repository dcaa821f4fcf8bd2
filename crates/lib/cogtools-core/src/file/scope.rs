//! Where a file may be that is read.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::boundary::Boundary;

/// Where a file may be that is read, and whether messages may quote it.
///
/// Who names a file decides: the author of a repository must not make cogtools read, and
/// show, a file of its user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReadScope {
    /// Anywhere: the user has named the file. Links are followed.
    #[default]
    User,
    /// Below a folder, which no link may leave.
    Within {
        /// The folder; links in its own path are followed.
        folder: Arc<Path>,
        /// The kind of folder.
        boundary: Boundary,
        /// Whether messages may quote lines of its files.
        quotable: bool,
    },
}

impl ReadScope {
    /// Files of the project at `root`.
    pub fn project(root: &Path) -> Self {
        Self::within(root, Boundary::Project, true)
    }

    /// Files of the package in the folder `root`.
    pub fn package(root: &Path, quotable: bool) -> Self {
        Self::within(root, Boundary::Package, quotable)
    }

    /// Files of a folder outside the project that the user has not named: messages quote
    /// none of them.
    pub fn foreign(folder: &Path) -> Self {
        Self::within(folder, Boundary::Folder, false)
    }

    /// Files of a folder of tools, of the project at `root` or outside it. `own` says
    /// that the user has named it, rather than the project.
    pub fn source(root: &Path, folder: &Path, own: bool) -> Self {
        let is_inside = below(root, folder).is_some()
            || root
                .canonicalize()
                .and_then(|root| Ok(folder.canonicalize()?.starts_with(root)))
                .unwrap_or(false);
        if is_inside {
            Self::project(root)
        } else if own {
            Self::User
        } else {
            Self::foreign(folder)
        }
    }

    pub(super) fn within(folder: &Path, boundary: Boundary, quotable: bool) -> Self {
        let here = Path::new(".");
        let is_here = folder.as_os_str().is_empty();
        Self::Within {
            folder: if is_here { here } else { folder }.into(),
            boundary,
            quotable,
        }
    }

    /// Whether messages may quote lines of its files.
    pub const fn is_quotable(&self) -> bool {
        match self {
            Self::User => true,
            Self::Within { quotable, .. } => *quotable,
        }
    }

    /// The kind of folder that links must not leave.
    pub const fn boundary(&self) -> Option<Boundary> {
        match self {
            Self::User => None,
            Self::Within { boundary, .. } => Some(*boundary),
        }
    }

    /// Whether `path` is below the folder, read from left to right without resolving links.
    pub fn covers(&self, path: &Path) -> bool {
        match self {
            Self::User => true,
            Self::Within { folder, .. } => below(folder, path).is_some(),
        }
    }

    /// Whether the file or folder at `path` is outside, once links are resolved. Anything
    /// that does not exist is not.
    pub fn is_left_by(&self, path: &Path) -> bool {
        let Self::Within { folder, .. } = self else {
            return false;
        };
        path.canonicalize().is_ok_and(|real| {
            let folder = folder.canonicalize();
            !folder.is_ok_and(|folder| real.starts_with(folder))
        })
    }

    /// The same for a folder that is most likely reached without links, which is cheap to
    /// see.
    pub fn is_left_by_folder(&self, path: &Path) -> bool {
        let Self::Within { folder, .. } = self else {
            return false;
        };
        let is_direct = below(folder, path).is_some_and(|below| {
            let mut path = folder.to_path_buf();
            below.components().all(|part| {
                path.push(part);
                part != Component::ParentDir && !path.is_symlink()
            })
        });
        !is_direct && self.is_left_by(path)
    }
}

/// The rest of `path` below `root`, read from left to right without resolving links;
/// empty for `root` itself.
pub(super) fn below(root: &Path, path: &Path) -> Option<PathBuf> {
    let below = if root == Path::new(".") && path.is_relative() {
        path
    } else {
        path.strip_prefix(root).ok()?
    };
    let mut depth = 0_usize;
    for part in below.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => depth = depth.checked_sub(1)?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(below.to_path_buf())
}
