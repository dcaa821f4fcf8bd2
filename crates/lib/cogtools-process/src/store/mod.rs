//! Private copies of what was approved, which are what runs.
//!
//! Files are hashed while they are copied into a folder that only its user can open, so
//! that what was approved is what runs, even if the originals change meanwhile.

mod mirror;

use std::path::{Path, PathBuf};
use std::{fs, io};

use cogtools_document::file::{self, ReadScope};
use cogtools_document::{Code, Diagnostic, text};
pub use mirror::Mirror;
use serde_json::Value;

use crate::containment::MODULES;
use crate::digest::{self, CopyTo, DigestError, Hash};

/// A folder of copies: a folder for each original, and in it one for each content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

/// A folder in which a copy is made, and its final name.
struct NewCopy<'c> {
    /// The folder that is filled.
    temp: &'c Path,
    /// Its later path.
    path: &'c Path,
}

/// Why there is no private copy.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no folder for it.
    #[error("there is no folder for a private copy")]
    Nowhere,
    /// It cannot be written.
    #[error("`{0}`, for a private copy, cannot be used: {1}")]
    Io(PathBuf, io::Error),
    /// A folder for the data of a plugin cannot be made.
    #[error("`{0}`, for data of a plugin, cannot be used: {1}")]
    Data(PathBuf, io::Error),
    /// Others can read or write the folder.
    #[error("`{0}`, for private copies, is not a folder of its user alone")]
    NotPrivate(PathBuf),
    /// The files cannot be hashed.
    #[error(transparent)]
    Content(#[from] DigestError),
    /// They have changed since they were hashed.
    #[error("its files changed while they were copied")]
    Changed,
}

/// The file in the folder of an original that names it.
const ORIGIN: &str = "origin";

impl Store {
    /// The copies of packages in the user's folder `state`.
    pub fn packages(state: &Path) -> Self {
        let folder = state.join("packages");
        Self { folder }
    }

    /// The copies of providers' files in the user's folder `state`.
    pub fn providers(state: &Path) -> Self {
        let folder = state.join("providers");
        Self { folder }
    }

    /// Returns the folder with the copy of the package `name`, installed in `root`, whose
    /// content has this `hash`. It is made on first use.
    ///
    /// # Errors
    ///
    /// [`StoreError::Changed`] if the content has changed since.
    pub fn copy_package(&self, name: &str, root: &Path, hash: Hash) -> Result<PathBuf, StoreError> {
        let fill = |copy: &NewCopy<'_>| fill(copy, name, root).map(|copied| copied == hash);
        let version = self.copy(&root.display().to_string(), hash, fill)?;
        Ok(version.join(MODULES).join(name))
    }

