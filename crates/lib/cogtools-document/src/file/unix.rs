//! An open folder, and operations on the names in it.
//!
//! A name is one component of a path, and no function follows a link of that name.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{self, AtFlags, CWD, OFlags};
use rustix::io::Errno;

use super::Mode;

/// An open folder.
pub(super) struct Folder(OwnedFd);

/// Opens folders for traversal only, so that they need not be readable.
#[cfg(any(target_os = "linux", target_os = "android"))]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const FOLDER: OFlags = OFlags::DIRECTORY;

/// Flags for reading a file: without waiting for the writer of a pipe, and
/// without making a terminal one's own.
const READ: OFlags = OFlags::NONBLOCK
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Opens a file for reading, following links; does not block on a pipe.
pub(super) fn open_anywhere(path: &Path) -> io::Result<File> {
    open_file(CWD, path.as_os_str(), READ)
}

/// The error for a socket is [`Unsupported`](io::ErrorKind::Unsupported).
fn open_file(folder: impl AsFd, name: &OsStr, flags: OFlags) -> io::Result<File> {
    match fs::openat(folder, name, flags, fs::Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(Errno::NXIO | Errno::OPNOTSUPP) => Err(io::ErrorKind::Unsupported.into()),
        Err(error) => Err(error.into()),
    }
}

const fn raw_mode(mode: Mode) -> fs::Mode {
    fs::Mode::from_raw_mode(match mode {
        Mode::Data => 0o666,
        Mode::Program => 0o777,
        Mode::Private => 0o600,
    })
}

impl Folder {
    /// Opens the folder at `path`, following links.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = FOLDER | OFlags::CLOEXEC;
        Ok(Self(fs::openat(CWD, path, flags, fs::Mode::empty())?))
    }

    /// Opens the folder `name` in it.
    pub(super) fn open_folder(&self, name: &OsStr) -> io::Result<Self> {
        let flags = FOLDER | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(fs::openat(&self.0, name, flags, fs::Mode::empty())?))
    }

    pub(super) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(&self.0, name, fs::Mode::from_raw_mode(0o777))?)
    }

    /// Removes an empty folder.
    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Opens a file for reading; does not block on a pipe.
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        open_file(&self.0, name, READ | OFlags::NOFOLLOW)
    }

    /// Creates a file for writing; fails if the name exists.
    pub(super) fn create_file(&self, name: &OsStr, mode: Mode) -> io::Result<File> {
        let mode = raw_mode(mode);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(fs::openat(&self.0, name, flags, mode)?.into())
    }

    /// Opens a file for reading and appending; creates it with `mode`, if there is one. Does
    /// not block on a pipe.
    pub(super) fn append_file(&self, name: &OsStr, mode: Option<Mode>) -> io::Result<File> {
        let mut flags = READ | OFlags::RDWR | OFlags::APPEND | OFlags::NOFOLLOW;
        flags.set(OFlags::CREATE, mode.is_some());
        let mode = mode.map_or(fs::Mode::empty(), raw_mode);
        Ok(fs::openat(&self.0, name, flags, mode)?.into())
    }

    /// Renames a file to `to`, replacing any other.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Renames a file, unless the new name exists.
    pub(super) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            let flags = fs::RenameFlags::NOREPLACE;
            match fs::renameat_with(&self.0, from, &self.0, to, flags) {
                // The kernel or the file system does not support the flag.
                Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
                renamed => return Ok(renamed?),
            }
        }
        fs::linkat(&self.0, from, &self.0, to, AtFlags::empty())?;
        self.remove(from)
    }

    /// Removes a file, or the link itself.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }
}
