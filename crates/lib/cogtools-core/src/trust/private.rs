//! Files that only the user can have written: the record of approvals, and its lock.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::file::{self, ReadError, ReadScope};

/// How long to wait for the lock.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// How long a lock is waited for before the user sees a message.
const QUIET_WAIT: Duration = Duration::from_secs(1);
/// How often the lock is tried.
const POLL: Duration = Duration::from_millis(20);

/// Why a file may have been written by another user.
#[derive(Debug, thiserror::Error)]
pub enum NotPrivate {
    /// It is a link.
    #[error("it is a link")]
    Link,
    /// It, or its folder, belongs to another user.
    #[error("`{}` belongs to another user", .0.display())]
    Owner(PathBuf),
    /// Other users may change it or its folder.
    #[error("other users can change `{}`", .0.display())]
    Writable(PathBuf),
}

impl NotPrivate {
    /// What to do about `file`.
    pub(super) fn hint(&self, file: &Path) -> String {
        match self {
            Self::Link | Self::Owner(_) => format!(
                "look into who has changed it; then remove `{}`, and approve again what you need",
                file.display()
            ),
            Self::Writable(path) => format!(
                "check that its content is yours, then run `chmod go-w {}`",
                path.display()
            ),
        }
    }
}

/// Opens the file at `path` if only its user can have written it.
pub(super) fn open(path: &Path) -> Result<Result<fs::File, NotPrivate>, ReadError> {
    if path.is_symlink() {
        return Ok(Err(NotPrivate::Link));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let (file, meta) = file::open(path, &ReadScope::foreign(folder))?;
    let checked = check(path, &meta).and_then(|()| check_folder(path));
    Ok(checked.map(|()| file))
}

/// Checks the folder of the file at `path`.
pub(super) fn check_folder(path: &Path) -> Result<(), NotPrivate> {
    let folder = path.parent().unwrap_or(Path::new(""));
    match folder.metadata() {
        Ok(meta) => check(folder, &meta),
        Err(_) => Ok(()),
    }
}

#[cfg(unix)]
fn check(path: &Path, meta: &fs::Metadata) -> Result<(), NotPrivate> {
    use std::os::unix::fs::MetadataExt as _;

    const WRITABLE_BY_OTHERS: u32 = 0o022;
    let own = rustix::process::geteuid().as_raw();
    if meta.uid() != own && meta.uid() != 0 {
        Err(NotPrivate::Owner(path.to_path_buf()))
    } else if meta.mode() & WRITABLE_BY_OTHERS != 0 {
        Err(NotPrivate::Writable(path.to_path_buf()))
    } else {
        Ok(())
    }
}

#[cfg(not(unix))]
const fn check(_: &Path, _: &fs::Metadata) -> Result<(), NotPrivate> {
    Ok(())
}

/// Locks `file` until it is dropped; false if another process holds the lock for too
/// long. `on_wait` is called once when it takes a while.
pub(super) fn lock(file: &fs::File, on_wait: Option<fn()>) -> std::io::Result<bool> {
    let start = Instant::now();
    let mut on_wait = on_wait;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(fs::TryLockError::Error(error)) => return Err(error),
            Err(fs::TryLockError::WouldBlock) => {}
        }
        let waited = start.elapsed();
        if waited >= MAX_WAIT {
            return Ok(false);
        }
        if waited >= QUIET_WAIT
            && let Some(on_wait) = on_wait.take()
        {
            on_wait();
        }
        thread::sleep(POLL);
    }
}
