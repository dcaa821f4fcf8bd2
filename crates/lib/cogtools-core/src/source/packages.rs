//! Tools from npm packages: those whose `package.json` contains `"cogtools": {"tools":
//! ["folder"]}`.
//!
//! A `node_modules` contains a thousand indirect dependencies. Only these are read: direct
//! dependencies of the project's `package.json`, packages linked from elsewhere (workspaces,
//! `npm link`), and globally installed packages. A package must not make cogtools read the user's
//! other files, so neither a path nor a link may lead outside it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::containment::is_excluded;
use crate::file::ReadScope;
use crate::owner::Owners;
use crate::source::folder::MODULES;
use crate::source::{Folder, GlobalModules, Listing, SourceError};
use crate::text::{self, TextError};
use crate::tool::{Author, Provenance, ToolError};
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

    /// Lists every folder of packages, in the order in which Node searches them. A folder of another
    /// user is an error: a folder above the project may be writable for everyone.
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

    pub(super) fn find(&self, name: &Name) -> Result<Option<Tool>, ToolError> {
        let (packages, _) = self.packages();
        let mut folders = packages.iter().flat_map(|package| &package.folders);
        let found = folders.find_map(|folder| folder.find(name).transpose());
        found.transpose()
    }

    pub(super) fn list(&self) -> Listing {
        let (packages, mut errors) = self.packages();
        let plug_and_play = plug_and_play(&self.root, &self.display_path);
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
    let lists = DEPENDENCY_KEYS
        .iter()
        .filter_map(|key| json.get(key)?.as_object());
    let names = lists.flat_map(|versions| versions.keys().cloned());
    names.filter(|name| is_package_name(name)).collect()
}

/// Returns true if a name names a single folder, or one in a scope.
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
    let names = package_names(modules).into_iter();
    let linked = names.filter(|(name, is_link)| *is_link && !is_installed(&modules.join(name)));
    linked.map(|(name, _)| name).collect()
}

/// Returns true if the link at `path` leads into a folder of packages.
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

/// A package with tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name, with its scope: `@scope/name`.
    pub name: String,
    /// Its folder, with links resolved.
    pub root: PathBuf,
    /// Its folders of tools, in the order of its manifest.
    pub folders: Vec<Folder>,
}

/// The name of a package's manifest.
const MANIFEST: &str = "package.json";
/// The maximum size of a manifest, in MiB.
const MAX_MANIFEST_MIB: usize = 4;

/// Reads a `package.json`, known to the user as `display_path`.
fn manifest(path: &Path, display_path: &Path) -> Result<Vec<u8>, TextError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let scope = ReadScope::package(folder, false);
    let bytes = text::bytes(path, display_path, MAX_MANIFEST_MIB << 20, &scope)?;
    Ok(text::without_mark(&bytes).to_vec())
}

impl Package {
    /// Reads the package `name` in `folder`, known to the user as `display_path`, if it has
    /// tools. Messages quote its files if it really is in the folder `home`.
    fn read(
        name: &str,
        folder: &Path,
        display_path: &Path,
        home: &Path,
    ) -> Result<Option<Self>, SourceError> {
        let file = display_path.join(MANIFEST);
        let invalid = |message: String| SourceError::Package {
            package: name.to_owned(),
            file: file.clone(),
            message,
        };
        let bytes = match manifest(&folder.join(MANIFEST), &file) {
            Ok(bytes) => bytes,
            Err(TextError::NotFound(_)) => return Ok(None),
            Err(TextError::TooLarge(..)) => {
                return Err(invalid(format!("larger than {MAX_MANIFEST_MIB} MiB")));
            }
            Err(error) => return Err(SourceError::Manifest(name.to_owned(), error)),
        };
        let Some(paths) = tool_folders(&bytes).map_err(invalid)? else {
            return Ok(None);
        };
        // The path is that of the link's target, because the package's files are there.
        let real = folder.canonicalize();
        let root = real.unwrap_or_else(|_| folder.to_path_buf());
        let home = home.canonicalize();
        let scope = ReadScope::package(&root, home.is_ok_and(|home| root.starts_with(home)));
        let open = |path| {
            let below = relative_folder(path, &root)?;
            let path = root.join(&below);
            let mut folder = Folder::new(path, display_path.join(&below), true, scope.clone());
            folder.provenance = Arc::new(Provenance {
                source: name.to_owned(),
                toolset: Some(name.to_owned()),
                author: Author::Package(root.clone()),
                grant: None,
            });
            Ok(folder)
        };
        let folders: Result<_, String> = paths.iter().map(open).collect();
        let folders = folders.map_err(invalid)?;
        Ok(Some(Self {
            name: name.to_owned(),
            folders,
            root,
        }))
    }
}

/// Returns the value of `cogtools.tools` in a `package.json`, if present.
fn tool_folders(bytes: &[u8]) -> Result<Option<Vec<Value>>, String> {
    let key = br#""cogtools""#;
    // Most packages have no tools, and need not be parsed to see that.
    if !bytes.windows(key.len()).any(|window| window == key) {
        return Ok(None);
    }
    let json: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("not JSON: {error}"))?;
    match json.get("cogtools") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(own)) => match own.get("tools") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(paths)) => Ok(Some(paths.clone())),
            Some(_) => Err("`cogtools.tools` is not a list of folders".to_owned()),
        },
        Some(_) => Err("`cogtools` is not an object".to_owned()),
    }
}

/// Returns the folder that a package at `root` names by `path`, relative to `root`.
fn relative_folder(path: &Value, root: &Path) -> Result<PathBuf, String> {
    let contained = path
        .as_str()
        .map(Path::new)
        .filter(|path| is_contained(path));
    let relative: PathBuf = contained
        .ok_or_else(|| format!("`{path}` is not a folder inside the package"))?
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    let name = relative.display();
    match root.join(&relative).canonicalize() {
        Ok(real) if !real.starts_with(root) => Err(format!(
            "`{name}` is a link that points outside the package"
        )),
        Ok(real) if !real.is_dir() => Err(format!("`{name}` is not a folder")),
        Ok(_) => Ok(relative),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(format!("the folder `{name}` does not exist"))
        }
        Err(error) => Err(format!("the folder `{name}` cannot be read: {error}")),
    }
}

/// Returns true if a path stays below its starting point.
fn is_contained(path: &Path) -> bool {
    let mut parts = path.components();
    // Packages nested in a package are not covered by its approval.
    !path.as_os_str().is_empty()
        && parts.all(|part| match part {
            Component::Normal(name) => !is_excluded(name),
            part => part == Component::CurDir,
        })
}

/// Files that Yarn writes instead of folders of packages.
const FILES: [&str; 2] = [".pnp.cjs", ".pnp.loader.mjs"];

/// The file that Yarn has written instead of the folder of packages for the project at
/// `root`, known to the user as `display_path`, if it is nearer than such a folder.
fn plug_and_play(root: &Path, display_path: &Path) -> Option<PathBuf> {
    let nearest = root.ancestors().find_map(|folder| {
        let mut files = FILES.iter().map(|name| folder.join(name));
        match files.find(|file| file.is_file()) {
            None => folder.join(MODULES).is_dir().then_some(None),
            found => Some(found),
        }
    });
    let file = nearest.flatten()?;
    let below = file.strip_prefix(root).ok();
    Some(below.map_or_else(|| file.clone(), |name| display_path.join(name)))
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
