//! The files at one moment, to see later which have changed.
//!
//! Looking every now and then needs no other crate and no help of the system, and
//! works where notifications do not: on network mounts, in containers, through
//! links. A look at a thousand tools costs a few milliseconds.

use std::collections::BTreeMap;
use std::fs::{self, Metadata, Permissions};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How deep folders are looked into.
const DEPTH: usize = 8;

/// How many files are looked at: a folder may be a whole disk.
const FILES: usize = 50_000;

/// Files with what tells that one has changed.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, Fingerprint>);

#[derive(Debug, PartialEq)]
struct Fingerprint {
    length: u64,
    modified: Option<SystemTime>,
    permissions: Permissions,
}

impl Snapshot {
    /// The files at `paths` and below them. Hidden ones below a folder, and what
    /// npm has put there, do not count.
    pub(crate) fn take(paths: &[PathBuf]) -> Self {
        let mut snapshot = Self::default();
        for path in paths {
            snapshot.add(path, DEPTH);
        }
        snapshot
    }

    fn add(&mut self, path: &Path, depth: usize) {
        let Ok(meta) = fs::metadata(path) else {
            return;
        };
        if meta.is_file() && self.0.len() < FILES {
            self.0.insert(path.to_path_buf(), Fingerprint::of(&meta));
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

    /// The files that `later` has otherwise: changed, new or gone, in order.
    pub(crate) fn changed(&self, later: &Self) -> Vec<PathBuf> {
        let gone = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let mut changed: Vec<PathBuf> = later
            .0
            .iter()
            .filter(|(path, fingerprint)| self.0.get(*path) != Some(fingerprint))
            .map(|(path, _)| path)
            .chain(gone)
            .cloned()
            .collect();
        changed.sort();
        changed
    }
}

impl Fingerprint {
    fn of(meta: &Metadata) -> Self {
        Self {
            length: meta.len(),
            modified: meta.modified().ok(),
            permissions: meta.permissions(),
        }
    }
}
