//! SHA-256 digests of values, command lines and packages.

mod content;
mod package;

use std::fmt::{self, Display, Formatter};
use std::io::Read as _;
use std::path::{Path, PathBuf};

pub(crate) use package::link;
pub use package::{CopyTo, copy_package, files, package};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use content::add_recognized;
pub(crate) use content::{add_file, add_part, copy_file};

use crate::containment::{Loaded, loaded_files, loads_modules as is_module_loader, named_files};
use crate::file::ReadScope;
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
    /// The same for a single file.
    #[error("`{0}` is too large to be approved: more than {most} MiB", most = MAX_FILE_BYTES >> 20)]
    FileTooLarge(PathBuf),
    /// A link to a file that is not hashed.
    #[error("`{0}` is a link that points outside its package")]
    Outside(PathBuf),
    /// A pipe or a device: reading it might never end.
    #[error("`{0}` is neither a file nor a folder")]
    Special(PathBuf),
}

/// The maximum number of files in a package.
pub(crate) const MAX_FILES: usize = 4_096;
/// The maximum total size of a package: 64 MiB.
pub(crate) const MAX_BYTES: u64 = 64 << 20;
/// The maximum size of a file that a command line names: 1 GiB, for programs with all their
/// debug information.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// How much of a `package.json` is read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The digest of a value: that of its compact JSON with sorted keys, so that a program
/// may print them in any order.
pub fn value(value: &Value) -> Hash {
    let mut value = value.clone();
    value.sort_all_objects();
    bytes(value.to_string().as_bytes())
}

/// The digest of `bytes`.
pub fn bytes(bytes: &[u8]) -> Hash {
    Hash(Sha256::digest(bytes).into())
}

/// The digest of the content of a file.
pub fn file(path: &Path) -> Result<Hash, DigestError> {
    let mut hasher = Sha256::new();
    add_file(&mut hasher, path, &ReadScope::User)?;
    Ok(Hash::of(hasher))
}

/// The digest of command lines run in `root`: their arguments, and the content of the
/// files that they name or load.
pub fn command(root: &Path, lines: &[&[String]]) -> Result<Hash, DigestError> {
    command_with(root, lines, |hasher, file| {
        add_file(hasher, file, &ReadScope::User)
    })
}

/// The same for what is cached about the commands, on this machine: a large file, such as a
/// program, is recognized by its metadata instead of being read each time. Not for approvals.
pub(crate) fn recognized_command(root: &Path, lines: &[&[String]]) -> Result<Hash, DigestError> {
    command_with(root, lines, add_recognized)
}

fn command_with(
    root: &Path,
    lines: &[&[String]],
    add: impl Fn(&mut Sha256, &Path) -> Result<(), DigestError>,
) -> Result<Hash, DigestError> {
    let mut hasher = Sha256::new();
    for arguments in lines {
        add_part(&mut hasher, &(arguments.len() as u64).to_le_bytes());
        let loads_modules = arguments.iter().any(|word| is_module_loader(word));
        for argument in *arguments {
            add_part(&mut hasher, argument.as_bytes());
            for file in files_of(root, argument, loads_modules) {
                add_part(&mut hasher, b"file");
                add(&mut hasher, &file)?;
            }
        }
        for loaded in loaded_files(arguments) {
            add_loaded(&mut hasher, root, loaded)?;
        }
    }
    Ok(Hash::of(hasher))
}

/// The digest of those of the files `all` that exist in `root`.
pub fn loaded(root: &Path, all: &[Loaded]) -> Result<Hash, DigestError> {
    let mut hasher = Sha256::new();
    for one in all {
        add_loaded(&mut hasher, root, *one)?;
    }
    Ok(Hash::of(hasher))
}

/// The files that an argument of a command line run in `root` names: as a whole, or
/// within an option or a shell command.
pub fn referenced_files(root: &Path, argument: &str) -> Vec<PathBuf> {
    files_of(root, argument, false)
}

/// The first of these files, if any.
pub fn referenced_file(root: &Path, argument: &str) -> Option<PathBuf> {
    referenced_files(root, argument).into_iter().next()
}

/// The same files as the argument names them.
pub fn named_paths(root: &Path, argument: &str) -> Vec<PathBuf> {
    let named = named_files(root, argument, false).unwrap_or_default();
    named.into_iter().map(|named| named.path.into()).collect()
}

fn files_of(root: &Path, argument: &str, loads_modules: bool) -> Vec<PathBuf> {
    let named = named_files(root, argument, loads_modules).unwrap_or_default();
    named.into_iter().map(|named| named.file).collect()
}

/// Adds a file that a program loads from `root`, if it exists.
fn add_loaded(hasher: &mut Sha256, root: &Path, loaded: Loaded) -> Result<(), DigestError> {
    let file = root.join(loaded.path());
    if !file.is_file() {
        return Ok(());
    }
    add_part(hasher, b"loads");
    add_part(hasher, loaded.path().as_os_str().as_encoded_bytes());
    match loaded {
        Loaded::File(_) => add_file(hasher, &file, &ReadScope::User),
        Loaded::Scripts(_) => {
            let mut bytes = Vec::new();
            content::open(&file, &ReadScope::User)?
                .take(MAX_MANIFEST_BYTES)
                .read_to_end(&mut bytes)
                .map_err(|error| DigestError::Io(file.clone(), error))?;
            // What is not JSON to us may be to a program: a byte order mark, a longer file.
            let Ok(manifest) = serde_json::from_slice::<Value>(&bytes) else {
                return add_file(hasher, &file, &ReadScope::User);
            };
            let scripts = manifest.get("scripts").unwrap_or(&Value::Null);
            add_part(hasher, value(scripts).to_string().as_bytes());
            Ok(())
        }
    }
}

impl Hash {
    pub(crate) fn of(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }

    /// The digest of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let mut hasher = Sha256::new();
        add_part(&mut hasher, &self.0);
        add_part(&mut hasher, &other.0);
        Self::of(hasher)
    }
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
            Self::FileTooLarge(_) => Diagnostic::new(Code::Denied, self.to_string())
                .hint("remove it from the command line"),
            Self::TooLarge(_) => Diagnostic::new(Code::Denied, self.to_string())
                .hint("copy the tools you need into the project"),
            Self::Outside(_) | Self::Special(_) => Diagnostic::new(Code::Denied, self.to_string())
                .hint("a package must contain everything that it runs; report this to its author, or remove it"),
        }
    }
}
