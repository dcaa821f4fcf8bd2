//! SHA-256 digests of values, command lines and packages.

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

/// Why something cannot be hashed.
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    /// A file cannot be read.
    #[error("`{0}` cannot be read: {1}")]
    Io(PathBuf, std::io::Error),
    /// There is more than can be hashed at every call.
    #[error("`{0}` is too large to be approved: more than {files} files or {most} MiB", files = MAX_FILES, most = MAX_BYTES >> 20)]
    TooLarge(PathBuf),
    /// A link to a file that is not hashed.
    #[error("`{0}` is a link that points outside its package")]
    Outside(PathBuf),
    /// A pipe or a device: reading it might never end.
    #[error("`{0}` is neither a file nor a folder")]
    Special(PathBuf),
}

/// The maximum number of files in a package.
const MAX_FILES: usize = 4_096;
/// The maximum total size of a package: 64 MiB.
const MAX_BYTES: u64 = 64 << 20;
/// How many bytes of a file are read at a time.
const CHUNK_BYTES: usize = 64 << 10;
/// Folders of a package that are not its own content.
const EXCLUDED: [&str; 2] = ["node_modules", ".git"];

/// The digest of a value: that of its compact JSON with sorted keys, so that a program
/// may print them in any order.
pub fn value(value: &Value) -> Hash {
    let mut value = value.clone();
    value.sort_all_objects();
    Hash(Sha256::digest(value.to_string().as_bytes()).into())
}

/// The digest of command lines run in `root`: their arguments, and the content of the
/// files among them.
pub fn command(root: &Path, lines: &[&[String]]) -> Result<Hash, DigestError> {
    let mut hasher = Sha256::new();
    for arguments in lines {
        add_part(&mut hasher, &(arguments.len() as u64).to_le_bytes());
        for argument in *arguments {
            add_part(&mut hasher, argument.as_bytes());
            if let Some(file) = referenced_file(root, argument) {
                add_part(&mut hasher, b"file");
                add_content(&mut hasher, &file)?;
            }
        }
    }
    Ok(Hash(hasher.finalize().into()))
}

/// The file that an argument of a command line run in `root` names, if any.
pub fn referenced_file(root: &Path, argument: &str) -> Option<PathBuf> {
    let file = root.join(argument);
    file.is_file().then_some(file)
}

/// The digest of the package in the folder `root`, a path without links: the names and
/// the content of all its files, without nested packages.
pub fn package(root: &Path) -> Result<Hash, DigestError> {
    let files = files(root)?;
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    for file in &files {
        let path = root.join(file);
        add_part(&mut hasher, file.as_os_str().as_encoded_bytes());
        let failed = |error| DigestError::Io(path.clone(), error);
        let meta = fs::symlink_metadata(&path).map_err(failed)?;
        bytes += meta.len();
        if bytes > MAX_BYTES {
            return Err(DigestError::TooLarge(root.to_path_buf()));
        }
        if meta.is_symlink() {
            let target = fs::read_link(&path).map_err(failed)?;
            add_part(&mut hasher, b"link");
            add_part(&mut hasher, target.as_os_str().as_encoded_bytes());
            check_contained(root, &path)?;
        } else if meta.is_file() {
            add_part(&mut hasher, b"file");
            add_content(&mut hasher, &path)?;
        } else {
            return Err(DigestError::Special(path));
        }
    }
    Ok(Hash(hasher.finalize().into()))
}

/// The files of the package in the folder `root`, relative to it.
pub fn files(root: &Path) -> Result<Vec<PathBuf>, DigestError> {
    let mut files = Vec::new();
    walk(root, root, &mut files)?;
    files.sort_unstable();
    Ok(files)
}

/// Rejects a link to something that the digest does not cover. The check is repeated at
/// every call, because a dangling link may get a target later.
fn check_contained(root: &Path, link: &Path) -> Result<(), DigestError> {
    let Ok(target) = link.canonicalize() else {
        return Ok(());
    };
    let is_covered = target.strip_prefix(root).is_ok_and(|below| {
        let mut parts = below.components();
        !parts.any(|part| is_excluded(part.as_os_str()))
    });
    if is_covered {
        Ok(())
    } else {
        Err(DigestError::Outside(link.to_path_buf()))
    }
}

/// Whether a folder of that name is excluded from a package's content.
pub(crate) fn is_excluded(name: &OsStr) -> bool {
    EXCLUDED.iter().any(|other| name == *other)
}

/// Collects the files below `folder`, relative to `root`.
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
        if files.len() > MAX_FILES {
            return Err(DigestError::TooLarge(root.to_path_buf()));
        }
    }
    Ok(())
}

/// Adds the content of a file, followed by its length.
fn add_content(hasher: &mut Sha256, file: &Path) -> Result<(), DigestError> {
    let mut read = || -> std::io::Result<u64> {
        let mut reader = fs::File::open(file)?;
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut bytes = 0;
        loop {
            match reader.read(&mut chunk)? {
                0 => return Ok(bytes),
                count => {
                    hasher.update(&chunk[..count]);
                    bytes += count as u64;
                }
            }
        }
    };
    let bytes = read().map_err(|error| DigestError::Io(file.to_path_buf(), error))?;
    hasher.update(bytes.to_le_bytes());
    Ok(())
}

/// Adds a part, preceded by its length, so that adjacent parts are distinct.
fn add_part(hasher: &mut Sha256, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

impl Display for Hash {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl DigestError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Io(..) => Diagnostic::new(Code::IoFailed, self.to_string())
                .hint("check that the file is readable"),
            Self::TooLarge(_) => Diagnostic::new(Code::Denied, self.to_string())
                .hint("copy the tools you need into the project"),
            Self::Outside(_) | Self::Special(_) => Diagnostic::new(Code::Denied, self.to_string())
                .hint("a package must contain everything that it runs; report this to its author, or remove it"),
        }
    }
}
