//! Opens files for reading that a repository may have replaced by links, pipes or
//! devices.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::WriteError;
use super::boundary::Boundary;
use super::folder::{self, Folder};
use super::path::WritePath;
use super::scope::{self, ReadScope};
use super::walk::{Links, Missing, Walk};

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

/// Opens the regular file at `path`, without waiting for a writer of a pipe.
///
/// # Errors
///
/// [`ReadError::Outside`] if it is not in `scope`, whether its target exists or not.
pub fn open(path: &Path, scope: &ReadScope) -> Result<(File, Metadata), ReadError> {
    let opened = match scope {
        ReadScope::User => folder::open_anywhere(path).map_err(ReadError::Io),
        ReadScope::Within {
            folder, boundary, ..
        } => open_within(path, folder, *boundary),
    };
    let file = match opened {
        Ok(file) => file,
        // A socket cannot be opened.
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::Unsupported => {
            return Err(ReadError::NotAFile);
        }
        Err(ReadError::Io(error))
            if error.kind() == ErrorKind::NotFound
                && *scope == ReadScope::User
                && path.is_symlink() =>
        {
            return Err(ReadError::Dangling);
        }
        Err(error) => return Err(error),
    };
    let meta = file.metadata()?;
    if meta.is_file() {
        Ok((file, meta))
    } else {
        Err(ReadError::NotAFile)
    }
}

fn open_within(path: &Path, root: &Path, boundary: Boundary) -> Result<File, ReadError> {
    let below = scope::below(root, path).or_else(|| {
        // One of the two may be canonical.
        let (root, folder) = (
            root.canonicalize().ok()?,
            path.parent()?.canonicalize().ok()?,
        );
        let below = folder.strip_prefix(root).ok()?;
        Some(below.join(path.file_name()?))
    });
    let Some(below) = below else {
        return match path.symlink_metadata() {
            Ok(_) => Err(ReadError::Outside {
                link: None,
                boundary,
            }),
            Err(error) => Err(error.into()),
        };
    };
    match open_direct(root, &below) {
        Err(error) if error.kind() != ErrorKind::NotFound => {}
        result => return Ok(result?),
    }
    let path = WritePath::new(root, &below, boundary);
    let found = match Walk::find(&path, Links::Follow, Missing::Fail) {
        Ok(found) => found,
        Err(WriteError::Link { link, .. }) => {
            let is_above = below != link && below.starts_with(&link);
            return Err(ReadError::Outside {
                link: is_above.then_some(link),
                boundary,
            });
        }
        Err(WriteError::Dangling { .. }) => return Err(ReadError::Dangling),
        Err(WriteError::Io(error)) if error.kind() == ErrorKind::IsADirectory => {
            return Err(ReadError::NotAFile);
        }
        Err(WriteError::Io(error)) => return Err(error.into()),
        Err(WriteError::Changed) => return Err(io::Error::from(ErrorKind::Interrupted).into()),
    };
    Ok(found.folder.open_file(&found.name)?)
}

/// Opens a file that is reached without links: one call per component.
fn open_direct(root: &Path, below: &Path) -> io::Result<File> {
    let mut folder = Folder::open(root)?;
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        if name == ".." || name == "." {
            break;
        }
        if names.peek().is_none() {
            return folder.open_file(name);
        }
        folder = folder.open_folder(name)?;
    }
    Err(ErrorKind::InvalidInput.into())
}
