//! What something is, as a hash of all of it.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{Code, Fault};

/// A SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash([u8; 32]);

/// Why something has no hash.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// A file cannot be read.
    #[error("`{0}` cannot be read: {1}")]
    Io(PathBuf, std::io::Error),
    /// There is more of it than is hashed at every call.
    #[error("`{0}` is too large to be allowed as a whole: more than {files} files or {most} MiB", files = FILES, most = BYTES >> 20)]
    TooLarge(PathBuf),
}

/// How many files a package may have.
const FILES: usize = 4_096;
/// How many bytes they may come to: 64 MiB.
const BYTES: u64 = 64 << 20;
/// Folders of a package that are not its own content.
const OTHERS: [&str; 2] = ["node_modules", ".git"];

/// The hash of a value: that of its compact JSON.
pub fn value(value: &Value) -> Hash {
    Hash(Sha256::digest(value.to_string().as_bytes()).into())
}

/// The hash of command lines run in `root`: their words, and the content of the
/// files among them.
pub fn command(root: &Path, lines: &[&[String]]) -> Result<Hash, ContentError> {
    let mut hasher = Sha256::new();
    for words in lines {
        part(&mut hasher, &(words.len() as u64).to_le_bytes());
        for word in *words {
            part(&mut hasher, word.as_bytes());
            let file = root.join(word);
            if file.is_file() {
                part(&mut hasher, &read(&file)?);
            }
        }
    }
    Ok(Hash(hasher.finalize().into()))
}

/// The hash of the package in the folder `root`: the names and the content of all
/// its files, without the packages that it brings along.
pub fn package(root: &Path) -> Result<Hash, ContentError> {
    let mut files = Vec::new();
    walk(root, root, &mut files)?;
    files.sort_unstable();
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    for file in &files {
        let path = root.join(file);
        part(&mut hasher, file.as_os_str().as_encoded_bytes());
        let failed = |error| ContentError::Io(path.clone(), error);
        let meta = fs::symlink_metadata(&path).map_err(failed)?;
        bytes += meta.len();
        if bytes > BYTES {
            return Err(ContentError::TooLarge(root.to_path_buf()));
        }
        if meta.is_symlink() {
            let target = fs::read_link(&path).map_err(failed)?;
            part(&mut hasher, target.as_os_str().as_encoded_bytes());
        } else {
            part(&mut hasher, &read(&path)?);
        }
    }
    Ok(Hash(hasher.finalize().into()))
}

/// The files below `folder`, by their way from `root`.
fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ContentError> {
    let failed = |error| ContentError::Io(folder.to_path_buf(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_type().map_err(failed)?.is_dir() {
            let name = entry.file_name();
            if !OTHERS.iter().any(|other| name == *other) {
                walk(root, &path, files)?;
            }
        } else if let Ok(below) = path.strip_prefix(root) {
            files.push(below.to_path_buf());
        }
        if files.len() > FILES {
            return Err(ContentError::TooLarge(root.to_path_buf()));
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<Vec<u8>, ContentError> {
    fs::read(file).map_err(|error| ContentError::Io(file.to_path_buf(), error))
}

/// Adds a part with its length before it, so that parts cannot run together.
fn part(hasher: &mut Sha256, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

impl Display for Hash {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl ContentError {
    /// The fault to show.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Io(..) => {
                Fault::new(Code::IoFailed, self.to_string()).hint("check that the file is readable")
            }
            Self::TooLarge(_) => Fault::new(Code::Denied, self.to_string())
                .hint("copy the tools you need into the project"),
        }
    }
}
