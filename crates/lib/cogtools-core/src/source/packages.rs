//! Tools from npm packages: those whose `package.json` contains `"cogtools": {"tools":
//! ["folder"]}`.
//!
//! A `node_modules` contains a thousand indirect dependencies. Only these are read:
//! direct dependencies of the project's `package.json`, packages linked from elsewhere
//! (workspaces, `npm link`), and globally installed packages.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::package::{MANIFEST, MODULES, manifest};
use super::{GlobalModules, Listing, Package, SourceError, yarn};
use crate::owner::Owners;
use crate::tool::ToolError;
use crate::{Name, Tool};

/// The packages of a project, nearest first, then the global ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packages {
    root: PathBuf,
    display_path: PathBuf,
    global: GlobalModules,
    owners: Owners,
}

/// A folder of packages, and the names in it that are read.
struct ModulesDir {
    modules: PathBuf,
    display_path: PathBuf,
    names: BTreeSet<String>,
}

/// The keys of `package.json` that list dependencies.
const DEPENDENCY_KEYS: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
];

impl Packages {
    /// The packages of the project at `root`, known to the user as `display_path`, and
    /// the global packages.
    pub const fn new(
        root: PathBuf,
        display_path: PathBuf,
        global: GlobalModules,
        owners: Owners,
    ) -> Self {
        Self {
            root,
            display_path,
            global,
            owners,
        }
    }

    /// The packages with tools, and errors of packages whose manifest is invalid. A
    /// nearer package hides one of the same name.
    pub fn packages(&self) -> (Vec<Package>, Vec<SourceError>) {
        let mut found = Vec::new();
        let mut errors = Vec::new();
        let mut seen = BTreeSet::new();
        for dir in self.modules_dirs(&mut errors) {
            for name in dir.names {
                let folder = dir.modules.join(&name);
                if seen.contains(&name) || !folder.join(MANIFEST).is_file() {
                    continue;
                }
                // Links may lead to other packages of the same workspace.
                let home = dir.modules.parent().unwrap_or(&dir.modules);
                match Package::read(&name, &folder, &dir.display_path.join(&name), home) {
                    Ok(package) => found.extend(package),
                    Err(error) => errors.push(error),
                }
                seen.insert(name);
            }
        }
        (found, errors)
    }

    /// Every folder of packages, in the order in which Node searches them. Those of other
    /// users are errors: a folder above the project may be writable for everyone.
    fn modules_dirs(&self, errors: &mut Vec<SourceError>) -> Vec<ModulesDir> {
        let mut modules_dirs = Vec::new();
        let mut dependencies = BTreeSet::new();
        for folder in self.root.ancestors() {
            let (file, modules) = (folder.join(MANIFEST), folder.join(MODULES));
            let is_root = folder == self.root;
            if is_root || self.owners.check_below(&file, &self.root).is_ok() {
                dependencies.extend(dependency_names(&file));
            }
            if !modules.is_dir() {
                continue;
            }
            if let Err(foreign) = self.owners.check_below(&modules, &self.root) {
                errors.push(SourceError::Foreign(foreign));
                continue;
            }
            let mut names = dependencies.clone();
            names.extend(external_links(&modules));
            let display_path = if is_root {
                self.display_path.join(MODULES)
            } else {
                modules.clone()
            };
            modules_dirs.push(ModulesDir {
                modules,
                display_path,
                names,
            });
        }
        for modules in self.global.folders() {
            if let Err(foreign) = self.owners.check(&modules, &modules) {
                errors.push(SourceError::Foreign(foreign));
                continue;
            }
            let names = package_names(&modules).into_iter();
            modules_dirs.push(ModulesDir {
                names: names.map(|(name, _)| name).collect(),
                display_path: modules.clone(),
                modules,
            });
        }
        modules_dirs
    }

    pub(super) fn find(
        &self,
        name: &Name,
        errors: &mut Vec<SourceError>,
    ) -> Result<Option<Tool>, ToolError> {
        let (packages, invalid) = self.packages();
        errors.extend(invalid);
        for folder in packages.iter().flat_map(|package| &package.folders) {
            if let Some(tool) = folder.find(name)? {
                return Ok(Some(tool));
            }
        }
        Ok(None)
    }

