//! Files that are written whole or not at all.
//!
//! What is new is written beside its place and then put there: a full disk or a
//! missing permission shows while the old file is still in place, and a reader
//! sees the old file or the new one, never a half.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::Builder;

/// Puts a new file with `content` at `path`, and makes the folders on the way.
/// Fails with [`io::ErrorKind::AlreadyExists`] when something is there, however
/// late it came.
pub fn create(path: &Path, content: &[u8], executable: bool) -> io::Result<()> {
    let folder = folder(path);
    fs::create_dir_all(folder)?;
    let mut builder = builder();
    permit(&mut builder, executable);
    let mut beside = builder.tempfile_in(folder)?;
    beside.write_all(content)?;
    beside.as_file().sync_all()?;
    beside
        .persist_noclobber(path)
        .map(|_| ())
        .map_err(|error| error.error)
}

/// Gives the file at `path` new `content`; its permissions stay. A link stays a
/// link: what it leads to is written.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let path = path.canonicalize()?;
    let permissions = fs::metadata(&path)?.permissions();
    let mut beside = builder().tempfile_in(folder(&path))?;
    beside.write_all(content)?;
    beside.as_file().set_permissions(permissions)?;
    beside.as_file().sync_all()?;
    beside.persist(&path)?;
    Ok(())
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }
}

fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".cogtools-");
    builder
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
