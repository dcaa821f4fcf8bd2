//! Reading and atomic writing that never leave a folder.
//!
//! New content is written to a temporary file next to its target, which is then
//! renamed: a full disk or a missing permission shows while the old file still exists,
//! and a reader sees either the old content or the new. A repository may contain
//! malicious links, so every folder on the path is opened by handle, and a link that
//! leads outside the [`WritePath`]'s folder is rejected.

#[cfg(unix)]
#[path = "unix.rs"]
mod folder;
#[cfg(not(unix))]
#[path = "portable.rs"]
mod folder;
mod path;
#[cfg(all(unix, test))]
#[expect(dead_code, reason = "the tests call what writes")]
mod portable;

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use path::below;
pub use path::{Boundary, ReadScope, WritePath, descends, has_secrets, is_secret};

use crate::file::folder::Folder;
use crate::file::path::{Found, Links, Made, Missing};
use crate::size;
use crate::{Code, Diagnostic};

/// The mode of a new file, further restricted by the user's umask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Readable and writable.
    Data,
    /// Readable, writable and executable.
    Program,
    /// Readable and writable by its owner only.
    Private,
}

/// Existence of the file that [`open_append`] opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It must exist.
    Required,
    /// If it does not, it is created with this mode, and so are missing folders.
    OrCreate(Mode),
}

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A link on the path leads outside the folder.
    #[error("the link `{}` points outside {boundary}, to `{}`", link.display(), target.display())]
    Link {
        /// The link, relative to that folder.
        link: PathBuf,
        /// Its target.
        target: PathBuf,
        /// The folder that it leaves.
        boundary: Boundary,
    },
    /// A dangling link on the path.
    #[error("the link `{}` points to `{}`, which does not exist", link.display(), target.display())]
    Dangling {
        /// The link, relative to the folder.
        link: PathBuf,
        /// Its target.
        target: PathBuf,
    },
    /// The file has changed.
    #[error("it was changed by another program meanwhile")]
    Changed,
    /// The file is read-only. A rename would replace it, but its owner intended it not to change.
    #[error("it is read-only")]
    ReadOnly,
    /// The system refuses it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A link on the path leads outside the folder.
    #[error("a link points outside {boundary}")]
    Outside {
        /// The link, relative to the folder, if it is not the file itself.
        link: Option<PathBuf>,
        /// The kind of folder.
        boundary: Boundary,
    },
    /// A dangling link.
    #[error("the link points to a file that does not exist")]
    Dangling,
    /// A directory, a pipe or a device: reading it might never end.
    #[error("not a regular file")]
    NotAFile,
    /// The system refuses it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ReadError {
    /// Returns true if the file is larger than the limit of [`read`].
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == ErrorKind::FileTooLarge)
    }
}

impl WriteError {
    /// Reports that the file at `path` cannot be `action`, such as written, with a [hint](Self::hint).
    pub fn diagnostic(&self, path: &Path, action: &str, otherwise: &str) -> Diagnostic {
        let message = format!("`{}` cannot be {action}: {self}", path.display());
        Diagnostic::new(Code::IoFailed, message).hint(self.hint(otherwise))
    }

    /// Returns what to do about it; `otherwise` for errors of the system.
    pub fn hint(&self, otherwise: &str) -> String {
        match self {
            Self::Link { link, .. } => format!(
                "replace `{}` with a regular file or folder, then run this again",
                link.display()
            ),
            Self::Dangling { link, .. } => format!(
                "create the target of `{}`, or remove the link, then run this again",
                link.display()
            ),
            Self::Changed => "run this again".to_owned(),
            Self::ReadOnly => "make it writable, then run this again".to_owned(),
            Self::Io(_) => otherwise.to_owned(),
        }
    }
}

/// Writes a new file with `content`, and creates missing folders.
///
/// # Errors
///
/// [`WriteError::Changed`] if a file is there, even if it was created meanwhile.
pub fn create(path: &WritePath, content: &[u8], mode: Mode) -> Result<(), WriteError> {
    write_temp(path, Expected::Absent, content, mode)?.commit()
}

/// Replaces the content of a file if it is still `before`: these bytes, or `None` for a
/// missing file. Permissions are preserved, and a link is followed to its target.
///
/// # Errors
///
/// [`WriteError::Changed`] if the content differs, [`WriteError::ReadOnly`] if nobody may write it.
pub fn replace_if_unchanged(
    path: &WritePath,
    before: Option<&[u8]>,
    content: &[u8],
) -> Result<(), WriteError> {
    let meta = std::fs::metadata(path.full());
    if before.is_some() && meta.is_ok_and(|meta| meta.permissions().readonly()) {
        return Err(WriteError::ReadOnly);
    }
    let expected = before.map_or(Expected::Absent, Expected::Bytes);
    write_temp(path, expected, content, Mode::Data)?.commit()
}

/// Replaces a file unconditionally.
///
/// # Errors
///
/// [`WriteError::Link`] if a link leads outside the folder of `path`.
pub fn write(path: &WritePath, content: &[u8]) -> Result<(), WriteError> {
    write_temp(path, Expected::Anything, content, Mode::Data)?.commit()
}

