//! Walks through a folder and its toolsets.
//!
//! Subfolders come first, then the targets of links. Each folder is visited once,
//! however many links lead to it, so that cyclic links are harmless, and a folder that
//! is reachable without a link is never named after one.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::PathBuf;

use super::{Content, Folder};
use crate::source::SourceError;

/// One folder of the walk.
pub(super) struct Entry {
    /// The folder.
    pub(super) folder: Folder,
    /// The names of its tool files, sorted.
    pub(super) files: Vec<OsString>,
    /// What could not be read.
    pub(super) errors: Vec<SourceError>,
}

/// A walk in progress.
pub(super) struct Walker {
    /// The folders to visit, the next one last.
    pending: Vec<Step>,
    /// The targets of links, each with the folder that contains the link.
    links: VecDeque<(Folder, PathBuf)>,
    /// The visited folders, with links resolved.
    seen: BTreeSet<PathBuf>,
}

struct Step {
    folder: Folder,
    /// The folder with links resolved; `None` until it is needed.
    real: Option<PathBuf>,
}

impl Walker {
    /// Starts a walk through `folder`.
    pub(super) fn over(folder: &Folder) -> Self {
        let first = Step {
            folder: folder.clone(),
            real: None,
        };
        Self {
            pending: vec![first],
            links: VecDeque::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Queues the folders and links of `step`.
    fn queue(&mut self, step: &Step, content: &Content) {
        if content.folders.is_empty() && content.links.is_empty() {
            return;
        }
        let resolved = step.real.clone();
        let Some(real) = resolved.or_else(|| step.folder.path().canonicalize().ok()) else {
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
                self.pending.push(Step {
                    folder,
                    real: Some(real),
                });
            }
        }
    }

    /// The next folder that a link leads to, unless it contains the link or was visited
    /// before.
    fn follow_link(&mut self) -> Option<Step> {
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
        let step = self.pending.pop().or_else(|| self.follow_link())?;
        let content = step.folder.content();
        self.queue(&step, &content);
        Some(Entry {
            folder: step.folder,
            files: content.files,
            errors: content.errors,
        })
    }
}
