//! The project around a directory.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::text;

/// A project: the directory that tools and configuration are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    shown: PathBuf,
}

impl Project {
    /// The name of the configuration file at the root.
    pub const CONFIG: &'static str = ".cogtoolrc.yaml";

    /// The project that `directory` belongs to: the nearest ancestor with a
    /// `.cogtoolrc.yaml`, a `package.json` with a `cogtools` key, a `.gemini`
    /// folder or a `.git`; else `directory` itself. The `.gemini` in `home` is
    /// the user's, and marks no project.
    pub fn find(directory: &Path, home: Option<&Path>) -> Self {
        let marked = |folder: &&Path| {
            folder.join(Self::CONFIG).is_file()
                || (home != Some(*folder) && folder.join(".gemini").is_dir())
                || folder.join(".git").exists()
                || has_package_key(folder)
        };
        let root = directory.ancestors().find(marked).unwrap_or(directory);
        let shown = if root == directory {
            PathBuf::new()
        } else {
            root.to_path_buf()
        };
        Self {
            root: root.to_path_buf(),
            shown,
        }
    }

    /// The root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The root as the user of the directory knows it; empty when it is that directory.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// A path below the root (or an absolute one) in full, and as the user of the
    /// directory would write it.
    pub fn resolve(&self, path: &Path) -> (PathBuf, PathBuf) {
        let tidy: PathBuf = path
            .components()
            .filter(|part| part.as_os_str() != ".")
            .collect();
        (self.root.join(&tidy), self.shown.join(&tidy))
    }
}

/// The largest `package.json` that is looked at: 16 MiB.
const PACKAGE_LIMIT: usize = 16 << 20;

fn has_package_key(folder: &Path) -> bool {
    let path = folder.join("package.json");
    let Ok(text) = text::bytes(&path, &path, PACKAGE_LIMIT) else {
        return false;
    };
    let word = br#""cogtools""#;
    // Looking for the word first spares most projects the parsing.
    text.windows(word.len()).any(|window| window == word)
        && serde_json::from_slice::<Value>(&text).is_ok_and(|json| json.get("cogtools").is_some())
}
