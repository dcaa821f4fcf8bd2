//! The digest of a package: the names and the content of all its files, without nested
//! packages.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::content::{add_file, add_part, copy_file};
use super::{DigestError, Hash, MAX_BYTES, MAX_FILES};
use crate::containment::is_excluded;
use crate::file::ReadScope;

/// Where a package is copied while it is hashed.
#[derive(Clone, Copy, Debug)]
pub struct CopyTo<'p> {
    /// The folder that gets the files. It must be empty.
    pub folder: &'p Path,
    /// The folder's later path, for links to other files of the package.
    pub final_path: &'p Path,
}

/// The digest of the package in the folder `root`, a path without links.
pub fn package(root: &Path) -> Result<Hash, DigestError> {
    digest(root, None)
}

/// The same, while its files are copied: what is hashed is what is in the copy.
pub fn copy_package(root: &Path, copy: CopyTo<'_>) -> Result<Hash, DigestError> {
    digest(root, Some(copy))
}

/// The files of the package in the folder `root`, relative to it.
pub fn files(root: &Path) -> Result<Vec<PathBuf>, DigestError> {
    let mut files = Vec::new();
    walk(root, root, &mut files)?;
    files.sort_unstable();
    Ok(files)
}

fn digest(root: &Path, copy: Option<CopyTo<'_>>) -> Result<Hash, DigestError> {
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    for file in files(root)? {
        let path = root.join(&file);
        add_part(&mut hasher, file.as_os_str().as_encoded_bytes());
        let failed = |error| DigestError::Io(path.clone(), error);
        let meta = fs::symlink_metadata(&path).map_err(failed)?;
        bytes += meta.len();
        if bytes > MAX_BYTES {
            return Err(DigestError::TooLarge(root.to_path_buf()));
        }
        let copied = copy.map(|copy| copy.folder.join(&file));
        if let Some(folder) = copied.as_deref().and_then(Path::parent) {
            fs::create_dir_all(folder)
                .map_err(|error| DigestError::Io(folder.to_path_buf(), error))?;
        }
        add_entry(&mut hasher, (root, &path), &meta, copied.as_deref(), copy)?;
    }
    Ok(Hash(hasher.finalize().into()))
}

/// Adds the file at `path` in the package at `root`, and copies it.
fn add_entry(
    hasher: &mut Sha256,
    (root, path): (&Path, &Path),
    meta: &Metadata,
    copied: Option<&Path>,
    copy: Option<CopyTo<'_>>,
) -> Result<(), DigestError> {
    if meta.is_symlink() {
        let failed = |error| DigestError::Io(path.to_path_buf(), error);
        let target = fs::read_link(path).map_err(failed)?;
        add_part(hasher, b"link");
        add_part(hasher, target.as_os_str().as_encoded_bytes());
        let inside = contained_target(root, path)?;
        if let (Some(copied), Some(copy), Some(inside)) = (copied, copy, inside) {
            link(&copy.final_path.join(inside), copied, path.is_dir()).map_err(failed)?;
        }
        return Ok(());
    }
    if !meta.is_file() {
        return Err(DigestError::Special(path.to_path_buf()));
    }
    add_part(hasher, b"file");
    let scope = ReadScope::package(root, false);
    match copied {
        Some(copied) => copy_file(hasher, (path, &scope), copied),
        None => add_file(hasher, path, &scope),
    }
}

/// The target of a link below `root`, if it exists. Rejects a link to something that
/// the digest does not cover, at every call, because a dangling link may get a target
/// later.
fn contained_target(root: &Path, link: &Path) -> Result<Option<PathBuf>, DigestError> {
    let Ok(target) = link.canonicalize() else {
        return Ok(None);
    };
    match target.strip_prefix(root) {
        Ok(below) if !below.iter().any(is_excluded) => Ok(Some(below.to_path_buf())),
        _ => Err(DigestError::Outside(link.to_path_buf())),
    }
}

/// Makes a link at `path` to `target`.
#[cfg(unix)]
pub(crate) fn link(target: &Path, path: &Path, _is_folder: bool) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

/// Makes a link at `path` to `target`.
#[cfg(windows)]
pub(crate) fn link(target: &Path, path: &Path, is_folder: bool) -> std::io::Result<()> {
    if is_folder {
        std::os::windows::fs::symlink_dir(target, path)
    } else {
        std::os::windows::fs::symlink_file(target, path)
    }
}

/// Collects the files below `folder`, relative to `root`.
fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), DigestError> {
    let failed = |error| DigestError::Io(folder.to_path_buf(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_type().map_err(failed)?.is_dir() {
            if !is_excluded(&entry.file_name()) {
                walk(root, &path, files)?;
            }
        } else if let Ok(below) = path.strip_prefix(root) {
            files.push(below.to_path_buf());
        }
        if files.len() > MAX_FILES {
            return Err(DigestError::TooLarge(root.to_path_buf()));
        }
    }
    Ok(())
}
