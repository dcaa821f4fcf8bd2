//! The project that contains a directory.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::text::{self, Text, TextError};
use crate::{Code, Diagnostic};

/// A project: the directory that tools and configuration are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    display_path: PathBuf,
}

impl Project {
    /// The name of the configuration file at the root.
    pub const CONFIG: &'static str = ".cogtoolrc.yaml";

    /// The project that `directory` belongs to: the nearest ancestor with a
    /// `.cogtoolrc.yaml`, a `package.json` with a `cogtools` key, a `.gemini` folder or
    /// a `.git`; otherwise `directory` itself. The `.gemini` in `home` is the user's,
    /// and does not mark a project.
    pub fn find(directory: &Path, home: Option<&Path>) -> Self {
        let marked = |folder: &&Path| {
            folder.join(Self::CONFIG).is_file()
                || (home != Some(*folder) && folder.join(".gemini").is_dir())
                || folder.join(".git").exists()
                || has_package_key(folder)
        };
        let root = directory.ancestors().find(marked).unwrap_or(directory);
        let display_path = if root == directory {
            PathBuf::new()
        } else {
            root.to_path_buf()
        };
        Self {
            root: root.to_path_buf(),
            display_path,
        }
    }

    /// The root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The root relative to the directory; empty if they are the same.
    pub fn display_path(&self) -> &Path {
        &self.display_path
    }

    /// The text of the project's `package.json` and its key `cogtools`, if present.
    pub(crate) fn package(&self) -> Result<Option<(Text, Value)>, Box<Diagnostic>> {
        let (path, display_path) = self.resolve(Path::new(MANIFEST));
        read_key(&path, &display_path)
    }

    /// Resolves a path relative to the root: the full path, and the path as the user
    /// would write it.
    pub fn resolve(&self, path: &Path) -> (PathBuf, PathBuf) {
        let tidy: PathBuf = path
            .components()
            .filter(|part| part.as_os_str() != ".")
            .collect();
        (self.root.join(&tidy), self.display_path.join(&tidy))
    }
}

/// The maximum size of a `package.json`: 16 MiB.
const MAX_MANIFEST_BYTES: usize = 16 << 20;
/// The name of the manifest.
const MANIFEST: &str = "package.json";

fn has_package_key(folder: &Path) -> bool {
    let path = folder.join(MANIFEST);
    read_key(&path, &path).is_ok_and(|key| key.is_some())
}

/// The text of a `package.json` and its key `cogtools`, if present.
fn read_key(path: &Path, display_path: &Path) -> Result<Option<(Text, Value)>, Box<Diagnostic>> {
    let failed = |error: TextError| Box::new(error.diagnostic(Code::InvalidConfig));
    let bytes = match text::bytes(path, display_path, MAX_MANIFEST_BYTES) {
        Ok(bytes) => bytes,
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
    Ok(key.map(|key| (text, key)))
}
