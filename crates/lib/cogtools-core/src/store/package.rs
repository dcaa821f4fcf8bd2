//! Private copies of approved packages.
//!
//! Dependencies are not copied: links lead to the installed ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{NewCopy, Store, StoreError, protect};
use crate::containment::MODULES;
use crate::digest::{self, CopyTo, Hash};
use crate::file::ReadScope;
use crate::text;

/// The copies of packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageStore(Store);

/// The keys of `package.json` whose packages are linked.
const DEPENDENCY_KEYS: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];
/// The maximum size of a `package.json`: 16 MiB.
const MAX_MANIFEST_BYTES: usize = 16 << 20;

impl PackageStore {
    /// The copies in the user's folder `state`.
    pub fn new(state: &Path) -> Self {
        let folder = state.join("packages");
        Self(Store { folder })
    }

    /// The folder with the copy of the package `name`, installed in `root`, whose
    /// content has this `hash`. It is made on first use.
    pub fn copy(&self, name: &str, root: &Path, hash: Hash) -> Result<PathBuf, StoreError> {
        let fill = |copy: &NewCopy<'_>| fill(copy, name, root).map(|copied| copied == hash);
        let version = self.0.copy(&root.display().to_string(), hash, fill)?;
        Ok(version.join(MODULES).join(name))
    }

    /// Removes all copies of the package installed in `root`.
    pub fn remove(&self, root: &Path) {
        self.0.remove(&root.display().to_string());
    }

    /// Removes the copies for which `keep` returns false: the folder of the installed
    /// package, and the hash of its content. Returns how many were removed.
    pub fn retain(&self, keep: impl Fn(&Path, &str) -> bool) -> usize {
        self.0.retain(|origin, hash| keep(Path::new(origin), hash))
    }
}

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
