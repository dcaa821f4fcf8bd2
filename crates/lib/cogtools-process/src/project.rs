//! The project that contains a directory.

use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

use cogtools_document::file::ReadScope;
use cogtools_document::text::{self, Text, TextError};
use cogtools_document::{Code, Diagnostic};
use serde_json::Value;

use crate::owner::{ForeignOwner, Owners};

/// A project: the directory that tools and configuration are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    display_path: PathBuf,
    /// True if something marks it as a project; otherwise it is merely a directory.
    pub is_marked: bool,
    /// The nearer projects that are not used, because they belong to other users.
    pub skipped: Vec<ForeignOwner>,
}

impl Project {
    /// The name of the configuration file at the root.
    pub const CONFIG: &'static str = ".cogtoolrc.yaml";

    /// The project that `directory` belongs to: the nearest ancestor with a
    /// `.cogtoolrc.yaml`, a `package.json` with a `cogtools` key, a `.gemini` folder or
    /// a `.git`; otherwise `directory` itself. The `.gemini` in `home` is the user's,
    /// and does not mark a project, nor does a file of another user; see
    /// [`Project::skipped`].
    pub fn find(directory: &Path, home: Option<&Path>, owners: &Owners) -> Self {
        let mut skipped = Vec::new();
        let root = directory.ancestors().find(|folder| {
            let Some(marker) = marker(folder, home) else {
                return false;
            };
            let checked = owners
                .check(&marker, folder)
                .and_then(|()| owners.check(folder, folder));
            skipped.extend(checked.clone().err());
            checked.is_ok()
        });
        let is_marked = root.is_some();
        let root = root.unwrap_or(directory);
        let display_path = if root == directory {
            PathBuf::new()
        } else {
            root.to_path_buf()
        };
        Self {
            root: root.to_path_buf(),
            display_path,
            is_marked,
            skipped,
        }
    }

    /// The project in `root`, whether or not anything marks it.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            display_path: PathBuf::new(),
            is_marked: false,
            skipped: Vec::new(),
        }
    }

    /// The root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where files of the project may be when they are read.
    pub fn read_scope(&self) -> ReadScope {
        ReadScope::project(&self.root)
    }

    /// Where the file or folder at `path` may be, which the user has named: in this
    /// project, in the one that contains it, or anywhere if none does.
    pub fn scope_of(&self, path: &Path, home: Option<&Path>) -> ReadScope {
        let scope = self.read_scope();
        let path = lexical(path);
        if scope.covers(&path) {
            return scope;
        }
        path.ancestors()
            .find(|folder| marker(folder, home).is_some())
            .map_or(ReadScope::User, ReadScope::project)
    }

    /// The root relative to the directory; empty if they are the same.
    pub fn display_path(&self) -> &Path {
        &self.display_path
    }

    /// The text of the project's `package.json` and its key `cogtools`, if present.
    pub fn package(&self, owners: &Owners) -> Result<Option<(Text, Value)>, Box<Diagnostic>> {
        let (path, display_path) = self.resolve(Path::new(MANIFEST));
        let key = read_key(&path, &display_path, &self.read_scope())?;
        key.map(|(text, value, meta)| {
            owners
                .check_opened(&path, &meta, &self.root)
                .map_err(|foreign| Box::new(foreign.diagnostic("it is not used")))?;
            Ok((text, value))
        })
        .transpose()
    }

    /// Returns its own marker if that belongs to another user: no file in the root counts.
    pub fn foreign_marker(&self) -> Option<&ForeignOwner> {
        let mut skipped = self.skipped.iter();
        skipped.find(|skipped| skipped.folder == self.root)
    }

    /// Resolves a path relative to the root: the full path, and the path as the user
    /// would write it.
    pub fn resolve(&self, path: &Path) -> (PathBuf, PathBuf) {
        let parts = path.components().filter(|part| part.as_os_str() != ".");
        let tidy: PathBuf = parts.collect();
        (self.root.join(&tidy), self.display_path.join(&tidy))
    }
}

/// The maximum size of a `package.json`: 16 MiB.
const MAX_MANIFEST_BYTES: usize = 16 << 20;
/// The name of the manifest.
const MANIFEST: &str = "package.json";

/// The file or folder that marks `folder` as a project.
fn marker(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let config = folder.join(Project::CONFIG);
    if config.is_file() {
        return Some(config);
    }
    let gemini = folder.join(".gemini");
    if home != Some(folder) && gemini.is_dir() {
        return Some(gemini);
    }
    let git = folder.join(".git");
    if git.exists() {
        return Some(git);
    }
    has_package_key(folder).then(|| folder.join(MANIFEST))
}

/// Returns `path` without `.` and `..`, read from left to right without resolving links.
pub fn lexical(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(tidy.pop()),
            part => tidy.push(part),
        }
    }
    tidy
}

fn has_package_key(folder: &Path) -> bool {
    let path = folder.join(MANIFEST);
    let scope = ReadScope::project(folder);
    read_key(&path, &path, &scope).is_ok_and(|key| key.is_some())
}

/// The text of a `package.json` and its key `cogtools`, if present, with what the system says
/// about the file.
fn read_key(
    path: &Path,
    display_path: &Path,
    scope: &ReadScope,
) -> Result<Option<(Text, Value, Metadata)>, Box<Diagnostic>> {
    let failed = |error: TextError| Box::new(error.diagnostic(Code::InvalidConfig));
    let (bytes, meta) = match text::read(path, display_path, MAX_MANIFEST_BYTES, scope) {
        Ok(read) => read,
        Err(TextError::NotFound(_) | TextError::NotAFile(_)) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let key = br#""cogtools""#;
    // Searching for the key first saves parsing most manifests.
    if !bytes.windows(key.len()).any(|window| window == key) {
        return Ok(None);
    }
    let text = Text::new(display_path, bytes).map_err(failed)?;
    let json: Value = serde_json::from_str(text.as_str()).map_err(|error| {
        let message = format!("`{}` is not JSON: {error}", display_path.display());
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
        Box::new(diagnostic.hint("fix the syntax error; npm cannot read it either"))
    })?;
    let key = json.get("cogtools").cloned();
    Ok(key.map(|key| (text, key, meta)))
}
