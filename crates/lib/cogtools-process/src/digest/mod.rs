//! SHA-256 digests of values, command lines and packages.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cogtools_document::file::{self, ReadError, ReadScope};
use cogtools_document::{Code, Diagnostic};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::containment::{
    INCOMPLETE, Loaded, is_excluded, loaded_files, loads_modules as is_module_loader, named_files,
};

/// A SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash([u8; 32]);

/// Why something cannot be hashed.
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    /// A file cannot be read.
    #[error("`{0}` cannot be read: {1}")]
    Io(PathBuf, io::Error),
    /// There is more than can be hashed at every call.
    #[error("`{0}` is too large to be approved: more than {files} files or {most} MiB", files = MAX_FILES, most = MAX_BYTES >> 20)]
    TooLarge(PathBuf),
    /// A single file is too large.
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
/// Maximum number of bytes of a `package.json` that are read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// Computes the digest of a value from its compact JSON with sorted keys, so that a program
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

/// Returns true if `text` is a SHA-256 in hexadecimal digits.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The digest of the content of a file.
pub fn file(path: &Path) -> Result<Hash, DigestError> {
    let mut hasher = Sha256::new();
    add_file(&mut hasher, path, &ReadScope::User)?;
    Ok(Hash::of(hasher))
}

/// The digest of command lines run in `root`: their arguments, and the content of the
/// files that they name or load, except `data`.
pub fn command(
    root: &Path,
    lines: &[&[String]],
    data: &BTreeSet<PathBuf>,
) -> Result<Hash, DigestError> {
    command_with(root, lines, data, |hasher, file| {
        add_file(hasher, file, &ReadScope::User)
    })
}

/// Computes the digest under which facts about commands are cached on this machine: a large
/// file, such as a program, is recognized by its metadata instead of being read each time. Not for approvals.
pub fn recognized_command(
    root: &Path,
    lines: &[&[String]],
    data: &BTreeSet<PathBuf>,
) -> Result<Hash, DigestError> {
    command_with(root, lines, data, add_recognized)
}

fn command_with(
    root: &Path,
    lines: &[&[String]],
    data: &BTreeSet<PathBuf>,
    add: impl Fn(&mut Sha256, &Path) -> Result<(), DigestError>,
) -> Result<Hash, DigestError> {
    let mut hasher = Sha256::new();
    for arguments in lines {
        add_part(&mut hasher, &(arguments.len() as u64).to_le_bytes());
        let loads_modules = arguments.iter().any(|word| is_module_loader(word));
        for argument in *arguments {
            add_part(&mut hasher, argument.as_bytes());
            for file in files_of(root, argument, loads_modules) {
                if file.canonicalize().is_ok_and(|file| data.contains(&file)) {
                    continue;
                }
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

/// Computes the digest of the files in `all` that exist in `root`.
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

/// Finds the files that `argument` names, by the names it has for them.
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
            let mut start = open(&file, &ReadScope::User)?.take(MAX_MANIFEST_BYTES);
            unless_io(&file, || start.read_to_end(&mut bytes).map(drop))?;
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
        let (code, hint) = match self {
            Self::Io(..) => (Code::IoFailed, "check that the file is readable"),
            Self::FileTooLarge(_) => (Code::Denied, "remove it from the command line"),
            Self::TooLarge(_) => (Code::Denied, "copy the tools you need into the project"),
            Self::Outside(_) | Self::Special(_) => (Code::Denied, INCOMPLETE),
        };
        Diagnostic::new(code, self.to_string()).hint(hint)
    }
}

/// Number of bytes of a file that are read at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// From which size on a file is not read to be recognized: 1 MiB.
const LARGE_BYTES: u64 = 1 << 20;

/// Adds the content of a file in `scope`, followed by its length.
pub(crate) fn add_file(
    hasher: &mut Sha256,
    file: &Path,
    scope: &ReadScope,
) -> Result<(), DigestError> {
    let mut reader = open(file, scope)?;
    let size = reader.metadata().map_or(0, |meta| meta.len());
    if size > MAX_FILE_BYTES {
        return Err(DigestError::FileTooLarge(file.to_path_buf()));
    }
    unless_io(file, || add(hasher, &mut reader, None))
}

/// Adds what tells a file on this machine from others and from what it was: its content, or the
/// metadata of a large one. It can be changed without being noticed only within one step of the
/// file system's clock, and with the same size.
fn add_recognized(hasher: &mut Sha256, file: &Path) -> Result<(), DigestError> {
    let meta = file.metadata().ok().filter(Metadata::is_file);
    let Some(meta) = meta.filter(|meta| meta.len() > LARGE_BYTES) else {
        return add_file(hasher, file, &ReadScope::User);
    };
    add_part(hasher, b"metadata");
    add_part(hasher, &meta.len().to_le_bytes());
    let modified = meta.modified().ok();
    let since = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let since = since.map_or(0, |since| since.as_nanos());
    add_part(hasher, &since.to_le_bytes());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        for part in [meta.dev(), meta.ino()] {
            add_part(hasher, &part.to_le_bytes());
        }
        for part in [meta.ctime(), meta.ctime_nsec()] {
            add_part(hasher, &part.to_le_bytes());
        }
    }
    Ok(())
}

/// Adds the content of a file in a scope, while it is copied to a new file at `copy`, which is executable if the
/// file is.
pub(crate) fn copy_file(
    hasher: &mut Sha256,
    (file, scope): (&Path, &ReadScope),
    copy: &Path,
) -> Result<(), DigestError> {
    let mut reader = open(file, scope)?;
    let add = || {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
            let is_executable = reader.metadata()?.permissions().mode() & 0o111 != 0;
            options.mode(if is_executable { 0o500 } else { 0o400 });
        }
        let mut writer = options.open(copy)?;
        add(hasher, &mut reader, Some(&mut writer))
    };
    unless_io(file, add)
}

