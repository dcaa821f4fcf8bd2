//! Files and folders that only their user may have written.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::answer::Failure;

/// Files are opened without waiting for the writer of a pipe.
const READ: OFlags = OFlags::NONBLOCK
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

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
