//! Where a session is: its file, and the folder of blobs beside it.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use cogtools_core::file::{self, Existing, Mode, WriteError, WritePath};

use crate::blob::Blobs;
use crate::{LogError, SessionError, SessionId};

/// The file of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFile {
    path: WritePath,
    display_path: PathBuf,
    /// The folder that it must stay in: the project, or its own.
    root: PathBuf,
    mode: Mode,
}

impl SessionFile {
    /// The extension of the files in a store.
    pub const EXTENSION: &'static str = "jsonl";

    /// The file at `path`, relative to `cwd`, that the user has named. In the project at
    /// `root`, no link may leave the project; elsewhere, none may leave the file's folder.
    pub fn named(root: &Path, cwd: &Path, path: &Path) -> Self {
        let full = cwd.join(path);
        let is_inside = full.starts_with(root);
        let folder = full.parent().unwrap_or(root);
        Self {
            path: WritePath::in_project(root, &full),
            display_path: path.to_path_buf(),
            root: if is_inside { root } else { folder }.to_path_buf(),
            mode: Mode::Data,
        }
    }

    /// Whether `name` is a path, and not the name of a session in a [`Store`](crate::Store).
    pub fn is_path(name: &str) -> bool {
        name.contains(['/', '\\', '.'])
    }

    /// The file of the session `id` in the private `folder` of a store.
    pub(crate) fn stored(folder: &Path, id: &SessionId) -> Self {
        let name = format!("{id}.{}", Self::EXTENSION);
        Self {
            path: WritePath::below(folder, name.as_ref()),
            display_path: folder.join(name),
            root: folder.to_path_buf(),
            mode: Mode::Private,
        }
    }

    /// The path to show.
    pub fn display_path(&self) -> &Path {
        &self.display_path
    }

    /// The full path.
    pub fn path(&self) -> PathBuf {
        self.path.full()
    }

    /// The blobs beside it, in a folder with its name: `NAME.blobs` for `NAME.jsonl`.
    pub fn blobs(&self) -> Blobs {
        let path = self.path();
        let is_usual = path
            .extension()
            .is_some_and(|extension| extension == Self::EXTENSION);
        let stem = if is_usual {
            path.file_stem()
        } else {
            path.file_name()
        };
        let mut name = stem.map(OsString::from).unwrap_or_default();
        name.push(".blobs");
        Blobs::new(&self.root, path.with_file_name(name), self.mode)
    }

    /// Writes a whole session to a new file.
    pub fn create(&self, content: &[u8]) -> Result<(), LogError> {
        let path = || self.display_path.clone();
        file::create(&self.path, content, self.mode).map_err(|error| match error {
            WriteError::Changed => LogError::Exists(path()),
            error => LogError::Open {
                path: path(),
                error,
            },
        })
    }

    /// Whether a process writes to it. The lock of a writer says so, and ends with its process.
    pub fn is_in_use(&self) -> Result<bool, SessionError> {
        match self.open_to_read()?.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(SessionError::Open {
                path: self.display_path.clone(),
                error: error.into(),
            }),
        }
    }

    /// Opens it to append to it; `create` makes a new one if there is none.
    pub(crate) fn open_to_append(&self, create: bool) -> Result<File, WriteError> {
        let existing = if create {
            Existing::OrCreate(self.mode)
        } else {
            Existing::Required
        };
        file::open_append(&self.path, existing)
    }

    /// Opens it to read it.
    pub(crate) fn open_to_read(&self) -> Result<File, SessionError> {
        let opened = file::open(&self.path(), &self.path.read_scope());
        opened
            .map(|(file, _)| file)
            .map_err(|error| SessionError::Open {
                path: self.display_path.clone(),
                error,
            })
    }
}
