//! The content of files, added to a digest and written to a copy in the same pass.
//!
//! Only regular files are opened, and none through a link out of where it may be: reading
//! another one might never end, and a copy must not have the content of a user's file.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};

use super::{DigestError, MAX_BYTES, MAX_FILE_BYTES};
use crate::file::{self, ReadError, ReadScope};

/// How many bytes of a file are read at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// From which size on a file is not read to be recognized: 1 MiB.
const LARGE_BYTES: u64 = 1 << 20;

/// Adds the content of a file in `scope`, followed by its length.
pub(crate) fn add_file(
    hasher: &mut Sha256,
    file: &Path,
    scope: &ReadScope,
) -> Result<(), DigestError> {
    let mut reader = open(file, scope)?;
    let size = reader.metadata().map_or(0, |meta| meta.len());
    if size > MAX_FILE_BYTES {
        return Err(DigestError::FileTooLarge(file.to_path_buf()));
    }
    unless_io(file, || add(hasher, &mut reader, None))
}

/// Adds what tells a file on this machine from others and from what it was: its content, or the
/// metadata of a large one. It can be changed without being noticed only within one step of the
/// file system's clock, and with the same size.
pub(super) fn add_recognized(hasher: &mut Sha256, file: &Path) -> Result<(), DigestError> {
    let meta = file.metadata().ok().filter(Metadata::is_file);
    let Some(meta) = meta.filter(|meta| meta.len() > LARGE_BYTES) else {
        return add_file(hasher, file, &ReadScope::User);
    };
    add_part(hasher, b"metadata");
    add_part(hasher, &meta.len().to_le_bytes());
    let modified = meta.modified().ok();
    let since = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    add_part(
        hasher,
        &since.map_or(0, |since| since.as_nanos()).to_le_bytes(),
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        for part in [meta.dev(), meta.ino()] {
            add_part(hasher, &part.to_le_bytes());
        }
        for part in [meta.ctime(), meta.ctime_nsec()] {
            add_part(hasher, &part.to_le_bytes());
        }
    }
    Ok(())
}

/// Adds the content of a file in a scope, while it is copied to a new file at `copy`, which is executable if the
/// file is.
pub(crate) fn copy_file(
    hasher: &mut Sha256,
    (file, scope): (&Path, &ReadScope),
    copy: &Path,
) -> Result<(), DigestError> {
    let mut reader = open(file, scope)?;
    let add = || {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
            let is_executable = reader.metadata()?.permissions().mode() & 0o111 != 0;
            options.mode(if is_executable { 0o500 } else { 0o400 });
        }
        let mut writer = options.open(copy)?;
        add(hasher, &mut reader, Some(&mut writer))
    };
    unless_io(file, add)
}

/// Adds bytes, preceded by their length, so that adjacent parts are distinct.
pub(crate) fn add_part(hasher: &mut Sha256, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn add(hasher: &mut Sha256, reader: &mut File, mut copy: Option<&mut File>) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut bytes = 0_u64;
    loop {
        let count = reader.read(&mut chunk)?;
        if count == 0 {
            hasher.update(bytes.to_le_bytes());
            return Ok(());
        }
        hasher.update(&chunk[..count]);
        bytes += count as u64;
        if copy.is_some() && bytes > MAX_BYTES {
            // It has grown since it was measured.
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if let Some(copy) = &mut copy {
            copy.write_all(&chunk[..count])?;
        }
    }
}

/// Opens a regular file in `scope`.
pub(super) fn open(file: &Path, scope: &ReadScope) -> Result<File, DigestError> {
    let failed = |error| DigestError::Io(file.to_path_buf(), error);
    match file::open(file, scope) {
        Ok((opened, _)) => Ok(opened),
        Err(ReadError::Outside { .. }) => Err(DigestError::Outside(file.to_path_buf())),
        Err(ReadError::Dangling) => Err(failed(io::ErrorKind::NotFound.into())),
        Err(ReadError::NotAFile) => Err(DigestError::Special(file.to_path_buf())),
        Err(ReadError::Io(error)) => Err(failed(error)),
    }
}

fn unless_io(file: &Path, add: impl FnOnce() -> io::Result<()>) -> Result<(), DigestError> {
    add().map_err(|error| DigestError::Io(file.to_path_buf(), error))
}
