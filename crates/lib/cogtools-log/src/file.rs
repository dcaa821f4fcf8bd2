//! The file of a session, and the folder of blobs beside it.

use std::ffi::OsString;
use std::fmt;
use std::fmt::{Display, Formatter};
use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use cogtools_document::file;
use cogtools_document::file::{Existing, Mode, ReadError, WriteError, WritePath};
use cogtools_process::{digest, lexical};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::reader::MAX_BLOB_BYTES;
use crate::{Event, LogError, SessionError, SessionId};

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
        let full = lexical(&cwd.join(path));
        let is_inside = full.starts_with(root);
        let folder = full.parent().unwrap_or(root);
        Self {
            path: WritePath::in_project(root, &full),
            display_path: path.to_path_buf(),
            root: if is_inside { root } else { folder }.to_path_buf(),
            mode: Mode::Data,
        }
    }

    /// Returns true if `name` is a path, and not the name of a session in a [`Store`](crate::Store).
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

    /// The word for it on a command line: the name of a session in a store, or the path of a file.
    pub fn name(&self) -> String {
        let stem = self
            .display_path
            .file_stem()
            .filter(|_| self.mode == Mode::Private);
        stem.map_or_else(
            || Self::path_name(&self.display_path),
            |stem| stem.to_string_lossy().into_owned(),
        )
    }

    /// The word for `path` on a command line, which is neither the name of a session nor an option.
    pub fn path_name(path: &Path) -> String {
        match path.display().to_string() {
            path if Self::is_path(&path) && !path.starts_with('-') => path,
            path => format!("./{path}"),
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
        let stem = match path.extension() {
            Some(extension) if extension == Self::EXTENSION => path.file_stem(),
            _ => path.file_name(),
        };
        let mut name = stem.map(OsString::from).unwrap_or_default();
        name.push(".blobs");
        Blobs {
            root: self.root.clone(),
            folder: path.with_file_name(name),
        }
    }

    /// Writes a whole session to a new file.
    pub fn create(&self, content: &[u8]) -> Result<(), LogError> {
        let path = || self.display_path.clone();
        file::create(&self.path, content, self.mode).map_err(|error| match error {
            WriteError::Changed => LogError::Exists(path()),
            error => LogError::Open(path(), error),
        })
    }

    /// Returns true if a process writes to it. The lock of a writer says so, and ends with its process.
    pub fn is_in_use(&self) -> Result<bool, SessionError> {
        match self.open_to_read()?.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(self.unreadable(error)),
        }
    }

    /// Why it cannot be read.
    pub(crate) fn unreadable(&self, error: impl Into<ReadError>) -> SessionError {
        SessionError::Open(self.display_path.clone(), error.into())
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
    ///
    /// # Errors
    ///
    /// [`SessionError::Open`], if it is missing, for example.
    pub fn open_to_read(&self) -> Result<File, SessionError> {
        let opened = file::open(&self.path(), &self.path.read_scope());
        let (file, _) = opened.map_err(|error| self.unreadable(error))?;
        Ok(file)
    }
}

/// A blob: the SHA-256 of its content, in hexadecimal digits.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String")]
#[schemars(inline, extend("pattern" = "^[0-9a-f]{64}$"))]
pub struct BlobId(String);

/// A text that is not a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a blob is named by 64 hexadecimal digits")]
pub struct BlobIdError;

/// The blobs of a session: what its lines mask. Only the user can read them, also where others may
/// read the session.
#[derive(Clone, Debug)]
pub struct Blobs {
    /// The folder that they must stay in.
    root: PathBuf,
    folder: PathBuf,
}

/// Why a blob cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] ReadError),
    /// It is too large.
    #[error("it has more than {} MiB", MAX_BLOB_BYTES >> 20)]
    TooLarge,
    /// Its content is not what its name says.
    #[error("its content has changed")]
    Changed,
}

impl Event {
    /// The blobs that the line names: whole values of which it has a part, or the parts of a
    /// prompt.
    pub fn blobs(&self) -> impl Iterator<Item = &BlobId> {
        let (blob, layers) = match self {
            Self::Flow { blob, .. }
            | Self::Reply { blob, .. }
            | Self::Print { blob, .. }
            | Self::Store { blob, .. } => (blob.as_ref(), [].as_slice()),
            Self::Result(result) => (result.blob.as_ref(), [].as_slice()),
            Self::Node(node) => (node.blob.as_ref(), [].as_slice()),
            Self::Request { layers, .. } => (None, layers.as_slice()),
            _ => (None, [].as_slice()),
        };
        let parts = layers.iter().flat_map(|layer| &layer.parts);
        blob.into_iter().chain(parts)
    }
}

impl Blobs {
    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a blob.
    pub fn path(&self, id: &BlobId) -> PathBuf {
        self.folder.join(&id.0)
    }

    /// Writes a blob, unless it is there.
    pub fn write(&self, bytes: &[u8]) -> Result<BlobId, WriteError> {
        let id = BlobId::of(bytes);
        let path = self.write_path(&id);
        // What stands in its place already is seen when the blob is written.
        let _ = file::create_private_folder(&self.folder);
        match file::create(&path, bytes, Mode::Private) {
            Err(WriteError::Changed) if self.read(&id).is_err() => {
                file::replace_private(&path, bytes)?;
            }
            Err(WriteError::Changed) | Ok(()) => {}
            Err(error) => return Err(error),
        }
        Ok(id)
    }

    /// Reads a blob, and checks its content.
    pub fn read(&self, id: &BlobId) -> Result<Vec<u8>, BlobError> {
        let path = self.write_path(id);
        let (file, meta) = file::open(&path.full(), &path.read_scope())?;
        if meta.len() > MAX_BLOB_BYTES {
            return Err(BlobError::TooLarge);
        }
        let mut bytes = Vec::new();
        let read = file.take(MAX_BLOB_BYTES).read_to_end(&mut bytes);
        read.map_err(ReadError::Io)?;
        if BlobId::of(&bytes) == *id {
            Ok(bytes)
        } else {
            Err(BlobError::Changed)
        }
    }

    /// Reads the whole of a value of which the session has what is `shown`: the JSON in `blob`, if
    /// there is one.
    ///
    /// # Errors
    /// Why the blob cannot be read.
    pub fn whole(&self, shown: &Value, blob: Option<&BlobId>) -> Result<Value, String> {
        let Some(blob) = blob else {
            return Ok(shown.clone());
        };
        let bytes = self.read(blob).map_err(|error| error.to_string())?;
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    }

    fn write_path(&self, id: &BlobId) -> WritePath {
        let path = self.path(id);
        match path.strip_prefix(&self.root) {
            Ok(below) => WritePath::below(&self.root, below),
            Err(_) => WritePath::in_folder(&path),
        }
    }
}

impl BlobId {
    /// The name of a blob with this content.
    pub fn of(bytes: &[u8]) -> Self {
        Self(digest::bytes(bytes).to_string())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BlobId {
    type Err = BlobIdError;

    fn from_str(text: &str) -> Result<Self, BlobIdError> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 64 && text.bytes().all(is_digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BlobIdError)
        }
    }
}

impl TryFrom<String> for BlobId {
    type Error = BlobIdError;

    fn try_from(text: String) -> Result<Self, BlobIdError> {
        text.parse()
    }
}

impl Display for BlobId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
