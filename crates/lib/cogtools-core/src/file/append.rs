//! Files that only grow: opened to be read, and to be written at their end.

use std::fs::File;
use std::io::{self, ErrorKind};

use super::walk::{Links, Missing, Walk};
use super::{Mode, WriteError, WritePath};

/// Whether the file to append to exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It must exist.
    Required,
    /// If it does not, it is created with this mode, and so are missing folders.
    OrCreate(Mode),
}

/// Opens the regular file at `path` for reading, and for writing at its end.
///
/// # Errors
///
/// [`WriteError::Link`] if a link leads outside the folder of `path`.
pub fn open_append(path: &WritePath, existing: Existing) -> Result<File, WriteError> {
    let missing = match existing {
        Existing::Required => Missing::Fail,
        Existing::OrCreate(_) => Missing::Make,
    };
    let mut found = Walk::find(path, Links::Follow, missing)?;
    let mode = match existing {
        Existing::Required => None,
        Existing::OrCreate(mode) => Some(mode),
    };
    let file = found.folder.append_file(&found.name, mode)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::Unsupported, "not a regular file").into());
    }
    found.made.keep();
    Ok(file)
}
