//! Tools out of npm packages: those whose `package.json` says
//! `"cogtools": {"tools": ["folder"]}`.
//!
//! A `node_modules` holds a thousand packages that nobody named. Looked at are
//! those that the project's `package.json` depends on, links (workspaces, `npm
//! link`, all that pnpm puts at the top), and what is installed for everybody.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Author, Folder, Global, Listing, Provenance, SourceError};
use crate::text::{self, TextError};
use crate::tool::ToolError;
use crate::{Name, Tool, trust};

/// The packages of a project, nearest first, then those for everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packages {
    root: PathBuf,
    shown: PathBuf,
    global: Global,
}

/// A package with tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name, with its scope: `@scope/name`.
    pub name: String,
    /// Its folder, links resolved.
    pub root: PathBuf,
    /// Its folders of tools, in its own order.
    pub folders: Vec<Folder>,
}

/// The folder that packages are in.
pub(super) const MODULES: &str = "node_modules";
/// The file that says what a package is.
const MANIFEST: &str = "package.json";
/// The largest of them that is read: 4 MiB.
const LIMIT: usize = 4 << 20;
/// The lists of packages that a project says it needs.
const NEEDS: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
];

impl Packages {
    /// The packages of the project at `root`, known to its user as `shown`, and
    /// those for everybody.
    pub const fn new(root: PathBuf, shown: PathBuf, global: Global) -> Self {
        Self {
            root,
            shown,
            global,
        }
    }

    /// The packages with tools, and what is wrong with the others that say so. A
    /// package that is nearer hides one of the same name.
    pub fn packages(&self) -> (Vec<Package>, Vec<SourceError>) {
        let mut found = Vec::new();
        let mut errors = Vec::new();
        let mut seen = BTreeSet::new();
        for (modules, shown, names) in self.places() {
            for name in names {
                let folder = modules.join(&name);
                if seen.contains(&name) || !folder.join(MANIFEST).is_file() {
                    continue;
                }
                match package(&name, &folder, &shown.join(&name)) {
                    Ok(package) => found.extend(package),
                    Err(error) => errors.push(error),
                }
                seen.insert(name);
            }
        }
        (found, errors)
    }

    /// Every folder of packages, with the names in it that can matter, sorted.
    fn places(&self) -> Vec<(PathBuf, PathBuf, BTreeSet<String>)> {
        let mut places = Vec::new();
        let mut needed = BTreeSet::new();
        for folder in self.root.ancestors() {
            needed.extend(needs(&folder.join(MANIFEST)));
            let modules = folder.join(MODULES);
            if !modules.is_dir() {
                continue;
            }
            let shown = if folder == self.root {
                self.shown.join(MODULES)
            } else {
                modules.clone()
            };
            let mut names = needed.clone();
            names.extend(entries(&modules, true));
            places.push((modules, shown, names));
        }
        if let Some(global) = self.global.folder() {
            let names = entries(&global, false).into_iter().collect();
            places.push((global.clone(), global, names));
        }
        places
    }

    pub(super) fn find(
        &self,
        name: &Name,
        errors: &mut Vec<SourceError>,
    ) -> Result<Option<Tool>, ToolError> {
        let (packages, wrong) = self.packages();
        errors.extend(wrong);
        for folder in packages.iter().flat_map(|package| &package.folders) {
            if let Some(tool) = folder.find(name)? {
                return Ok(Some(tool));
            }
        }
        Ok(None)
    }

    pub(super) fn list(&self) -> Listing {
        let (packages, errors) = self.packages();
        let mut listing = Listing {
            listed: Vec::new(),
            errors,
        };
        for folder in packages.iter().flat_map(|package| &package.folders) {
            listing.add(Listing::of(folder.list()));
        }
        listing
    }
}

/// The names that a `package.json` depends on; none if it cannot be read, for it
/// is npm's to complain.
fn needs(manifest: &Path) -> Vec<String> {
    let Ok(bytes) = text::bytes(manifest, manifest, LIMIT) else {
        return Vec::new();
    };
    let json: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let lists = NEEDS.iter().filter_map(|list| json.get(list)?.as_object());
    let names = lists.flat_map(|list| list.keys().cloned());
    names.filter(|name| is_package(name)).collect()
}

