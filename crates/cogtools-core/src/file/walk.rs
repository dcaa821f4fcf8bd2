//! The way from a folder to a file below it, a handle a step.
//!
//! No path is opened as a whole: what is checked is what is used, whatever is
//! renamed or linked meanwhile.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::folder::Folder;
use super::{WriteError, WritePath};

/// How many links are followed on one way, as Linux does.
const MAX_LINKS: usize = 40;

/// What happens to a link that has the file's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// Its target is the file.
    Follow,
    /// It is the file.
    KeepLast,
}

/// What happens where a folder is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// It is made.
    Make,
    /// There is no such file.
    Fail,
}

/// Where a file is, or would be.
pub(super) struct Found {
    pub(super) folder: Rc<Folder>,
    pub(super) name: OsString,
    pub(super) made: Made,
}

/// Folders that were made on the way; taken away again unless they are kept.
#[derive(Default)]
pub(super) struct Made(Vec<(Rc<Folder>, OsString)>);

/// The way so far.
pub(super) struct Walk<'p> {
    path: &'p WritePath,
    root: Rc<Folder>,
    /// The folders below the root, with their names.
    above: Vec<(OsString, Rc<Folder>)>,
    /// What remains of the path, and how much of that is a link's text.
    rest: VecDeque<OsString>,
    linked: usize,
    /// How many links were followed, and the last of them with its text.
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
            // One that another program has used meanwhile stays.
            let _ = folder.remove_folder(name);
        }
    }
}

impl<'p> Walk<'p> {
    /// Where the file at `path` is.
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
                    done => done?,
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

    /// Goes into the folder `name`.
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

    /// Goes on where the link `name` leads.
    fn follow(&mut self, name: &OsString, target: PathBuf) -> Result<(), WriteError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            let message = "there are too many links on the way";
            return Err(io::Error::other(message).into());
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

    /// Goes to the folder above.
    fn ascend(&mut self) -> Result<(), WriteError> {
        if self.above.pop().is_some() {
            return Ok(());
        }
        let outside = self.path.root.join("..");
        self.enter(&outside)
    }

    /// Goes on from the root, if that is where what remains of the path leads from
    /// `outside`. The root's handle decides in the end: this only finds the names.
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

    /// The last link that was followed, with its text.
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