    /// Returns the folder with the copy of the files in `mirror`, whose content has this `hash`,
    /// for the provider with this `key` in the record of approvals.
    ///
    /// # Errors
    ///
    /// [`StoreError::Changed`] if the content has changed since.
    pub fn copy_mirror(
        &self,
        key: &str,
        mirror: &Mirror,
        hash: Hash,
    ) -> Result<PathBuf, StoreError> {
        let fill = |copy: &NewCopy<'_>| {
            let (temp, path) = (copy.temp.join(mirror.name()), copy.path.join(mirror.name()));
            let copied = mirror.copy(&temp, &path)?;
            let failed = |error| StoreError::Io(temp.clone(), error);
            for folder in mirror.folders() {
                file::set_writable(&temp.join(folder), false).map_err(failed)?;
            }
            Ok(copied == hash)
        };
        let copy = self.copy(key, hash, fill)?.join(mirror.name());
        let linked = mirror.link_rest(&copy);
        linked.map_err(|error| StoreError::Io(copy.clone(), error))?;
        Ok(copy)
    }

    /// The copy of `origin` whose approved content has this `hash`. If there is none yet,
    /// `fill` makes it, and returns whether it has that content.
    fn copy(
        &self,
        origin: &str,
        hash: Hash,
        fill: impl FnOnce(&NewCopy<'_>) -> Result<bool, StoreError>,
    ) -> Result<PathBuf, StoreError> {
        let versions = self.versions(origin);
        let version = versions.join(hash.to_string());
        self.check_private()?;
        if is_folder(&version) {
            return Ok(version);
        }
        make_private(&self.folder)?;
        self.check_private()?;
        make_private(&versions)?;
        let failed = |error| StoreError::Io(versions.clone(), error);
        fs::write(versions.join(ORIGIN), origin).map_err(failed)?;
        let temp = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&versions);
        let temp = temp.map_err(failed)?;
        let is_same = fill(&NewCopy {
            temp: temp.path(),
            path: &version,
        });
        if !matches!(is_same, Ok(true)) {
            file::make_writable(temp.path());
            return Err(is_same.err().unwrap_or(StoreError::Changed));
        }
        match fs::rename(temp.path(), &version) {
            Ok(()) => {
                // There is nothing left to remove.
                let _ = temp.keep();
            }
            // Another call was faster.
            Err(_) if is_folder(&version) => file::remove_tree(temp.path()),
            Err(error) => {
                file::remove_tree(temp.path());
                return Err(failed(error));
            }
        }
        Ok(version)
    }

    /// Removes all copies of `origin`: the folder of a package, or the key of a provider.
    pub fn remove(&self, origin: &str) {
        file::remove_tree(&self.versions(origin));
    }

    /// Removes the copies for which `keep` returns false: the original, and the hash of its
    /// approved content. Returns how many were removed.
    pub fn retain(&self, keep: impl Fn(&str, &str) -> bool) -> usize {
        let mut removed = 0;
        for versions in entries(&self.folder) {
            let origin = origin(&versions);
            let mut copies = entries(&versions);
            copies.retain(|path| is_folder(path));
            let mut left = copies.len();
            for copy in copies {
                let hash = copy.file_name().unwrap_or_default().to_string_lossy();
                if origin.as_deref().is_some_and(|origin| keep(origin, &hash)) {
                    continue;
                }
                file::remove_tree(&copy);
                left -= 1;
                removed += 1;
            }
            if left == 0 {
                file::remove_tree(&versions);
            }
        }
        removed
    }

    /// The folder of all copies of `origin`.
    fn versions(&self, origin: &str) -> PathBuf {
        let key = digest::value(&Value::from(origin)).to_string();
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

/// The original whose copies are in the folder `versions`.
fn origin(versions: &Path) -> Option<String> {
    let bytes = fs::read(versions.join(ORIGIN)).ok()?;
    String::from_utf8(bytes).ok()
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
    file::set_writable(folder, false)
}

impl StoreError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, hint) = match self {
            Self::Content(error) => return error.diagnostic(),
            Self::Nowhere => (Code::IoFailed, "set HOME, or XDG_STATE_HOME".to_owned()),
            Self::Io(..) => (
                Code::IoFailed,
                "free some space, or make the folder writable".into(),
            ),
            Self::Data(path, _) => {
                let remedy = "if it is no folder, or make the folder above it writable";
                (
                    Code::IoFailed,
                    format!("remove `{}` {remedy}", path.display()),
                )
            }
            Self::NotPrivate(folder) => (Code::Denied, format!("remove `{}`", folder.display())),
            Self::Changed => (
                Code::Denied,
                "call the tool again once nothing writes to them".into(),
            ),
        };
        Diagnostic::new(code, self.to_string()).hint(hint)
    }
}

/// The keys of `package.json` whose packages are linked.
const DEPENDENCY_KEYS: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];
/// The maximum size of a `package.json`: 16 MiB.
const MAX_MANIFEST_BYTES: usize = 16 << 20;

/// Copies the package `name` in `root`.
fn fill(copy: &NewCopy<'_>, name: &str, root: &Path) -> Result<Hash, StoreError> {
    let below = Path::new(MODULES).join(name);
    let (folder, final_path) = (&copy.temp.join(&below), &copy.path.join(&below));
    let failed = |error| StoreError::Io(folder.clone(), error);
    fs::create_dir_all(folder).map_err(failed)?;
    let hash = digest::copy_package(root, CopyTo { folder, final_path })?;
    link_dependencies(folder, root, name, copy.temp).map_err(failed)?;
    protect(folder).map_err(failed)?;
    Ok(hash)
}

/// Links the nested packages of the package `name`, and the dependencies that it names,
/// where Node finds them: in `folder` and next to it, below `top`.
fn link_dependencies(folder: &Path, root: &Path, name: &str, top: &Path) -> io::Result<()> {
    let nested = root.join(MODULES);
    if nested.is_dir() {
        digest::link(&nested, &folder.join(MODULES), true)?;
    }
    for dependency in dependencies(folder) {
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

/// The names of the packages that the package in the folder `root` depends on.
pub fn dependencies(root: &Path) -> Vec<String> {
    let file = root.join("package.json");
    let scope = ReadScope::package(root, false);
    let manifest = text::bytes(&file, &file, MAX_MANIFEST_BYTES, &scope).unwrap_or_default();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap_or_default();
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

/// Makes the folder `below` of `data`, through no link: the server may have put it there.
pub fn make_folders(data: &Path, below: &Path) -> Result<(), StoreError> {
    let mut folder = data.to_path_buf();
    for part in below {
        folder.push(part);
        let made = file::create_private_folder(&folder).and_then(|()| folder.symlink_metadata());
        match made {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                return Err(StoreError::Data(
                    folder,
                    io::ErrorKind::NotADirectory.into(),
                ));
            }
            Err(error) => return Err(StoreError::Data(folder, error)),
        }
    }
    Ok(())
}
