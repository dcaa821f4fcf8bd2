//! Whether Gemini CLI trusts a folder, and thus reads its settings.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::ReadScope;
use cogtools_core::text::Text;
use serde_json::Value;

use crate::paths::{Paths, Vars};
use crate::settings::{Scope, Settings};
use cogtools_edit::jsonc;

/// Gemini CLI's trust in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It is trusted, for this reason.
    Trusted(String),
    /// Not decided: Gemini CLI asks at a terminal, and refuses to start without one.
    Undecided,
    /// It is not trusted, for this reason.
    Untrusted(String),
    /// The list of trusted folders cannot be read, which prevents a start.
    Unreadable(String),
}

impl Trust {
    /// Whether the folder in `paths` is trusted.
    pub fn of(paths: &Paths, settings: &Settings, vars: &Vars) -> Self {
        let var = |name: &str| vars.get(OsStr::new(name)).and_then(|value| value.to_str());
        let workspace = var("GEMINI_CLI_TRUST_WORKSPACE");
        if var("GEMINI_RESTRICTED_MODE") == Some("true") {
            return Self::Untrusted("GEMINI_RESTRICTED_MODE is true".into());
        }
        match workspace {
            Some("false") => {
                return Self::Untrusted("GEMINI_CLI_TRUST_WORKSPACE is false".into());
            }
            Some("true") => return Self::Trusted("GEMINI_CLI_TRUST_WORKSPACE is true".into()),
            _ => {}
        }
        // The project cannot decide whether it is trusted.
        let enabled = settings.files.iter().rev().find_map(|file| {
            let enabled = file.get("security.folderTrust.enabled");
            enabled.filter(|_| file.scope != Scope::Project)?.as_bool()
        });
        if enabled == Some(false) {
            return Self::Trusted("the user's settings turn folder trust off".into());
        }
        let Some(list) = &paths.trusted else {
            return Self::Undecided;
        };
        let shown = paths.display_path(list);
        let Ok(text) = Text::read(list, list, &ReadScope::User) else {
            return Self::Undecided;
        };
        match jsonc::read(list, text.as_str()) {
            Ok(Value::Object(rules)) => decide(&paths.root, rules.iter(), &shown),
            Ok(_) => Self::Unreadable(format!("{shown} is not an object")),
            Err(conflict) => Self::Unreadable(format!("{shown}: {conflict}")),
        }
    }

    /// Whether the settings of the folder are read.
    pub const fn is_trusted(&self) -> bool {
        matches!(self, Self::Trusted(_))
    }
}

/// The decision of the matching rule with the longest path.
fn decide<'r>(
    root: &Path,
    rules: impl Iterator<Item = (&'r String, &'r Value)>,
    list: &str,
) -> Trust {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let root = real(root);
    let mut longest: Option<(&str, &str)> = None;
    for (path, level) in rules {
        let Some(level) = level.as_str() else {
            continue;
        };
        let folder = match (level, Path::new(path).parent()) {
            ("TRUST_PARENT", Some(parent)) => parent.to_path_buf(),
            _ => PathBuf::from(path),
        };
        let longer = longest.is_none_or(|(other, _)| path.len() > other.len());
        if longer && root.starts_with(real(&folder)) {
            longest = Some((path, level));
        }
    }
    match longest {
        Some((_, "TRUST_FOLDER" | "TRUST_PARENT")) => Trust::Trusted(format!("listed in {list}")),
        Some((_, "DO_NOT_TRUST")) => Trust::Untrusted(format!("marked DO_NOT_TRUST in {list}")),
        _ => Trust::Undecided,
    }
}
