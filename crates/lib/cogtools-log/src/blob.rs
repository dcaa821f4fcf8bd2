//! What is too large for a line: files beside the session, named by their content.

use std::fmt::{self, Display, Formatter};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use cogtools_core::digest;
use cogtools_core::file::{self, Mode, ReadError, WriteError, WritePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Event;
use crate::limits::MAX_BLOB_BYTES;

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

/// The blobs of a session.
#[derive(Clone, Debug)]
pub struct Blobs {
    /// The folder that they must stay in.
    root: PathBuf,
    folder: PathBuf,
    mode: Mode,
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
    /// The blobs that the line names: the whole of what it has only in part, or the parts of a
    /// prompt.
    pub fn blobs(&self) -> impl Iterator<Item = &BlobId> {
        let (blob, layers) = match self {
            Self::Result { blob, .. }
            | Self::Flow { blob, .. }
            | Self::Node { blob, .. }
            | Self::Reply { blob, .. }
            | Self::Step { blob, .. } => (blob.as_ref(), [].as_slice()),
            Self::Request { layers, .. } => (None, layers.as_slice()),
            _ => (None, [].as_slice()),
        };
        let parts = layers.iter().flat_map(|layer| &layer.parts);
        blob.into_iter().chain(parts)
    }
}

impl Blobs {
    pub(crate) fn new(root: &Path, folder: PathBuf, mode: Mode) -> Self {
        Self {
            root: root.to_path_buf(),
            folder,
            mode,
        }
    }

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
        match file::create(&path, bytes, self.mode) {
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
        let mut limited = file.take(MAX_BLOB_BYTES);
        limited
            .read_to_end(&mut bytes)
            .map_err(|error: io::Error| ReadError::Io(error))?;
        if BlobId::of(&bytes) == *id {
            Ok(bytes)
        } else {
            Err(BlobError::Changed)
        }
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