/// Replaces any file, even a link, by one that only its owner can read.
///
/// # Errors
///
/// [`WriteError::Link`] if a folder on the way is a link to the outside.
pub fn replace_private(path: &WritePath, content: &[u8]) -> Result<(), WriteError> {
    write_temp(path, Expected::Overwritten, content, Mode::Private)?.commit()
}

/// Creates a folder, with its parents, that only the user can open.
///
/// # Errors
///
/// Errors of the system.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Removes a folder that may be read-only, with all that is below; links are not followed.
pub fn remove_tree(folder: &Path) {
    make_writable(folder);
    let _ = std::fs::remove_dir_all(folder);
}

/// Lets the user change a folder and all folders below; links are not followed.
pub fn make_writable(folder: &Path) {
    let _ = set_writable(folder, true);
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}

/// Sets whether the user, and nobody else, may change a folder.
#[cfg(unix)]
pub fn set_writable(folder: &Path, is_writable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if is_writable { 0o700 } else { 0o500 };
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode))
}

/// Changes nothing: a folder has no such right on other systems.
#[cfg(not(unix))]
pub const fn set_writable(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

/// Resolves the links on `path`, which need not exist: what the result names may only be shown,
/// since a link may appear in it.
///
/// # Errors
///
/// [`WriteError::Link`] if a link leads outside the folder of `path`, [`WriteError::Dangling`] if
/// one leads nowhere.
pub fn resolve(path: &WritePath) -> Result<PathBuf, WriteError> {
    let root = path.root.canonicalize()?;
    let below = path::resolve(path, &root, Links::Follow)?;
    Ok(root.join(below))
}

/// Creates a folder, with its parents.
///
/// # Errors
///
/// [`WriteError::Link`] if a link leads outside the folder of `path`.
pub fn create_folder(path: &WritePath) -> Result<(), WriteError> {
    let file = WritePath::new(&path.root, &path.below.join("_"), path.boundary);
    path::find(&file, Links::KeepLast, Missing::Make)?
        .made
        .keep();
    Ok(())
}

/// Removes a file, or the link itself.
///
/// # Errors
///
/// [`WriteError::Link`] if a folder on the way is a link to the outside.
pub fn remove(path: &WritePath) -> Result<(), WriteError> {
    let found = path::find(path, Links::KeepLast, Missing::Fail)?;
    Ok(found.folder.remove(&found.name)?)
}

/// Opens the regular file at `path` for reading, and for writing at its end.
///
/// # Errors
///
/// [`WriteError::Link`] if a link leads outside the folder of `path`.
pub fn open_append(path: &WritePath, existing: Existing) -> Result<File, WriteError> {
    let (missing, mode) = match existing {
        Existing::Required => (Missing::Fail, None),
        Existing::OrCreate(mode) => (Missing::Make, Some(mode)),
    };
    let mut found = path::find(path, Links::Follow, missing)?;
    let file = found.folder.append_file(&found.name, mode)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::Unsupported, "not a regular file").into());
    }
    found.made.keep();
    Ok(file)
}

/// Opens the regular file at `path`, without waiting for a writer of a pipe.
///
/// # Errors
///
/// [`ReadError::Outside`] if it is not in `scope`, whether its target exists or not.
pub fn open(path: &Path, scope: &ReadScope) -> Result<(File, Metadata), ReadError> {
    let opened = match scope {
        ReadScope::User => folder::open_anywhere(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound if path.is_symlink() => ReadError::Dangling,
            _ => ReadError::Io(error),
        }),
        ReadScope::Within {
            folder, boundary, ..
        } => open_within(path, folder, *boundary),
    };
    let file = opened.map_err(|error| match error {
        // A socket cannot be opened.
        ReadError::Io(error) if error.kind() == ErrorKind::Unsupported => ReadError::NotAFile,
        error => error,
    })?;
    let meta = file.metadata()?;
    if meta.is_file() {
        Ok((file, meta))
    } else {
        Err(ReadError::NotAFile)
    }
}

