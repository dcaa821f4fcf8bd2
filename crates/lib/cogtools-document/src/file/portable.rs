//! A folder identified by its path, for systems where the standard library cannot open
//! handles of folders.
//!
//! Every step is checked by its canonical path. Between the check and the use a folder
//! could be replaced by a link; that race is not detected.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Mode;

/// A folder, by its canonical path.
pub(super) struct Folder(PathBuf);

/// Opens a file for reading, following links.
pub(super) fn open_anywhere(path: &Path) -> io::Result<File> {
    // Opening a pipe would block, so the type is checked first.
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(ErrorKind::Unsupported.into())
    }
}

impl Folder {
    /// Opens the folder at `path`, following links.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(path.canonicalize()?))
    }

    /// Opens the folder `name` in it.
    pub(super) fn open_folder(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.0.join(name).canonicalize()?;
        let is_link = self.0.join(name).is_symlink();
        if path.parent() == Some(&self.0) && path.is_dir() && !is_link {
            Ok(Self(path))
        } else {
            Err(ErrorKind::NotADirectory.into())
        }
    }

    pub(super) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    /// Removes an empty folder.
    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    /// Fails if `name` is a link.
    fn unless_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        if path.is_symlink() {
            return Err(io::Error::other("the file was replaced by a link"));
        }
        Ok(path)
    }

    /// Opens a file for reading.
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.unless_link(name)?)
    }

    /// Creates a file for writing; fails if the name exists.
    pub(super) fn create_file(&self, name: &OsStr, _mode: Mode) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }

    /// Opens a file for reading and appending; creates it if there is a mode.
    pub(super) fn append_file(&self, name: &OsStr, mode: Option<Mode>) -> io::Result<File> {
        let mut options = File::options();
        let options = options.read(true).append(true).create(mode.is_some());
        options.open(self.unless_link(name)?)
    }

    /// Renames a file to `to`, replacing any other.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    /// Renames a file, unless the new name exists.
    pub(super) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.0.join(from), self.0.join(to))?;
        self.remove(from)
    }

    /// Removes a file, or the link itself.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_never_followed() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(dir.path()).expect("a folder");
        let [sub, link, old, new] = ["sub", "link", "old", "new"].map(OsStr::new);
        folder.make_folder(sub).expect("made");
        std::os::unix::fs::symlink("sub", dir.path().join("link")).expect("a link");
        assert!(folder.open_folder(sub).is_ok());
        for refused in [link, OsStr::new(".."), OsStr::new("sub/..")] {
            let kind = folder.open_folder(refused).map_err(|error| error.kind());
            assert_eq!(kind.err(), Some(ErrorKind::NotADirectory), "{refused:?}");
        }
        assert!(folder.open_file(link).is_err());
        for name in [old, new] {
            drop(folder.create_file(name, Mode::Data).expect("a file"));
        }
        let taken = folder.rename_new(old, new).map_err(|error| error.kind());
        assert_eq!(taken, Err(ErrorKind::AlreadyExists));
        folder.rename(old, new).expect("replaced");
        folder.rename_new(new, old).expect("renamed");
        folder.open_file(old).expect("a file");
        folder.remove(old).expect("removed");
        folder.remove(link).expect("removed");
        folder.remove_folder(sub).expect("removed");
        assert_eq!(fs::read_dir(dir.path()).map(Iterator::count).ok(), Some(0));
    }
}
