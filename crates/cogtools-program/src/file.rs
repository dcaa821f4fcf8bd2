//! Files that are written whole or not at all.
//!
//! What is new is written beside its place and then put there: a full disk or a
//! missing permission shows while the old file is still in place, and a reader
//! sees the old file or the new one, never a half.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Puts a new file with `content` at `path`, and makes the folders on the way.
/// Fails with [`ErrorKind::AlreadyExists`] when something is there, however late
/// it came.
pub fn create(path: &Path, content: &[u8], executable: bool) -> io::Result<()> {
    fs::create_dir_all(folder(path))?;
    let mut builder = Builder::new();
    permit(&mut builder, executable);
    let beside = beside(builder, path, content)?;
    let put = beside.persist_noclobber(path);
    put.map(drop).map_err(|error| error.error)
}

/// Gives the file at `path` new `content`, if it still holds what was there
/// `before`: these bytes, or nothing at all. Fails with
/// [`ErrorKind::AlreadyExists`] when it holds something else. Permissions stay, and
/// a link stays a link: what it leads to is written.
pub fn exchange(path: &Path, before: Option<&[u8]>, content: &[u8]) -> io::Result<()> {
    let Some(before) = before else {
        return create(path, content, false);
    };
    replace(path, content, |now| {
        if fs::read(now)? == before {
            Ok(())
        } else {
            Err(ErrorKind::AlreadyExists.into())
        }
    })
}

/// The same, whatever was there.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if path.exists() {
        replace(path, content, |_| Ok(()))
    } else {
        create(path, content, false)
    }
}

/// Puts `content` where `path` leads to, unless `check` refuses that at last.
fn replace(
    path: &Path,
    content: &[u8],
    check: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let path = path.canonicalize()?;
    let permissions = fs::metadata(&path)?.permissions();
    // It is nobody's business until it has the old file's permissions.
    let beside = beside(Builder::new(), &path, content)?;
    beside.as_file().set_permissions(permissions)?;
    check(&path)?;
    beside.persist(&path).map(drop).map_err(|error| error.error)
}

/// A file with `content` in the folder of the one at `path`, on disk.
fn beside(mut builder: Builder<'_, '_>, path: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let mut beside = builder.prefix(".cogtools-").tempfile_in(folder(path))?;
    beside.write_all(content)?;
    beside.as_file().sync_all()?;
    Ok(beside)
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }
}

/// The permissions that the user's umask leaves to a new file or program.
#[cfg(unix)]
fn permit(builder: &mut Builder<'_, '_>, executable: bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if executable { 0o777 } else { 0o666 };
    builder.permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn permit(_builder: &mut Builder<'_, '_>, _executable: bool) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exchanges `before` for `new` in a file that holds `now`: what it holds then,
    /// or why it does not.
    #[track_caller]
    fn check(now: Option<&str>, before: Option<&str>, expected: Result<(), ErrorKind>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub").join("file");
        if let Some(now) = now {
            create(&path, now.as_bytes(), false).unwrap();
        }
        let done = exchange(&path, before.map(str::as_bytes), b"new");
        assert_eq!(done.map_err(|error| error.kind()), expected);
        let left = if expected.is_ok() { Some("new") } else { now };
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), left);
        let files = fs::read_dir(path.parent().unwrap());
        let files = files.map_or(0, Iterator::count);
        assert_eq!(files, usize::from(left.is_some()), "nothing is left beside");
    }

    #[test]
    fn only_what_was_read_is_exchanged() {
        check(Some("old"), Some("old"), Ok(()));
        check(None, None, Ok(()));
        check(Some("other"), Some("old"), Err(ErrorKind::AlreadyExists));
        check(Some("other"), None, Err(ErrorKind::AlreadyExists));
        check(None, Some("old"), Err(ErrorKind::NotFound));
    }

    #[test]
    fn whatever_is_there_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for content in ["one", "two"] {
            write(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        create(&file, b"old", false).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        exchange(&link, Some(b"old"), b"new").unwrap();
        write(&link, b"newer").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"newer");
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{mode:o}");
    }
}