/// Reads the regular file at `path`, with its metadata, if it has at most `limit` bytes.
///
/// # Errors
///
/// As [`open`]; see [`ReadError::is_too_large`].
pub fn read(path: &Path, scope: &ReadScope, limit: u64) -> Result<(Vec<u8>, Metadata), ReadError> {
    let (file, meta) = open(path, scope)?;
    let size = usize::try_from(meta.len().min(limit)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(size + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("it is larger than {}", size::show(limit));
        return Err(io::Error::new(ErrorKind::FileTooLarge, message).into());
    }
    Ok((bytes, meta))
}

fn open_within(path: &Path, root: &Path, boundary: Boundary) -> Result<File, ReadError> {
    let below = below(root, path).or_else(|| {
        // One of the two may be canonical.
        let folder = path.parent()?.canonicalize().ok()?;
        let below = folder.strip_prefix(root.canonicalize().ok()?).ok()?;
        Some(below.join(path.file_name()?))
    });
    let Some(below) = below else {
        if path.symlink_metadata()?.is_dir() {
            return Err(ReadError::NotAFile);
        }
        let link = None;
        return Err(ReadError::Outside { link, boundary });
    };
    let open = |found: Found| found.folder.open_file(&found.name);
    // Most files are reached without links.
    match path::enter(root, &below, Missing::Fail).and_then(open) {
        Err(error) if error.kind() != ErrorKind::NotFound => {}
        opened => return Ok(opened?),
    }
    let path = WritePath::new(root, &below, boundary);
    match path::find(&path, Links::Follow, Missing::Fail) {
        Ok(found) => Ok(open(found)?),
        Err(WriteError::Link { link, .. }) => {
            let is_above = below != link && below.starts_with(&link);
            let link = is_above.then_some(link);
            Err(ReadError::Outside { link, boundary })
        }
        Err(WriteError::Dangling { .. }) => Err(ReadError::Dangling),
        Err(WriteError::Io(error)) if error.kind() == ErrorKind::IsADirectory => {
            Err(ReadError::NotAFile)
        }
        Err(WriteError::Io(error)) => Err(error.into()),
        // Finding a file writes nothing.
        Err(WriteError::Changed | WriteError::ReadOnly) => {
            Err(io::Error::from(ErrorKind::Interrupted).into())
        }
    }
}

/// Content that a file must have to be replaced.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'b> {
    /// The file must not exist.
    Absent,
    /// The file must have these bytes.
    Bytes(&'b [u8]),
    /// Anything; a file that exists keeps its permissions.
    Anything,
    /// Anything, even a link; neither permissions nor target are preserved.
    Overwritten,
}

/// New content in a temporary file next to its target. Unless it is committed, the file
/// is removed again, and so are the folders that were created for it.
pub struct Temp<'b> {
    folder: Rc<Folder>,
    name: OsString,
    /// The name of the temporary file, until it is renamed.
    own: Option<OsString>,
    expected: Expected<'b>,
    made: Made,
}

/// Writes `content` to a temporary file next to `path`. `mode` applies to new files;
/// existing ones keep theirs.
pub fn write_temp<'b>(
    path: &WritePath,
    expected: Expected<'b>,
    content: &[u8],
    mode: Mode,
) -> Result<Temp<'b>, WriteError> {
    let (links, missing) = match expected {
        Expected::Absent | Expected::Anything => (Links::Follow, Missing::Make),
        Expected::Bytes(_) => (Links::Follow, Missing::Fail),
        Expected::Overwritten => (Links::KeepLast, Missing::Make),
    };
    let Found { folder, name, made } = path::find(path, links, missing)?;
    let before = match expected {
        Expected::Absent | Expected::Overwritten => None,
        Expected::Bytes(_) => Some(folder.open_file(&name)?),
        Expected::Anything => match folder.open_file(&name) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        },
    };
    let permissions = before.map(|file| file.metadata()).transpose()?;
    // No other user may read it before it has the old file's permissions.
    let mode = permissions.as_ref().map_or(mode, |_| Mode::Private);
    let number = RandomState::new().build_hasher().finish();
    let own = OsString::from(format!(".cogtools-{number:016x}"));
    let mut file = folder.create_file(&own, mode)?;
    let temp = Temp {
        folder,
        name,
        own: Some(own),
        expected,
        made,
    };
    file.write_all(content)?;
    if let Some(before) = permissions {
        file.set_permissions(before.permissions())?;
    }
    file.sync_all()?;
    Ok(temp)
}

impl Temp<'_> {
    /// Renames the file to its target, if the target is still as expected.
    pub fn commit(&mut self) -> Result<(), WriteError> {
        let Some(own) = &self.own else {
            return Ok(());
        };
        let replaced = match self.expected {
            Expected::Bytes(_) => Some(self.folder.open_file(&self.name)?),
            _ => None,
        };
        // Of two processes that replace the same content, one would undo the change of the other.
        // On Windows, a locked file cannot be read again.
        let is_locked = |file: &File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if cfg!(unix) && replaced.as_ref().is_some_and(is_locked) {
            return Err(WriteError::Changed);
        }
        match self.expected {
            Expected::Absent => self.folder.rename_new(own, &self.name),
            Expected::Bytes(before) if !has_content(&self.folder, &self.name, before)? => {
                return Err(WriteError::Changed);
            }
            _ => self.folder.rename(own, &self.name),
        }
        .map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => WriteError::Changed,
            _ => error.into(),
        })?;
        self.own = None;
        self.made.keep();
        Ok(())
    }
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        if let Some(own) = &self.own {
            let _ = self.folder.remove(own);
        }
    }
}

/// Returns true if the file `name` contains exactly these `bytes`.
fn has_content(folder: &Folder, name: &OsStr, bytes: &[u8]) -> io::Result<bool> {
    let file = folder.open_file(name)?;
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let mut content = Vec::with_capacity(bytes.len());
    file.take(bytes.len() as u64 + 1)
        .read_to_end(&mut content)?;
    Ok(content == bytes)
}
