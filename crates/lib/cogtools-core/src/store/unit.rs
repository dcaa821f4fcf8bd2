//! A part of a project that an approval covers: a script alone, or with its folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::containment::is_excluded;
use crate::digest::{MAX_BYTES, MAX_FILES};

/// A part of a project that an approval covers.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// The folder or the file, relative to the root.
    pub(super) path: PathBuf,
    pub(super) is_folder: bool,
    /// Whether it is a file in a folder that is too large to be covered.
    pub(super) is_too_large: bool,
    /// What is in it.
    pub(super) walked: Walked,
}

/// The files and links in a part of a project, relative to its root.
#[derive(Clone, Debug, Default)]
pub(super) struct Walked {
    /// All of them, sorted.
    pub(super) files: Vec<PathBuf>,
    /// Those that are links.
    pub(super) links: Vec<PathBuf>,
}

/// What may still be covered.
pub(super) struct Limit {
    files: usize,
    bytes: u64,
}

/// The folder in which Python stores compiled modules, which it can do without.
const COMPILED: &str = "__pycache__";

impl Unit {
    pub(super) fn folder(path: &Path, walked: Walked) -> Self {
        Self {
            path: path.to_path_buf(),
            is_folder: true,
            is_too_large: false,
            walked,
        }
    }

    pub(super) fn file(path: &Path, walked: Walked, is_too_large: bool) -> Self {
        Self {
            path: path.to_path_buf(),
            is_folder: false,
            is_too_large,
            walked,
        }
    }

    /// Whether `path` is covered with it.
    pub(super) fn contains(&self, path: &Path) -> bool {
        path.strip_prefix(&self.path).is_ok_and(|below| {
            let is_content = |name| !is_left_out(name);
            below.as_os_str().is_empty() || self.is_folder && below.iter().all(is_content)
        })
    }

    /// What is not covered with it.
    pub(super) fn describe_rest(&self) -> String {
        let path = self.path.display();
        if self.is_folder {
            format!("files outside `{path}`")
        } else {
            format!("files beside `{path}`")
        }
    }
}

impl Walked {
    pub(super) const fn limit() -> Limit {
        Limit {
            files: MAX_FILES,
            bytes: MAX_BYTES,
        }
    }

    /// The content of the folder `path` below `root`; `None` if that is more than is `left`.
    pub(super) fn folder(root: &Path, path: &Path, left: &mut Limit) -> Option<Self> {
        let mut walked = Self::default();
        let (files, bytes) = (left.files, left.bytes);
        if walked.add_folder(root, path, left).is_none() {
            *left = Limit { files, bytes };
            return None;
        }
        walked.files.sort_unstable();
        Some(walked)
    }

    /// The file at `path` alone.
    pub(super) fn file(root: &Path, path: &Path, left: &mut Limit) -> Option<Self> {
        let mut walked = Self::default();
        walked.add(root, path.to_path_buf(), left)?;
        Some(walked)
    }

    fn add_folder(&mut self, root: &Path, folder: &Path, left: &mut Limit) -> Option<()> {
        for entry in fs::read_dir(root.join(folder)).ok()? {
            let entry = entry.ok()?;
            let path = folder.join(entry.file_name());
            if !entry.file_type().ok()?.is_dir() {
                self.add(root, path, left)?;
            } else if !is_left_out(&entry.file_name()) {
                self.add_folder(root, &path, left)?;
            }
        }
        Some(())
    }

    fn add(&mut self, root: &Path, path: PathBuf, left: &mut Limit) -> Option<()> {
        let meta = root.join(&path).symlink_metadata().ok()?;
        left.files = left.files.checked_sub(1)?;
        if meta.is_symlink() {
            self.links.push(path.clone());
        } else if meta.is_file() {
            left.bytes = left.bytes.checked_sub(meta.len())?;
        } else {
            // A socket or a pipe cannot be copied, and nothing loads it.
            return Some(());
        }
        self.files.push(path);
        Some(())
    }
}

/// Whether a folder of that name is not covered with the one that it is in.
fn is_left_out(name: &std::ffi::OsStr) -> bool {
    is_excluded(name) || name == COMPILED
}
