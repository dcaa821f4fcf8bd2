//! The files of Gemini CLI: their locations, the settings of all scopes as it reads and merges
//! them, and its trust in a folder, without which it reads no settings there.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::Diagnostic;
use cogtools_core::file::ReadScope;
use cogtools_core::text::Text;
use serde_json::Value;

use crate::{Existing, jsonc};

/// The environment variables of the process that starts Gemini CLI.
pub type Vars = BTreeMap<OsString, OsString>;

/// The files of one project and one user.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The directory in which Gemini CLI is started.
    pub root: PathBuf,
    /// The folder that contains the user's `.gemini`.
    pub home: Option<PathBuf>,
    /// The system settings, which override all others.
    pub system: PathBuf,
    /// The system defaults, which all others override.
    pub defaults: PathBuf,
    /// The list of trusted folders.
    pub trusted: Option<PathBuf>,
}

impl Paths {
    /// Returns the locations for a Gemini CLI that is started in `root` with `vars`.
    pub fn new(root: &Path, vars: &Vars) -> Self {
        let path_var = |name: &str| {
            let value = vars.get(OsStr::new(name)).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = path_var("GEMINI_CLI_HOME").or_else(|| path_var(home));
        let system = path_var("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
            .unwrap_or_else(|| system_folder().join("settings.json"));
        let defaults = path_var("GEMINI_CLI_SYSTEM_DEFAULTS_PATH")
            .unwrap_or_else(|| system.with_file_name("system-defaults.json"));
        let trusted = path_var("GEMINI_CLI_TRUSTED_FOLDERS_PATH").or_else(|| {
            let home = home.as_ref()?;
            Some(home.join(".gemini").join("trustedFolders.json"))
        });
        Self {
            root: root.to_path_buf(),
            home,
            system,
            defaults,
            trusted,
        }
    }

    /// Returns the settings of a project or a user, relative to its folder.
    pub fn settings() -> PathBuf {
        Path::new(".gemini").join("settings.json")
    }

    /// Returns the folders of policies that Gemini CLI reads: the system's and the user's, but
    /// not the project's.
    pub fn policies(&self) -> Vec<PathBuf> {
        let user = self.home.as_ref().map(|home| home.join(".gemini"));
        let folders = [system_folder()].into_iter().chain(user);
        folders.map(|folder| folder.join("policies")).collect()
    }

    /// Returns a path for messages: relative to the project's root or to `~`, if possible.
    pub fn display_path(&self, path: &Path) -> String {
        if let Ok(inside) = path.strip_prefix(&self.root) {
            return inside.display().to_string();
        }
        match self.home.as_ref().map(|home| path.strip_prefix(home)) {
            Some(Ok(inside)) => Path::new("~").join(inside).display().to_string(),
            _ => path.display().to_string(),
        }
    }
}

/// Returns the folder of the system-wide files.
fn system_folder() -> PathBuf {
    PathBuf::from(if cfg!(target_os = "macos") {
        "/Library/Application Support/GeminiCli"
    } else if cfg!(windows) {
        r"C:\ProgramData\gemini-cli"
    } else {
        "/etc/gemini-cli"
    })
}

/// The scope of a settings file, in the order of merging: later scopes win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The system's defaults.
    Defaults,
    /// The settings of the user.
    User,
    /// The project's, which are read only in a trusted folder.
    Project,
    /// The system's, which override all others.
    System,
}

/// An existing settings file.
#[derive(Debug)]
pub struct File {
    /// Its scope.
    pub scope: Scope,
    /// Its path.
    pub path: PathBuf,
    /// Its text, if it is valid UTF-8.
    pub text: Option<String>,
    /// Its value, or why Gemini CLI cannot read it.
    pub value: Result<Value, Box<Diagnostic>>,
}

/// All existing settings files.
#[derive(Debug, Default)]
pub struct Settings {
    /// The files, in the order of merging.
    pub files: Vec<File>,
}

impl Scope {
    /// Returns its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Defaults => "system defaults",
            Self::User => "user",
            Self::Project => "project",
            Self::System => "system",
        }
    }
}

