//! Reading and atomic writing that never leave a folder.
//!
//! New content is written to a temporary file next to its target, which is then
//! renamed: a full disk or a missing permission shows while the old file still exists,
//! and a reader sees either the old content or the new. A repository may contain
//! malicious links, so every folder on the path is opened by handle, and a link that
//! leads outside the [`WritePath`]'s folder is rejected.

mod append;
mod boundary;
mod error;
mod path;
mod read;
mod scope;
mod temp;
mod walk;

#[cfg(unix)]
#[path = "unix.rs"]
mod folder;
#[cfg(not(unix))]
#[path = "portable.rs"]
mod folder;
#[cfg(all(unix, test))]
#[expect(dead_code, reason = "the tests call what writes")]
mod portable;

pub use append::{Existing, open_append};
pub use boundary::Boundary;
pub use error::WriteError;
pub use path::WritePath;
pub use read::{ReadError, open};
pub use scope::ReadScope;
pub use temp::{Expected, Temp, write_temp};

use std::path::Path;

use walk::{Links, Missing, Walk};

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
/// [`WriteError::Changed`] if the content differs.
pub fn replace_if_unchanged(
    path: &WritePath,
    before: Option<&[u8]>,
    content: &[u8],
) -> Result<(), WriteError> {
    let expected = before.map_or(Expected::Absent, Expected::Bytes);
    write_temp(path, expected, content, Mode::Data)?.commit()
}

/// Replaces a file unconditionally.
pub fn write(path: &WritePath, content: &[u8]) -> Result<(), WriteError> {
    write_temp(path, Expected::Anything, content, Mode::Data)?.commit()
}

/// Replaces any file, even a link, by one that only its owner can read.
pub fn replace_private(path: &WritePath, content: &[u8]) -> Result<(), WriteError> {
    write_temp(path, Expected::Overwritten, content, Mode::Private)?.commit()
}

/// Creates a folder, with its parents, that only the user can open.
pub fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates a folder, with its parents.
pub fn create_folder(path: &WritePath) -> Result<(), WriteError> {
    let file = path.file("_");
    Walk::find(&file, Links::KeepLast, Missing::Make)?
        .made
        .keep();
    Ok(())
}

/// Removes a file, or the link itself.
pub fn remove(path: &WritePath) -> Result<(), WriteError> {
    let found = Walk::find(path, Links::KeepLast, Missing::Fail)?;
    Ok(found.folder.remove(&found.name)?)
}
