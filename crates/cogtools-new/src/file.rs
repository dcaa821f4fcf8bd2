//! A new file: written beside its place, then put there, if nothing is there.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::Builder;

/// Puts a file with `text` at `path`; fails with [`io::ErrorKind::AlreadyExists`]
/// when there is one, however late it came.
pub(crate) fn create(path: &Path, text: &str, executable: bool) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let mut builder = Builder::new();
    builder.prefix(".cogtools-");
    permit(&mut builder, executable);
    let mut beside = builder.tempfile_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.as_file().sync_all()?;
    beside
        .persist_noclobber(path)
        .map(|_| ())
        .map_err(|error| error.error)
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