impl Settings {
    /// Reads the files in `paths`; `$NAME` and `${NAME}` are expanded from `vars`.
    pub fn read(paths: &Paths, vars: &Vars) -> Self {
        let home = paths.home.as_ref();
        let user = home.map(|home| home.join(Paths::settings()));
        // In the home directory there is only one file, that of the user.
        let project = (home != Some(&paths.root)).then(|| paths.root.join(Paths::settings()));
        let scopes = [
            (Scope::Defaults, Some(paths.defaults.clone())),
            (Scope::User, user),
            (Scope::Project, project),
            (Scope::System, Some(paths.system.clone())),
        ];
        let files = scopes
            .into_iter()
            .filter_map(|(scope, path)| File::read(scope, path?, paths, vars));
        Self {
            files: files.collect(),
        }
    }

    /// Returns the value at a dotted path such as `tools.callCommand`, and its file.
    pub fn get(&self, key: &str) -> Option<(&Value, &File)> {
        let mut files = self.files.iter().rev();
        files.find_map(|file| Some((file.get(key)?, file)))
    }

    /// Returns the strings of every file's list at a dotted path, each with its file.
    pub fn list<'s>(&'s self, key: &'s str) -> impl Iterator<Item = (&'s str, &'s File)> {
        self.files.iter().flat_map(move |file| {
            let items = file.get(key).and_then(Value::as_array);
            items
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(move |item| (item, file))
        })
    }

    /// Returns the file of that scope, if it exists.
    pub fn file(&self, scope: Scope) -> Option<&File> {
        self.files.iter().find(|file| file.scope == scope)
    }
}

impl File {
    fn read(scope: Scope, path: PathBuf, paths: &Paths, vars: &Vars) -> Option<Self> {
        let shown = PathBuf::from(paths.display_path(&path));
        // Only the project's file must stay in the project.
        let existing = match scope {
            Scope::Project => Existing::open(&paths.root, &Paths::settings()),
            _ => Existing::open(&paths.root, &path),
        };
        let (text, value) = match existing {
            Ok(None) => return None,
            Ok(Some(existing)) => {
                let value = jsonc::read(&shown, &existing.text)
                    .map(|value| expand(value, vars))
                    .map_err(|conflict| Box::new(conflict.diagnostic()));
                (Some(existing.text), value)
            }
            Err(error) => {
                let diagnostic = error.diagnostic().with_subject(shown.display().to_string());
                (None, Err(Box::new(diagnostic)))
            }
        };
        Some(Self {
            scope,
            path,
            text,
            value,
        })
    }

    /// Returns the value at a dotted path.
    pub fn get(&self, key: &str) -> Option<&Value> {
        value_at(self.value.as_ref().ok()?, key)
    }
}

/// Returns the value at a dotted path.
pub(super) fn value_at<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    let mut names = key.split('.');
    names.try_fold(value, |value, name| value.get(name))
}

/// Returns `value` with variables expanded in every string, as Gemini CLI does.
fn expand(value: Value, vars: &Vars) -> Value {
    match value {
        Value::String(text) => Value::String(expand_text(&text, vars)),
        Value::Array(items) => items.into_iter().map(|item| expand(item, vars)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, expand(value, vars)))
            .collect(),
        other => other,
    }
}

fn expand_text(text: &str, vars: &Vars) -> String {
    let mut parts = text.split('$');
    let mut expanded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let braced = part.strip_prefix('{').and_then(|part| part.split_once('}'));
        let (name, rest) = braced.unwrap_or_else(|| {
            let other = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
            part.split_at(part.find(other).unwrap_or(part.len()))
        });
        match vars.get(OsStr::new(name)).and_then(|value| value.to_str()) {
            Some(value) if !name.is_empty() => {
                expanded.push_str(value);
                expanded.push_str(rest);
            }
            // An unknown variable is left unchanged.
            _ => {
                expanded.push('$');
                expanded.push_str(part);
            }
        }
    }
    expanded
}

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
    /// Returns the trust in the folder of `paths`.
    pub fn of(paths: &Paths, settings: &Settings, vars: &Vars) -> Self {
        let var = |name: &str| vars.get(OsStr::new(name)).and_then(|value| value.to_str());
        if var("GEMINI_RESTRICTED_MODE") == Some("true") {
            return Self::Untrusted("GEMINI_RESTRICTED_MODE is true".into());
        }
        match var("GEMINI_CLI_TRUST_WORKSPACE") {
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

    /// Returns true if the settings of the folder are read.
    pub const fn is_trusted(&self) -> bool {
        matches!(self, Self::Trusted(_))
    }
}

/// Returns the decision of the matching rule with the longest path.
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
