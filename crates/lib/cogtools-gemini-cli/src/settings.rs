//! The settings of all scopes, as Gemini CLI reads and merges them.

use std::ffi::OsStr;
use std::path::PathBuf;

use cogtools_core::Diagnostic;
use cogtools_edit::{Existing, jsonc};
use serde_json::Value;

use crate::paths::{Paths, Vars};

/// The scope of a settings file, in the order of merging: later scopes win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The system's defaults.
    Defaults,
    /// The user's.
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
    /// Its name in messages.
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

    /// The value at a dotted path such as `tools.callCommand`, and its file.
    pub fn get(&self, key: &str) -> Option<(&Value, &File)> {
        let mut files = self.files.iter().rev();
        files.find_map(|file| Some((file.get(key)?, file)))
    }

    /// The strings of every file's list at a dotted path, each with its file.
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

    /// The file of that scope, if it exists.
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

    /// The value at a dotted path.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let value = self.value.as_ref().ok()?;
        key.split('.')
            .try_fold(value, |value, part| value.get(part))
    }
}

/// `value` with variables expanded in every string, as Gemini CLI does.
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
