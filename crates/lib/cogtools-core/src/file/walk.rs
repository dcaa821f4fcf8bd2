//! Finds a file below a folder, and opens the folders on the way by handle.
//!
//! Links are resolved by name first. The path that is left has none, and each of its folders is
//! opened from the one above without following a link: one that is swapped in meanwhile ends
//! the walk.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use super::folder::Folder;
use super::{WriteError, WritePath};

/// The maximum number of links on a path, as on Linux.
const MAX_LINKS: usize = 40;

/// Treatment of a link with the file's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// It is followed to its target.
    Follow,
    /// The link itself is the file.
    KeepLast,
}

/// Treatment of missing folders.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// Create them.
    Make,
    /// Treat the file as missing.
    Fail,
}

/// The location of a file, which need not exist.
pub(super) struct Found {
    pub(super) folder: Rc<Folder>,
    pub(super) name: OsString,
    pub(super) made: Made,
}

/// Folders that were created on the way; removed again unless they are kept.
#[derive(Default)]
pub(super) struct Made(Vec<(Rc<Folder>, OsString)>);

impl Made {
    pub(super) fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for (folder, name) in self.0.iter().rev() {
            // A folder that another program already uses is not empty, and remains.
            let _ = folder.remove_folder(name);
        }
    }
}

/// Resolves the file at `path`.
pub(super) fn find(path: &WritePath, links: Links, missing: Missing) -> Result<Found, WriteError> {
    let root = path.root.canonicalize()?;
    Ok(enter(&root, &resolve(path, &root, links)?, missing)?)
}

/// Opens the folder of the file at `below` in the folder `root`. Fails at a link or at dots.
pub(super) fn enter(root: &Path, below: &Path, missing: Missing) -> io::Result<Found> {
    let mut folder = Rc::new(Folder::open(root)?);
    let mut made = Made::default();
    let mut parts = below.components().peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else {
            return Err(ErrorKind::InvalidInput.into());
        };
        if parts.peek().is_none() {
            let name = name.to_owned();
            return Ok(Found { folder, name, made });
        }
        let next = match folder.open_folder(name) {
            Err(error) if error.kind() == ErrorKind::NotFound && missing == Missing::Make => {
                match folder.make_folder(name) {
                    Ok(()) => made.0.push((Rc::clone(&folder), name.to_owned())),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
                folder.open_folder(name)?
            }
            opened => opened?,
        };
        folder = Rc::new(next);
    }
    Err(ErrorKind::IsADirectory.into())
}

/// The path of the file below `root`, the folder of `path`, without links and dots. These are
/// only names: who opens them decides in the end.
pub(super) fn resolve(path: &WritePath, root: &Path, links: Links) -> Result<PathBuf, WriteError> {
    let parts = |path: &Path| -> Vec<OsString> { path.iter().map(OsString::from).collect() };
    let mut real = root.to_path_buf();
    let mut rest = VecDeque::from(parts(&path.below));
    // How many of the remaining parts come from a link, and how many links were followed.
    let (mut linked, mut followed) = (0_usize, 0);
    let mut last = None;
    let mut is_dangling = false;
    while let Some(part) = rest.pop_front() {
        let is_linked = linked > 0;
        linked = linked.saturating_sub(1);
        if part == ".." {
            real.pop();
        }
        if part == "." || part == ".." {
            continue;
        }
        let next = real.join(part);
        let is_kept = links == Links::KeepLast && rest.is_empty();
        if !is_kept && let Ok(target) = fs::read_link(&next) {
            followed += 1;
            if followed > MAX_LINKS {
                let error = next.metadata().err();
                let other = || io::Error::other("too many levels of symbolic links");
                return Err(error.unwrap_or_else(other).into());
            }
            let target_parts = parts(&target);
            linked += target_parts.len();
            for part in target_parts.into_iter().rev() {
                rest.push_front(part);
            }
            if let Ok(link) = next.strip_prefix(root) {
                last = Some((link.to_path_buf(), target));
            }
            continue;
        }
        let is_missing = |error: io::Error| error.kind() == ErrorKind::NotFound;
        is_dangling |= is_linked && next.symlink_metadata().is_err_and(is_missing);
        real = next;
    }
    let (link, target) = last.unwrap_or_else(|| (path.below.clone(), path.full()));
    match real.strip_prefix(root) {
        Ok(_) if is_dangling => Err(WriteError::Dangling { link, target }),
        Ok(below) => Ok(below.to_path_buf()),
        Err(_) => Err(WriteError::Link {
            link,
            target,
            boundary: path.boundary,
        }),
    }
}