    pub(super) fn list(&self) -> Listing {
        let (packages, mut errors) = self.packages();
        let plug_and_play = yarn::plug_and_play(&self.root, &self.display_path);
        errors.extend(plug_and_play.map(SourceError::PlugAndPlay));
        let mut listing = Listing {
            entries: Vec::new(),
            errors,
        };
        for folder in packages.iter().flat_map(|package| &package.folders) {
            listing.add(folder.list());
        }
        listing
    }
}

/// The dependencies of a `package.json`; none if it cannot be read, because npm reports
/// that.
fn dependency_names(file: &Path) -> Vec<String> {
    let bytes = manifest(file, file).unwrap_or_default();
    let json: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    DEPENDENCY_KEYS
        .iter()
        .filter_map(|key| json.get(key)?.as_object())
        .flat_map(|versions| versions.keys().cloned())
        .filter(|name| is_package_name(name))
        .collect()
}

/// Whether a name is that of a single folder, or of one in a scope.
fn is_package_name(name: &str) -> bool {
    let is_valid =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['/', '\\', ':']);
    match name.split_once('/') {
        Some((scope, rest)) => scope.len() > 1 && scope.starts_with('@') && is_valid(rest),
        None => is_valid(name) && !name.starts_with('@'),
    }
}

/// The links in a folder of packages that lead outside package folders. Links that pnpm
/// makes to packages in its own store are not among them.
fn external_links(modules: &Path) -> Vec<String> {
    package_names(modules)
        .into_iter()
        .filter(|(name, is_link)| *is_link && !is_installed(&modules.join(name)))
        .map(|(name, _)| name)
        .collect()
}

/// Whether the link at `path` leads into a folder of packages.
fn is_installed(path: &Path) -> bool {
    let in_modules = |path: PathBuf| path.components().any(|part| part.as_os_str() == MODULES);
    let in_store = |path: &Path| path.components().any(|part| part.as_os_str() == ".pnpm");
    // Reading the link is cheap, and decides for all links that pnpm makes.
    std::fs::read_link(path).is_ok_and(|target| in_store(&target))
        || path.canonicalize().is_ok_and(in_modules)
}

/// The names of the packages in a folder of packages, and whether each is a link.
fn package_names(modules: &Path) -> Vec<(String, bool)> {
    let mut names = Vec::new();
    for (name, is_link) in subfolders(modules) {
        if name.starts_with('@') {
            let scoped = subfolders(&modules.join(&name)).into_iter();
            names.extend(scoped.map(|(inner, is_link)| (format!("{name}/{inner}"), is_link)));
        } else {
            names.push((name, is_link));
        }
    }
    names.retain(|(name, _)| is_package_name(name));
    names
}

/// The folders in a folder, and whether each is a link.
fn subfolders(folder: &Path) -> Vec<(String, bool)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let kind = entry.file_type().ok()?;
            let name = entry.file_name().into_string().ok()?;
            (!kind.is_file()).then_some((name, kind.is_symlink()))
        })
        .collect()
}

/// The name and the folder of the package that contains the file at `path`, if it is in
/// one.
pub(crate) fn containing_package(path: &Path) -> Option<(String, PathBuf)> {
    let folders: Vec<&Path> = path.ancestors().collect();
    let modules = folders
        .iter()
        .position(|folder| folder.file_name().is_some_and(|name| name == MODULES))?;
    let name_below = |depth: usize| {
        let folder = folders.get(modules.checked_sub(depth)?)?;
        folder.file_name()?.to_str()
    };
    let first = name_below(1)?;
    if first.starts_with('@') {
        let name = format!("{first}/{}", name_below(2)?);
        return Some((name, folders[modules - 2].to_path_buf()));
    }
    Some((first.to_owned(), folders[modules - 1].to_path_buf()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_names_are_checked() {
        for name in ["a", "@b/c", "a.b"] {
            assert!(is_package_name(name), "{name}");
        }
        for name in [
            "", ".bin", "@b", "@/c", "a/b", "@b/../c", "@b/..", "..", "c:d", "a\\b",
        ] {
            assert!(!is_package_name(name), "{name}");
        }
    }
}