/// Whether a name is that of one folder, or one in a scope.
fn is_package(name: &str) -> bool {
    let plain =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['/', '\\', ':']);
    match name.split_once('/') {
        Some((scope, rest)) => scope.len() > 1 && scope.starts_with('@') && plain(rest),
        None => plain(name) && !name.starts_with('@'),
    }
}

/// The names of the packages in a folder of them: all, or the links alone.
fn entries(modules: &Path, links: bool) -> Vec<String> {
    let mut names = Vec::new();
    for (name, link) in children(modules) {
        if name.starts_with('@') {
            let inner = children(&modules.join(&name));
            let inner = inner.into_iter().filter(|(_, link)| *link || !links);
            names.extend(inner.map(|(inner, _)| format!("{name}/{inner}")));
        } else if link || !links {
            names.push(name);
        }
    }
    names.retain(|name| is_package(name));
    names
}

/// The folders in a folder, each with whether it is a link.
fn children(folder: &Path) -> Vec<(String, bool)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let entries = entries.filter_map(|entry| {
        let kind = entry.file_type().ok()?;
        let name = entry.file_name().into_string().ok()?;
        (!kind.is_file()).then_some((name, kind.is_symlink()))
    });
    entries.collect()
}

/// The name and the folder of the package that the file at `path` lies in, if there
/// is a folder of packages on the way to it.
pub(crate) fn around(path: &Path) -> Option<(String, PathBuf)> {
    let folders: Vec<&Path> = path.ancestors().collect();
    let modules = folders
        .iter()
        .position(|folder| folder.file_name().is_some_and(|name| name == MODULES))?;
    let named = |up: usize| {
        let folder = folders.get(modules.checked_sub(up)?)?;
        folder.file_name()?.to_str()
    };
    let first = named(1)?;
    if first.starts_with('@') {
        let name = format!("{first}/{}", named(2)?);
        return Some((name, folders[modules - 2].to_path_buf()));
    }
    Some((first.to_owned(), folders[modules - 1].to_path_buf()))
}

/// The package in `folder`, if it has tools.
fn package(name: &str, folder: &Path, shown: &Path) -> Result<Option<Package>, SourceError> {
    let file = shown.join(MANIFEST);
    let bytes = match text::bytes(&folder.join(MANIFEST), &file, LIMIT) {
        Ok(bytes) => bytes,
        Err(TextError::Absent(_)) => return Ok(None),
        Err(error) => return Err(SourceError::Manifest(name.to_owned(), error)),
    };
    let word = br#""cogtools""#;
    // Most packages are not for us, and need not be parsed to know that.
    if !bytes.windows(word.len()).any(|window| window == word) {
        return Ok(None);
    }
    let wrong = |message: String| SourceError::Package {
        package: name.to_owned(),
        file: file.clone(),
        message,
    };
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| wrong(format!("{error}")))?;
    let Some(tools) = json.get("cogtools").and_then(|own| own.get("tools")) else {
        return Ok(None);
    };
    let Some(paths) = tools.as_array() else {
        return Err(wrong(
            "`cogtools.tools` is not a list of folders".to_owned(),
        ));
    };
    // A link leads to where the package really is; its files are known by that.
    let root = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    let mut folders = Vec::new();
    for path in paths {
        let inside = path.as_str().map(Path::new).filter(|path| stays(path));
        let Some(path) = inside else {
            return Err(wrong(format!(
                "`{path}` is no folder inside of the package"
            )));
        };
        let tidy: PathBuf = path
            .components()
            .filter(|part| part.as_os_str() != OsStr::new("."))
            .collect();
        let found = Folder::new(root.join(&tidy), shown.join(&tidy), true);
        folders.push(found.from(Provenance {
            source: name.to_owned(),
            toolset: Some(name.to_owned()),
            author: Author::Package(root.clone()),
        }));
    }
    Ok(Some(Package {
        name: name.to_owned(),
        root,
        folders,
    }))
}

/// Whether a path leads to something below where it begins.
fn stays(path: &Path) -> bool {
    use std::path::Component;
    let mut parts = path.components();
    // What a package brings along is not a part of what is allowed with it.
    parts.all(|part| match part {
        Component::Normal(name) => !trust::is_apart(name),
        part => part == Component::CurDir,
    })
}
