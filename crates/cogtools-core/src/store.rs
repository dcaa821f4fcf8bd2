//! Private copies of approved packages, which are what runs.
//!
//! A package is hashed while it is copied into a folder that only its user can open, so
//! that what was approved is what runs, even if the installed files change meanwhile.
//! Dependencies are not copied: links lead to the installed ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::digest::{self, CopyTo, DigestError, Hash};
use crate::file;
use crate::{Code, Diagnostic};

/// The folder of the copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageStore {
    folder: PathBuf,
}

/// Why there is no private copy.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no folder for it.
    #[error("there is no folder for a private copy of the package")]
    Nowhere,
    /// It cannot be written.
    #[error("`{0}`, for a private copy of the package, cannot be used: {1}")]
    Io(PathBuf, io::Error),
    /// Others can read or write the folder.
    #[error("`{0}`, for private copies of packages, is not a folder of its user alone")]
    NotPrivate(PathBuf),
    /// The package cannot be hashed.
    #[error(transparent)]
    Content(#[from] DigestError),
    /// It has changed since it was hashed.
    #[error("the package changed while it was copied")]
    Changed,
}

/// The folder of packages.
const MODULES: &str = "node_modules";
/// The file in the folder of a package's copies that names the installed package.
const ORIGIN: &str = "origin";
/// The keys of `package.json` whose packages are linked.
const DEPENDENCY_KEYS: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];

impl PackageStore {
    /// The copies in the user's folder `state`.
    pub fn new(state: &Path) -> Self {
        Self {
            folder: state.join("packages"),
        }
    }

    /// The folder with the copy of the package `name`, installed in `root`, whose
    /// content has this `hash`. It is made on first use.
    pub fn copy(&self, name: &str, root: &Path, hash: Hash) -> Result<PathBuf, StoreError> {
        let versions = self.versions(root);
        let version = versions.join(hash.to_string());
        let package = version.join(MODULES).join(name);
        self.check_private()?;
        if is_folder(&package) {
            return Ok(package);
        }
        make_private(&self.folder)?;
        self.check_private()?;
        make_private(&versions)?;
        let failed = |error| StoreError::Io(versions.clone(), error);
        let origin = versions.join(ORIGIN);
        fs::write(origin, root.as_os_str().as_encoded_bytes()).map_err(failed)?;
        let temp = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&versions)
            .map_err(failed)?;
        let folder = temp.path().join(MODULES).join(name);
        let copied = fill(&folder, root, &package).and_then(|copied| {
            link_dependencies(&folder, root, name, temp.path()).map_err(failed)?;
            Ok(copied)
        })?;
        if copied != hash {
            return Err(StoreError::Changed);
        }
        protect(&folder).map_err(failed)?;
        match fs::rename(temp.path(), &version) {
            Ok(()) => {
                // There is nothing left to remove.
                let _ = temp.keep();
            }
            // Another call was faster.
            Err(_) if is_folder(&package) => remove_tree(temp.path()),
            Err(error) => {
                remove_tree(temp.path());
                return Err(failed(error));
            }
        }
        Ok(package)
    }

    /// Removes all copies of the package installed in `root`.
    pub fn remove(&self, root: &Path) {
        remove_tree(&self.versions(root));
    }

    /// Removes the copies for which `keep` returns false: the folder of the installed
    /// package, and the hash of its content. Returns how many were removed.
    pub fn retain(&self, keep: impl Fn(&Path, &str) -> bool) -> usize {
        let mut removed = 0;
        for versions in entries(&self.folder) {
            let origin = origin(&versions);
            let copies: Vec<PathBuf> = entries(&versions)
                .into_iter()
                .filter(|path| is_folder(path))
                .collect();
            let mut left = copies.len();
            for copy in copies {
                let hash = copy.file_name().unwrap_or_default().to_string_lossy();
                if origin.as_deref().is_some_and(|root| keep(root, &hash)) {
                    continue;
                }
                remove_tree(&copy);
                left -= 1;
                removed += 1;
            }
            if left == 0 {
                remove_tree(&versions);
            }
        }
        removed
    }

    /// The folder of all copies of the package installed in `root`.
    fn versions(&self, root: &Path) -> PathBuf {
        let key = digest::value(&Value::from(root.display().to_string())).to_string();
        self.folder.join(key)
    }

    /// Fails if others can read or write the folder, or if it is a link.
    fn check_private(&self) -> Result<(), StoreError> {
        match fs::symlink_metadata(&self.folder) {
            Ok(meta) if meta.is_dir() && is_private(&meta) => Ok(()),
            Ok(_) => Err(StoreError::NotPrivate(self.folder.clone())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(StoreError::Io(self.folder.clone(), error)),
        }
    }
}

