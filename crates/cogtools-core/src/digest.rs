//! What something is, as a hash of all of it: a value, a command line, a package.

use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{Code, Diagnostic};

/// A SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash([u8; 32]);

/// Why something has no hash.
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    /// A file cannot be read.
    #[error("`{0}` cannot be read: {1}")]
    Io(PathBuf, std::io::Error),
    /// There is more of it than is hashed at every call.
    #[error("`{0}` is too large to be allowed as a whole: more than {files} files or {most} MiB", files = FILES, most = BYTES >> 20)]
    TooLarge(PathBuf),
    /// A link to what is not hashed.
    #[error("`{0}` is a link to something outside of its package")]
    Outside(PathBuf),
    /// A pipe or a device: reading it might never end.
    #[error("`{0}` is neither a file nor a folder")]
    Special(PathBuf),
}

/// How many files a package may have.
const FILES: usize = 4_096;
/// How many bytes they may come to: 64 MiB.
const BYTES: u64 = 64 << 20;
/// How much of a file is read at once.
const PIECE: usize = 64 << 10;
/// Folders of a package that are not its own content.
const EXCLUDED: [&str; 2] = ["node_modules", ".git"];

/// The hash of a value: that of its compact JSON with the keys of every object in
/// order, so that a program may print them in any.
pub fn value(value: &Value) -> Hash {
    let mut value = value.clone();
    value.sort_all_objects();
    Hash(Sha256::digest(value.to_string().as_bytes()).into())
}

/// The hash of command lines run in `root`: their words, and the content of the
/// files among them.
pub fn command(root: &Path, lines: &[&[String]]) -> Result<Hash, DigestError> {
    let mut hasher = Sha256::new();
    for words in lines {
        part(&mut hasher, &(words.len() as u64).to_le_bytes());
        for word in *words {
            part(&mut hasher, word.as_bytes());
            if let Some(file) = referenced_file(root, word) {
                part(&mut hasher, b"file");
                content(&mut hasher, &file)?;
            }
        }
    }
    Ok(Hash(hasher.finalize().into()))
}

/// The file that a word of a command line run in `root` names, if it does.
pub fn referenced_file(root: &Path, word: &str) -> Option<PathBuf> {
    let file = root.join(word);
    file.is_file().then_some(file)
}

/// The hash of the package in the folder `root`, links resolved: the names and the
/// content of all its files, without the packages that it brings along.
pub fn package(root: &Path) -> Result<Hash, DigestError> {
    let files = files(root)?;
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    for file in &files {
        let path = root.join(file);
        part(&mut hasher, file.as_os_str().as_encoded_bytes());
        let failed = |error| DigestError::Io(path.clone(), error);
        let meta = fs::symlink_metadata(&path).map_err(failed)?;
        bytes += meta.len();
        if bytes > BYTES {
            return Err(DigestError::TooLarge(root.to_path_buf()));
        }
        if meta.is_symlink() {
            let target = fs::read_link(&path).map_err(failed)?;
            part(&mut hasher, b"link");
            part(&mut hasher, target.as_os_str().as_encoded_bytes());
            check_contained(root, &path)?;
        } else if meta.is_file() {
            part(&mut hasher, b"file");
            content(&mut hasher, &path)?;
        } else {
            return Err(DigestError::Special(path));
        }
    }
    Ok(Hash(hasher.finalize().into()))
}

/// The files of the package in the folder `root`, by their way from there.
pub fn files(root: &Path) -> Result<Vec<PathBuf>, DigestError> {
    let mut files = Vec::new();
    walk(root, root, &mut files)?;
    files.sort_unstable();
    Ok(files)
}

/// Refuses a link that leads to something which the hash does not cover. One that
/// leads nowhere yet is looked at again at every call.
fn check_contained(root: &Path, link: &Path) -> Result<(), DigestError> {
    let Ok(target) = link.canonicalize() else {
        return Ok(());
    };
    let covered = target.strip_prefix(root).is_ok_and(|below| {
        let mut parts = below.components();
        !parts.any(|part| is_excluded(part.as_os_str()))
    });
    if covered {
        Ok(())
    } else {
        Err(DigestError::Outside(link.to_path_buf()))
    }
}

/// Whether a folder of that name in a package is not its own content.
pub(crate) fn is_excluded(name: &OsStr) -> bool {
    EXCLUDED.iter().any(|other| name == *other)
}

/// The files below `folder`, by their way from `root`.
fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), DigestError> {
    let failed = |error| DigestError::Io(folder.to_path_buf(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_type().map_err(failed)?.is_dir() {
            if !is_excluded(&entry.file_name()) {
                walk(root, &path, files)?;
            }
        } else if let Ok(below) = path.strip_prefix(root) {
            files.push(below.to_path_buf());
        }
        if files.len() > FILES {
            return Err(DigestError::TooLarge(root.to_path_buf()));
        }
    }
    Ok(())
}

/// Adds the content of a file, with its length behind it.
fn content(hasher: &mut Sha256, file: &Path) -> Result<(), DigestError> {
    let mut read = || -> std::io::Result<u64> {
        let mut opened = fs::File::open(file)?;
        let mut piece = vec![0; PIECE];
        let mut bytes = 0;
        loop {
            match opened.read(&mut piece)? {
                0 => return Ok(bytes),
                count => {
                    hasher.update(&piece[..count]);
                    bytes += count as u64;
                }
            }
        }
    };
    let bytes = read().map_err(|error| DigestError::Io(file.to_path_buf(), error))?;
    hasher.update(bytes.to_le_bytes());
    Ok(())
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

impl DigestError {
    /// The fault to show.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Io(..) => Diagnostic::new(Code::IoFailed, self.to_string())
                .hint("check that the file is readable"),
            Self::TooLarge(_) => Diagnostic::new(Code::Denied, self.to_string())
                .hint("copy the tools you need into the project"),
            Self::Outside(_) | Self::Special(_) => Diagnostic::new(Code::Denied, self.to_string())
                .hint("what a package runs has to be in it; tell its author, or remove it"),
        }
    }
}
