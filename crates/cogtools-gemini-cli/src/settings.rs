//! The settings of all scopes, as Gemini CLI reads and merges them.

use std::ffi::OsStr;
use std::path::PathBuf;

use cogtools_core::Diagnostic;
use cogtools_edit::{Existing, jsonc};
use serde_json::Value;

use crate::place::{Places, Vars};

/// Whose settings a file holds, in the order in which they are merged: later wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The system's defaults.
    Defaults,
    /// The user's.
    User,
    /// The project's, read in a trusted folder only.
    Project,
    /// The system's, which have the last word.
    System,
}

/// A settings file that is there.
#[derive(Debug)]
pub struct File {
    /// Whose it is.
    pub scope: Scope,
    /// Where it is.
    pub path: PathBuf,
    /// Its text as it stands, if it is text at all.
    pub text: Option<String>,
    /// What it says, or what keeps Gemini CLI from reading it.
    pub value: Result<Value, Box<Diagnostic>>,
}

/// Every settings file there is.
#[derive(Debug, Default)]
pub struct Settings {
    /// The files, in the order in which they are merged.
    pub files: Vec<File>,
}

impl Scope {
    /// The word for it in messages.
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
    /// Reads the files in `places`; `vars` are put in for `$NAME` and `${NAME}`.
    pub fn read(places: &Places, vars: &Vars) -> Self {
        let home = places.home.as_ref();
        let user = home.map(|home| home.join(Places::settings()));
        // In the user's own folder there is one file, and it is the user's.
        let project = (home != Some(&places.root)).then(|| places.root.join(Places::settings()));
        let scopes = [
            (Scope::Defaults, Some(places.defaults.clone())),
            (Scope::User, user),
            (Scope::Project, project),
            (Scope::System, Some(places.system.clone())),
        ];
        let files = scopes
            .into_iter()
            .filter_map(|(scope, path)| File::read(scope, path?, places, vars));
        Self {
            files: files.collect(),
        }
    }

    /// The value at a dotted path such as `tools.callCommand`, and where it is from.
    pub fn get(&self, key: &str) -> Option<(&Value, &File)> {
        let mut files = self.files.iter().rev();
        files.find_map(|file| Some((file.get(key)?, file)))
    }

    /// The words of every file's list at a dotted path, with the file.
    pub fn list<'s>(&'s self, key: &'s str) -> impl Iterator<Item = (&'s str, &'s File)> {
        self.files.iter().flat_map(move |file| {
            let words = file.get(key).and_then(Value::as_array);
            let words = words.into_iter().flatten().filter_map(Value::as_str);
            words.map(move |word| (word, file))
        })
    }

    /// The file of that scope, if it is there.
    pub fn file(&self, scope: Scope) -> Option<&File> {
        self.files.iter().find(|file| file.scope == scope)
    }
}

impl File {
    fn read(scope: Scope, path: PathBuf, places: &Places, vars: &Vars) -> Option<Self> {
        let shown = PathBuf::from(places.shown(&path));
        let (folder, name) = (path.parent()?, path.file_name()?);
        let (text, value) = match Existing::open(folder, name.as_ref()) {
            Ok(None) => return None,
            Ok(Some(existing)) => {
                let value = jsonc::read(&shown, &existing.text)
                    .map(|value| expand(value, vars))
                    .map_err(|refusal| Box::new(refusal.diagnostic()));
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

/// `value` with variables put in, as Gemini CLI does it in every string.
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
            // An unknown name stays as it stands.
            _ => {
                expanded.push('$');
                expanded.push_str(part);
            }
        }
    }
    expanded
}
