//! Walks from a folder to a file below it, opening one handle per component.
//!
//! No path is opened as a whole, so the folder that was checked is the one that is
//! used, even if something is renamed or linked meanwhile.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::folder::{self, Folder};
use super::{WriteError, WritePath};

/// The maximum number of links on a path, the same as on Linux.
const MAX_LINKS: usize = 40;

/// How a link with the file's name is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// It is followed to its target.
    Follow,
    /// The link itself is the file.
    KeepLast,
}

/// What to do about missing folders.
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

/// The state of the walk.
pub(super) struct Walk<'p> {
    path: &'p WritePath,
    root: Rc<Folder>,
    /// The folders below the root, with their names.
    above: Vec<(OsString, Rc<Folder>)>,
    /// The remaining components, and how many of them come from a link.
    rest: VecDeque<OsString>,
    linked: usize,
    /// The number of followed links, and the last one with its target.
    links: usize,
    link: Option<(PathBuf, PathBuf)>,
    made: Made,
}

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

impl<'p> Walk<'p> {
    /// Resolves the file at `path`.
    pub(super) fn find(
        path: &'p WritePath,
        links: Links,
        missing: Missing,
    ) -> Result<Found, WriteError> {
        let mut walk = Self {
            path,
            root: Rc::new(Folder::open(&path.root)?),
            above: Vec::new(),
            rest: parts(&path.below).collect(),
            linked: 0,
            links: 0,
            link: None,
            made: Made::default(),
        };
        while let Some(name) = walk.rest.pop_front() {
            let linked = walk.linked > 0;
            walk.linked = walk.linked.saturating_sub(1);
            if name == "." {
                continue;
            }
            if name == ".." {
                walk.ascend()?;
                continue;
            }
            let folder = Rc::clone(walk.folder());
            if !walk.rest.is_empty() {
                let missing = if linked { Missing::Fail } else { missing };
                match walk.descend(name, missing) {
                    Err(WriteError::Io(error)) if linked && is_missing(&error) => {
                        return Err(walk.dangling());
                    }
                    result => result?,
                }
                continue;
            }
            if links == Links::Follow
                && let Some(target) = folder.read_link(&name)
            {
                walk.follow(&name, target)?;
                continue;
            }
            if linked
                && folder
                    .open_file(&name)
                    .is_err_and(|error| is_missing(&error))
            {
                return Err(walk.dangling());
            }
            let made = walk.made;
            return Ok(Found { folder, name, made });
        }
        Err(io::Error::from(ErrorKind::IsADirectory).into())
    }

    fn folder(&self) -> &Rc<Folder> {
        self.above.last().map_or(&self.root, |(_, folder)| folder)
    }

    /// Enters the folder `name`.
    fn descend(&mut self, name: OsString, missing: Missing) -> Result<(), WriteError> {
        let folder = Rc::clone(self.folder());
        let below = match folder.open_folder(&name) {
            Ok(below) => below,
            Err(error) => {
                if let Some(target) = folder.read_link(&name) {
                    return self.follow(&name, target);
                }
                if !is_missing(&error) || missing == Missing::Fail {
                    return Err(error.into());
                }
                match folder.make_folder(&name) {
                    Ok(()) => self.made.0.push((Rc::clone(&folder), name.clone())),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error.into()),
                }
                folder.open_folder(&name)?
            }
        };
        self.above.push((name, Rc::new(below)));
        Ok(())
    }

    /// Follows the link `name`.
    fn follow(&mut self, name: &OsString, target: PathBuf) -> Result<(), WriteError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(folder::too_many_links().into());
        }
        for part in parts(&target).rev() {
            self.rest.push_front(part);
            self.linked += 1;
        }
        let absolute = target.has_root();
        let link = self.above.iter().map(|(name, _)| name).chain([name]);
        self.link = Some((link.collect(), target));
        if absolute {
            self.enter(Path::new(""))?;
        }
        Ok(())
    }

    /// Returns to the parent folder.
    fn ascend(&mut self) -> Result<(), WriteError> {
        if self.above.pop().is_some() {
            return Ok(());
        }
        let outside = self.path.root.join("..");
        self.enter(&outside)
    }

    /// Restarts at the root, if the remaining path leads there from `outside`. The
    /// handle of the root decides in the end: this only computes the names.
    fn enter(&mut self, outside: &Path) -> Result<(), WriteError> {
        let own = self.rest.len() - self.linked;
        let path: PathBuf = self.rest.drain(..).collect();
        if let Some(rest) = self.path.rest(&outside.join(path)) {
            self.above.clear();
            self.rest = parts(&rest).collect();
            self.linked = self.rest.len().saturating_sub(own);
            return Ok(());
        }
        let (link, target) = self.last_link();
        Err(WriteError::Link {
            link,
            target,
            boundary: self.path.boundary,
        })
    }

    fn dangling(self) -> WriteError {
        let (link, target) = self.last_link();
        WriteError::Dangling { link, target }
    }

    /// The last followed link, with its target.
    fn last_link(&self) -> (PathBuf, PathBuf) {
        let whole = || (self.path.below.clone(), self.path.full());
        self.link.clone().unwrap_or_else(whole)
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotFound
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    path.components().map(|part| part.as_os_str().to_owned())
}
