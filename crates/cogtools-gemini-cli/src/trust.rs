//! Whether Gemini CLI trusts a folder, and so reads its settings.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::place::{Places, Vars};
use crate::settings::{Scope, Settings};
use cogtools_edit::jsonc;

/// What Gemini CLI makes of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It is trusted, for this reason.
    Trusted(String),
    /// Nobody has said: it asks at a terminal and refuses to start without one.
    Unsaid,
    /// It is not trusted, for this reason.
    Refused(String),
    /// The list of trusted folders cannot be read, which ends its start.
    Unreadable(String),
}

impl Trust {
    /// Whether the folder in `places` is trusted.
    pub fn of(places: &Places, settings: &Settings, vars: &Vars) -> Self {
        let var = |name: &str| vars.get(OsStr::new(name)).and_then(|value| value.to_str());
        let workspace = var("GEMINI_CLI_TRUST_WORKSPACE");
        if var("GEMINI_RESTRICTED_MODE") == Some("true") {
            return Self::Refused("GEMINI_RESTRICTED_MODE is true".into());
        }
        match workspace {
            Some("false") => {
                return Self::Refused("GEMINI_CLI_TRUST_WORKSPACE is false".into());
            }
            Some("true") => return Self::Trusted("GEMINI_CLI_TRUST_WORKSPACE is true".into()),
            _ => {}
        }
        // The project has no say in whether it is trusted.
        let enabled = settings.files.iter().rev().find_map(|file| {
            let enabled = file.get("security.folderTrust.enabled");
            enabled.filter(|_| file.scope != Scope::Project)?.as_bool()
        });
        if enabled == Some(false) {
            return Self::Trusted("the user's settings switch folder trust off".into());
        }
        let Some(list) = &places.trusted else {
            return Self::Unsaid;
        };
        let shown = places.shown(list);
        let Ok(text) = fs::read_to_string(list) else {
            return Self::Unsaid;
        };
        match jsonc::read(list, &text) {
            Ok(Value::Object(rules)) => listed(&places.root, rules.iter(), &shown),
            Ok(_) => Self::Unreadable(format!("{shown} is not an object")),
            Err(refusal) => Self::Unreadable(format!("{shown}: {refusal}")),
        }
    }

    /// Whether settings of the folder are read.
    pub const fn is_given(&self) -> bool {
        matches!(self, Self::Trusted(_))
    }
}

/// What the rule with the longest path says.
fn listed<'r>(
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
        Some((_, "TRUST_FOLDER" | "TRUST_PARENT")) => Trust::Trusted(format!("{list} says so")),
        Some((_, "DO_NOT_TRUST")) => Trust::Refused(format!("{list} says so")),
        _ => Trust::Unsaid,
    }
}