/// Copies the package in `root` to `folder`, which is later found at `final_path`.
fn fill(folder: &Path, root: &Path, final_path: &Path) -> Result<Hash, StoreError> {
    fs::create_dir_all(folder).map_err(|error| StoreError::Io(folder.to_path_buf(), error))?;
    let copy = CopyTo { folder, final_path };
    Ok(digest::copy_package(root, copy)?)
}

/// Links the nested packages of the package `name`, and the dependencies that it names,
/// where Node finds them: in `folder` and next to it, below `top`.
fn link_dependencies(folder: &Path, root: &Path, name: &str, top: &Path) -> io::Result<()> {
    let nested = root.join(MODULES);
    if nested.is_dir() {
        digest::link(&nested, &folder.join(MODULES), true)?;
    }
    let manifest = fs::read(folder.join("package.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap_or_default();
    for dependency in dependencies(&manifest) {
        let link = top.join(MODULES).join(&dependency);
        if dependency == name || fs::symlink_metadata(&link).is_ok() {
            continue;
        }
        let folders = root.ancestors().skip(1);
        let mut installed = folders
            .filter(|folder| folder.file_name().is_none_or(|name| name != MODULES))
            .map(|folder| folder.join(MODULES).join(&dependency));
        let Some(installed) = installed.find(|path| path.is_dir()) else {
            continue;
        };
        if let Some(scope) = link.parent() {
            fs::create_dir_all(scope)?;
        }
        digest::link(&installed, &link, true)?;
    }
    Ok(())
}

/// The names of the packages that a manifest depends on.
pub fn dependencies(manifest: &Value) -> Vec<String> {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('\\');
    let is_name = |name: &&String| match name.split_once('/') {
        Some((scope, rest)) => scope.starts_with('@') && !rest.contains('/') && is_plain(rest),
        None => is_plain(name),
    };
    let lists = DEPENDENCY_KEYS.iter().filter_map(|key| manifest.get(key));
    let objects = lists.filter_map(Value::as_object);
    let names = objects.flat_map(|list| list.keys());
    names.filter(is_name).cloned().collect()
}

/// The installed package whose copies are in the folder `versions`.
fn origin(versions: &Path) -> Option<PathBuf> {
    let bytes = fs::read(versions.join(ORIGIN)).ok()?;
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Creates a folder, and those above it, that only its user can open.
fn make_private(folder: &Path) -> Result<(), StoreError> {
    file::create_private_folder(folder).map_err(|error| StoreError::Io(folder.to_path_buf(), error))
}

#[cfg(unix)]
fn is_private(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid().as_raw();
    let of_others = meta.mode() & 0o077;
    meta.uid() == user && of_others == 0
}

#[cfg(not(unix))]
const fn is_private(_: &fs::Metadata) -> bool {
    true
}

/// Makes the folders below `folder` read-only, so that a program cannot add modules to
/// the copy by accident.
fn protect(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            protect(&entry.path())?;
        }
    }
    set_writable(folder, false)
}

/// Removes a folder that may be read-only; links are not followed.
fn remove_tree(folder: &Path) {
    make_writable(folder);
    let _ = fs::remove_dir_all(folder);
}

fn make_writable(folder: &Path) {
    let _ = set_writable(folder, true);
    for path in entries(folder) {
        if is_folder(&path) {
            make_writable(&path);
        }
    }
}

#[cfg(unix)]
fn set_writable(folder: &Path, is_writable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if is_writable { 0o700 } else { 0o500 };
    fs::set_permissions(folder, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
const fn set_writable(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

impl StoreError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Nowhere => Diagnostic::new(Code::IoFailed, self.to_string())
                .hint("set HOME, or XDG_STATE_HOME"),
            Self::Io(..) => Diagnostic::new(Code::IoFailed, self.to_string())
                .hint("free some space, or make the folder writable"),
            Self::NotPrivate(folder) => Diagnostic::new(Code::Denied, self.to_string())
                .hint(format!("remove `{}`", folder.display())),
            Self::Content(error) => error.diagnostic(),
            Self::Changed => Diagnostic::new(Code::Denied, self.to_string())
                .hint("call the tool again once its installation has finished"),
        }
    }
}
