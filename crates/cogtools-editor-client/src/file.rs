//! Files and folders that only their user may have written.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::answer::Failure;

/// Files are opened without waiting for the writer of a pipe.
const READ: OFlags = OFlags::NONBLOCK
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// How many names a temporary file can have; others may have taken some.
const MAX_NAMES: u32 = 64;

/// A file that only the user can read, which goes with this value.
#[derive(Debug)]
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    /// Writes `content` to a new file in `folder`, which others may share.
    pub(crate) fn write(folder: &Path, content: &[u8]) -> Result<Self, Failure> {
        let process = std::process::id();
        let mut error = io::Error::from(ErrorKind::AlreadyExists);
        for attempt in 0..MAX_NAMES {
            let path = folder.join(format!("cogtools-editor-{process}-{attempt}"));
            let mut options = OpenOptions::new();
            match options.write(true).create_new(true).mode(0o600).open(&path) {
                Ok(mut file) => {
                    let temporary = Self(path);
                    file.write_all(content)?;
                    return Ok(temporary);
                }
                Err(other) if other.kind() == ErrorKind::AlreadyExists => error = other,
                Err(other) => return Err(other.into()),
            }
        }
        Err(error.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The user's number.
pub(crate) fn user() -> String {
    rustix::process::geteuid().as_raw().to_string()
}

/// Returns true if a process has that number.
pub(crate) fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok();
    pid.and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| {
            !matches!(
                rustix::process::test_kill_process(pid),
                Err(rustix::io::Errno::SRCH)
            )
        })
}

/// Checks that a folder is the user's, that no one else can write in it, and that it is no link.
pub(crate) fn check_folder(folder: &Path) -> Result<(), Failure> {
    let meta = folder.symlink_metadata()?;
    if !meta.is_dir() {
        return Err(Failure::NotAPath(folder.display().to_string()));
    }
    check(folder, &meta)
}

/// The content of a regular file of the user's of at most `limit` bytes, which is no link.
pub(crate) fn read_private(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let file = openat(CWD, path, READ | OFlags::NOFOLLOW, Mode::empty());
    let file = File::from(file.map_err(io::Error::from)?);
    let meta = file.metadata()?;
    check(path, &meta)?;
    let (bytes, truncated) = read(file, &meta, limit, path)?;
    if truncated {
        return Err(Failure::Discovery {
            file: path.to_path_buf(),
            reason: format!("it is larger than {limit} bytes"),
        });
    }
    Ok(bytes)
}

/// The first `limit` bytes of a regular file, and whether there are more.
pub(crate) fn read_regular(path: &Path, limit: u64) -> Result<(Vec<u8>, bool), Failure> {
    let unreadable = |reason: String| Failure::Unreadable {
        file: path.to_path_buf(),
        reason,
    };
    let file = openat(CWD, path, READ, Mode::empty());
    let file = File::from(file.map_err(|error| unreadable(error.to_string()))?);
    let meta = file.metadata()?;
    read(file, &meta, limit, path)
}

fn read(file: File, meta: &Metadata, limit: u64, path: &Path) -> Result<(Vec<u8>, bool), Failure> {
    if !meta.is_file() {
        return Err(Failure::Unreadable {
            file: path.to_path_buf(),
            reason: "it is not a regular file".to_owned(),
        });
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let truncated = bytes.len() > limit;
    bytes.truncate(limit);
    Ok((bytes, truncated))
}

fn check(path: &Path, meta: &Metadata) -> Result<(), Failure> {
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(Failure::Foreign(path.to_path_buf()));
    }
    if meta.mode() & 0o022 != 0 {
        return Err(Failure::Shared(path.to_path_buf()));
    }
    Ok(())
}
