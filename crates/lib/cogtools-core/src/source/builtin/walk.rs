//! The files of a project that git does not ignore, one after the other.
//!
//! Rules come from `.gitignore` files in the project and from `.git/info/exclude`. They are read
//! like every other file of the project: no link leads out of it, and no pipe blocks.

use std::ffi::OsString;
use std::fs::FileType;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::file::{self, ReadScope};

/// The largest file of rules that is used, in bytes.
const MAX_RULES: u64 = 256 << 10;

/// Walks the files below a folder, in the order of their names. Links are left out.
pub(super) struct Walk {
    root: PathBuf,
    /// Where files are wanted: the root, or a folder below it.
    folder: PathBuf,
    /// The folders on the way, each with what is left of it.
    open: Vec<OpenFolder>,
}

/// A folder that is being walked.
struct OpenFolder {
    path: PathBuf,
    /// What is left of it, the next entry last.
    entries: Vec<(OsString, FileType)>,
    /// What its rules ignore.
    rules: Vec<Gitignore>,
}

impl Walk {
    /// The files below `folder`, which is `root` or below it. The walk begins at `root`, because
    /// rules of each folder on the way hold.
    pub(super) fn new(root: &Path, folder: &Path) -> Self {
        let mut walk = Self {
            root: root.to_path_buf(),
            folder: folder.to_path_buf(),
            open: Vec::new(),
        };
        walk.enter(root.to_path_buf());
        if let Some(first) = walk.open.first_mut() {
            let exclude = root.join(".git").join("info").join("exclude");
            // The rules of the folder itself come first, because they win.
            first.rules.extend(rules(root, root, &exclude));
        }
        walk
    }

    /// Goes on with the entries of `path`. One that cannot be read has none.
    fn enter(&mut self, path: PathBuf) {
        let Ok(entries) = path.read_dir() else {
            return;
        };
        let mut entries: Vec<(OsString, FileType)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((entry.file_name(), entry.file_type().ok()?))
            })
            .collect();
        entries.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        let rules = rules(&self.root, &path, &path.join(".gitignore"));
        self.open.push(OpenFolder {
            rules: rules.into_iter().collect(),
            path,
            entries,
        });
    }

    /// Whether the nearest rule that matches ignores `path`.
    fn is_ignored(&self, path: &Path, is_folder: bool) -> bool {
        let nearest_first = self.open.iter().rev().flat_map(|folder| &folder.rules);
        let mut matches = nearest_first.map(|rules| rules.matched(path, is_folder));
        matches
            .find(|found| !found.is_none())
            .is_some_and(|found| matches!(found, Match::Ignore(_)))
    }
}

impl Iterator for Walk {
    type Item = PathBuf;

    fn next(&mut self) -> Option<PathBuf> {
        loop {
            let open = self.open.last_mut()?;
            let Some((name, kind)) = open.entries.pop() else {
                self.open.pop();
                continue;
            };
            let path = open.path.join(&name);
            let is_below = path.starts_with(&self.folder);
            let is_on_the_way = kind.is_dir() && self.folder.starts_with(&path);
            if name == ".git" || !(is_below || is_on_the_way) {
                continue;
            }
            if self.is_ignored(&path, kind.is_dir()) {
                continue;
            }
            if kind.is_dir() {
                self.enter(path);
            } else if kind.is_file() {
                return Some(path);
            }
        }
    }
}

/// The rules in the file at `path`, for what is in `folder`. A file that cannot be read has none,
/// and a line that is not a pattern is left out.
fn rules(root: &Path, folder: &Path, path: &Path) -> Option<Gitignore> {
    let (file, meta) = file::open(path, &ReadScope::project(root)).ok()?;
    if meta.len() > MAX_RULES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_RULES).read_to_end(&mut bytes).ok()?;
    let mut builder = GitignoreBuilder::new(folder);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // Git ignores such a line as well.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