/// Adds bytes, preceded by their length, so that adjacent parts are distinct.
pub(crate) fn add_part(hasher: &mut Sha256, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn add(hasher: &mut Sha256, reader: &mut File, mut copy: Option<&mut File>) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut bytes = 0_u64;
    loop {
        let count = reader.read(&mut chunk)?;
        if count == 0 {
            hasher.update(bytes.to_le_bytes());
            return Ok(());
        }
        hasher.update(&chunk[..count]);
        bytes += count as u64;
        if copy.is_some() && bytes > MAX_BYTES {
            // It has grown since it was measured.
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if let Some(copy) = &mut copy {
            copy.write_all(&chunk[..count])?;
        }
    }
}

/// Opens a regular file in `scope`.
fn open(file: &Path, scope: &ReadScope) -> Result<File, DigestError> {
    let failed = |error| DigestError::Io(file.to_path_buf(), error);
    match file::open(file, scope) {
        Ok((opened, _)) => Ok(opened),
        Err(ReadError::Outside { .. }) => Err(DigestError::Outside(file.to_path_buf())),
        Err(ReadError::Dangling) => Err(failed(io::ErrorKind::NotFound.into())),
        Err(ReadError::NotAFile) => Err(DigestError::Special(file.to_path_buf())),
        Err(ReadError::Io(error)) => Err(failed(error)),
    }
}

fn unless_io(file: &Path, add: impl FnOnce() -> io::Result<()>) -> Result<(), DigestError> {
    add().map_err(|error| DigestError::Io(file.to_path_buf(), error))
}

/// Where a package is copied while it is hashed.
#[derive(Clone, Copy, Debug)]
pub struct CopyTo<'p> {
    /// The folder that gets the files. It must be empty.
    pub folder: &'p Path,
    /// The folder's later path, for links to other files of the package.
    pub final_path: &'p Path,
}

/// The digest of the package in the folder `root`, a path without links.
pub fn package(root: &Path) -> Result<Hash, DigestError> {
    digest(root, None)
}

/// Hashes a package while its files are copied, so that the hash is of the copy.
pub fn copy_package(root: &Path, copy: CopyTo<'_>) -> Result<Hash, DigestError> {
    digest(root, Some(copy))
}

/// The files of the package in the folder `root`, relative to it.
pub fn files(root: &Path) -> Result<Vec<PathBuf>, DigestError> {
    let mut files = Vec::new();
    walk(root, root, &mut files)?;
    files.sort_unstable();
    Ok(files)
}

fn digest(root: &Path, copy: Option<CopyTo<'_>>) -> Result<Hash, DigestError> {
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    for file in files(root)? {
        let path = root.join(&file);
        add_part(&mut hasher, file.as_os_str().as_encoded_bytes());
        let failed = |error| DigestError::Io(path.clone(), error);
        let meta = fs::symlink_metadata(&path).map_err(failed)?;
        bytes += meta.len();
        if bytes > MAX_BYTES {
            return Err(DigestError::TooLarge(root.to_path_buf()));
        }
        let copied = copy.map(|copy| copy.folder.join(&file));
        if let Some(folder) = copied.as_deref().and_then(Path::parent) {
            unless_io(folder, || fs::create_dir_all(folder))?;
        }
        add_entry(&mut hasher, (root, &path), &meta, copied.as_deref(), copy)?;
    }
    Ok(Hash::of(hasher))
}

/// Adds the file at `path` in the package at `root`, and copies it.
fn add_entry(
    hasher: &mut Sha256,
    (root, path): (&Path, &Path),
    meta: &Metadata,
    copied: Option<&Path>,
    copy: Option<CopyTo<'_>>,
) -> Result<(), DigestError> {
    if meta.is_symlink() {
        let failed = |error| DigestError::Io(path.to_path_buf(), error);
        let target = fs::read_link(path).map_err(failed)?;
        add_part(hasher, b"link");
        add_part(hasher, target.as_os_str().as_encoded_bytes());
        let inside = contained_target(root, path)?;
        if let (Some(copied), Some(copy), Some(inside)) = (copied, copy, inside) {
            link(&copy.final_path.join(inside), copied, path.is_dir()).map_err(failed)?;
        }
        return Ok(());
    }
    if !meta.is_file() {
        return Err(DigestError::Special(path.to_path_buf()));
    }
    add_part(hasher, b"file");
    let scope = ReadScope::package(root, false);
    match copied {
        Some(copied) => copy_file(hasher, (path, &scope), copied),
        None => add_file(hasher, path, &scope),
    }
}

/// The target of a link below `root`, if it exists. Rejects a link to something that
/// the digest does not cover, at every call, because a dangling link may get a target
/// later.
fn contained_target(root: &Path, link: &Path) -> Result<Option<PathBuf>, DigestError> {
    let Ok(target) = link.canonicalize() else {
        return Ok(None);
    };
    match target.strip_prefix(root) {
        Ok(below) if !below.iter().any(is_excluded) => Ok(Some(below.to_path_buf())),
        _ => Err(DigestError::Outside(link.to_path_buf())),
    }
}

/// Makes a link at `path` to `target`.
#[cfg(unix)]
pub(crate) fn link(target: &Path, path: &Path, _is_folder: bool) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

/// Makes a link at `path` to `target`.
#[cfg(windows)]
pub(crate) fn link(target: &Path, path: &Path, is_folder: bool) -> io::Result<()> {
    if is_folder {
        std::os::windows::fs::symlink_dir(target, path)
    } else {
        std::os::windows::fs::symlink_file(target, path)
    }
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
