//! A snapshot of files, to detect later which have changed.
//!
//! Polling needs neither another crate nor support by the system, and works where notifications
//! do not: on network mounts, in containers, through links. A snapshot of a thousand tools takes
//! a few milliseconds.

use std::collections::BTreeMap;
use std::fs::{self, Metadata, Permissions};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How many levels of folders are searched.
const MAX_DEPTH: usize = 8;

/// How many files a snapshot contains: a folder may be a whole disk.
const MAX_FILES: usize = 50_000;

/// Files with their fingerprints.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, Fingerprint>);

#[derive(Debug, PartialEq)]
struct Fingerprint {
    length: u64,
    modified: Option<SystemTime>,
    permissions: Permissions,
}

impl Snapshot {
    /// The files at and below `paths`, without hidden files and `node_modules`.
    pub(crate) fn take(paths: &[PathBuf]) -> Self {
        let mut snapshot = Self::default();
        for path in paths {
            snapshot.add(path, MAX_DEPTH);
        }
        snapshot
    }

    fn add(&mut self, path: &Path, depth: usize) {
        let Ok(meta) = fs::metadata(path) else {
            return;
        };
        if meta.is_file() && self.0.len() < MAX_FILES {
            self.0.insert(path.to_path_buf(), Fingerprint::new(&meta));
        }
        if !meta.is_dir() || depth == 0 {
            return;
        }
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if !name.as_encoded_bytes().starts_with(b".") && name != "node_modules" {
                self.add(&entry.path(), depth - 1);
            }
        }
    }

    /// The files that are changed, new or removed in `later`, in order.
    pub(crate) fn changed(&self, later: &Self) -> Vec<PathBuf> {
        let removed = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let mut changed: Vec<PathBuf> = later
            .0
            .iter()
            .filter(|(path, fingerprint)| self.0.get(*path) != Some(fingerprint))
            .map(|(path, _)| path)
            .chain(removed)
            .cloned()
            .collect();
        changed.sort();
        changed
    }
}

impl Fingerprint {
    fn new(meta: &Metadata) -> Self {
        Self {
            length: meta.len(),
            modified: meta.modified().ok(),
            permissions: meta.permissions(),
        }
    }
}
