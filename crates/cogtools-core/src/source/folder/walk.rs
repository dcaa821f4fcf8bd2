//! The way through a folder and its toolsets.
//!
//! First come the folders that lie in it, then those that links lead to. Each is
//! seen once, however many links lead there, so that no tangle of links costs
//! more than there are folders, and none has two names when it has one of its own.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::PathBuf;

use super::{Content, Folder};
use crate::source::SourceError;

/// One folder on the way.
pub(super) struct Entry {
    /// The folder.
    pub(super) folder: Folder,
    /// The names in it that end as tool files do, sorted.
    pub(super) files: Vec<OsString>,
    /// What of it cannot be had.
    pub(super) errors: Vec<SourceError>,
}

/// A way that is not yet at its end.
pub(super) struct Walker {
    /// What lies ahead, the next one last.
    ahead: Vec<Step>,
    /// What links lead to, each with the folder that the link lies in.
    links: VecDeque<(Folder, PathBuf)>,
    /// Where it has been, links resolved.
    seen: BTreeSet<PathBuf>,
}

struct Step {
    folder: Folder,
    /// The folder, links resolved; unknown where it does not matter yet.
    real: Option<PathBuf>,
}

impl Walker {
    /// The way through `folder`.
    pub(super) fn over(folder: &Folder) -> Self {
        let first = Step {
            folder: folder.clone(),
            real: None,
        };
        Self {
            ahead: vec![first],
            links: VecDeque::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Notes where it goes on from `step`.
    fn branch(&mut self, step: &Step, content: &Content) {
        if content.folders.is_empty() && content.links.is_empty() {
            return;
        }
        let known = step.real.clone();
        let Some(real) = known.or_else(|| step.folder.path().canonicalize().ok()) else {
            return;
        };
        self.seen.insert(real.clone());
        for name in &content.links {
            let folder = step.folder.toolset(name);
            self.links.push_back((folder, real.clone()));
        }
        for name in content.folders.iter().rev() {
            let real = real.join(name);
            if self.seen.insert(real.clone()) {
                let folder = step.folder.toolset(name);
                self.ahead.push(Step {
                    folder,
                    real: Some(real),
                });
            }
        }
    }

    /// The next folder that a link leads to, if it is not one that the link lies
    /// in, and was not seen before.
    fn follow(&mut self) -> Option<Step> {
        while let Some((folder, from)) = self.links.pop_front() {
            let Ok(real) = folder.path().canonicalize() else {
                continue;
            };
            if !from.starts_with(&real) && self.seen.insert(real.clone()) {
                let real = Some(real);
                return Some(Step { folder, real });
            }
        }
        None
    }
}

impl Iterator for Walker {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let step = self.ahead.pop().or_else(|| self.follow())?;
        let content = step.folder.content();
        self.branch(&step, &content);
        Some(Entry {
            folder: step.folder,
            files: content.files,
            errors: content.errors,
        })
    }
}
