//! Files that are written whole or not at all, and never outside of a folder.
//!
//! New content goes into a temporary file beside its target and is then renamed:
//! a full disk or a missing permission shows while the old file is still there,
//! and a reader sees the old file or the new one, never a half. A repository may
//! contain links that a stranger made, so every folder on the way is opened by
//! its handle, and a link that leads out of the [`WritePath`]'s folder is refused.

mod error;
mod path;
mod temp;
mod walk;

#[cfg(unix)]
#[path = "unix.rs"]
mod folder;
#[cfg(not(unix))]
#[path = "portable.rs"]
mod folder;
#[cfg(all(unix, test))]
mod portable;

pub use error::WriteError;
pub use path::WritePath;
pub use temp::{Expected, Temp, write_temp};

use walk::{Links, Missing, Walk};

/// What a new file may be used for, as far as the user's umask allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is read and written.
    Data,
    /// It is also run.
    Program,
    /// It is read and written by its owner alone.
    Private,
}

/// Writes a new file with `content`, and makes the folders on the way.
///
/// # Errors
///
/// [`WriteError::Changed`] when something is there, however late it came.
pub fn create(path: &WritePath, content: &[u8], mode: Mode) -> Result<(), WriteError> {
    write_temp(path, Expected::Absent, content, mode)?.commit()
}

/// Gives a file new `content` if it still is what it was `before`: these bytes, or
/// not there. Permissions stay, and a link stays a link: its target is written.
///
/// # Errors
///
/// [`WriteError::Changed`] when it is something else.
pub fn replace_if_unchanged(
    path: &WritePath,
    before: Option<&[u8]>,
    content: &[u8],
) -> Result<(), WriteError> {
    let expected = before.map_or(Expected::Absent, Expected::Bytes);
    write_temp(path, expected, content, Mode::Data)?.commit()
}

/// The same, whatever was there.
pub fn write(path: &WritePath, content: &[u8]) -> Result<(), WriteError> {
    write_temp(path, Expected::Anything, content, Mode::Data)?.commit()
}

/// Puts a file that only its owner reads in the place of whatever is there, even
/// of a link.
pub fn replace_private(path: &WritePath, content: &[u8]) -> Result<(), WriteError> {
    write_temp(path, Expected::Overwritten, content, Mode::Private)?.commit()
}

/// Removes a file, or a link itself.
pub fn remove(path: &WritePath) -> Result<(), WriteError> {
    let found = Walk::find(path, Links::KeepLast, Missing::Fail)?;
    Ok(found.folder.remove(&found.name)?)
}
