//! One edit of one file: the values that it must contain, next to any others.
//!
//! Hosts read their settings from files that belong to their users. An edit lists
//! the required values; missing ones are added, and nothing is replaced.

use std::path::{Path, PathBuf};

use cogtools_core::{Diagnostic, Location};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::conflict::{Conflict, ConflictKind};
use crate::existing::{Existing, ExistingError};
use crate::plan::{Change, Step};
use crate::{jsonc, toml, yaml};

/// Values that a file must contain.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The file, relative to the project; absolute if it belongs to the user.
    pub file: PathBuf,
    /// The file's format.
    pub format: Format,
    /// The values; objects are merged key by key. For JSON only.
    pub wanted: Map<String, Value>,
    /// Top-level values that are added only if the key is missing. For JSON only.
    pub defaults: Map<String, Value>,
    /// One entry, added as a whole unless it exists.
    pub entry: Option<Entry>,
}

/// A named entry of a map in a file, such as a server among servers.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The top-level key of the map.
    pub table: &'static str,
    /// The entry's name.
    pub name: String,
    /// Its content.
    pub value: Map<String, Value>,
    /// True if an existing entry of that name is equivalent and can be left unchanged.
    pub is_equivalent: fn(present: &Value, wanted: &Map<String, Value>) -> bool,
    /// A second hint if another entry has the name.
    pub hint: String,
}

/// A format that values can be merged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON with comments and trailing commas.
    Jsonc,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

impl Format {
    /// The format of `file`, by its extension.
    pub fn of(file: &Path) -> Self {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::Jsonc,
        }
    }
}

/// Why an edit cannot be made. The file is left unchanged.
#[derive(Debug, Error)]
pub enum EditError {
    /// The file cannot be read or replaced.
    #[error(transparent)]
    Existing(#[from] ExistingError),
    /// The content of the file conflicts with the edit.
    #[error("{} conflicts in the file", .0.len())]
    Conflicts(Vec<Conflict>),
}

impl Edit {
    /// The edit that merges `wanted` into `file`.
    pub fn merge(file: PathBuf, wanted: Map<String, Value>) -> Self {
        Self {
            file,
            format: Format::Jsonc,
            wanted,
            defaults: Map::new(),
            entry: None,
        }
    }

    /// The edit that adds `entry` to `file`.
    pub fn add(file: PathBuf, entry: Entry) -> Self {
        Self {
            format: Format::of(&file),
            file,
            wanted: Map::new(),
            defaults: Map::new(),
            entry: Some(entry),
        }
    }

    /// Plans this edit of its file in `project`.
    pub fn plan(&self, project: &Path) -> Result<Step, EditError> {
        let existing = Existing::open(project, &self.file)?;
        let before = existing.as_ref().map(|existing| existing.text.as_str());
        let after = match self.format {
            Format::Jsonc => self.jsonc(before.unwrap_or("")),
            Format::Toml => self.append(before.unwrap_or(""), toml::entry, toml::add),
            Format::Yaml => self.append(before.unwrap_or(""), yaml::entry, yaml::add),
        };
        let after = after.map_err(EditError::Conflicts)?;
        if before == Some(after.as_str()) {
            return Ok(Step::Keep(self.file.clone()));
        }
        if let Some(existing) = &existing {
            existing.writable()?;
        }
        let before = existing.map(|existing| existing.text);
        let change = Change::new(project, self.file.clone(), before, after);
        Ok(Step::Write(change))
    }

    fn jsonc(&self, text: &str) -> Result<String, Vec<Conflict>> {
        let mut wanted = Map::new();
        for (key, value) in &self.defaults {
            if jsonc::entry(&self.file, text, &[key])?.is_none() {
                wanted.insert(key.clone(), value.clone());
            }
        }
        wanted.extend(self.wanted.clone());
        if let Some(entry) = &self.entry {
            let present = jsonc::entry(&self.file, text, &[entry.table, &entry.name])?;
            if entry
                .is_missing(present)
                .map_err(|conflict| vec![*conflict])?
            {
                let named = json!({ entry.name.as_str(): entry.value });
                wanted.insert(entry.table.to_owned(), named);
            }
        }
        jsonc::merge(&self.file, text, &wanted)
    }

    /// `text` with the entry, which `find` looks for and `add` adds.
    fn append(&self, text: &str, find: Find, add: Add) -> Result<String, Vec<Conflict>> {
        let Some(entry) = &self.entry else {
            return Ok(text.to_owned());
        };
        let (file, table, name) = (&self.file, entry.table, &entry.name);
        let added = find(file, text, table, name)
            .and_then(|present| entry.is_missing(present))
            .and_then(|missing| {
                if missing {
                    add(file, text, table, name, &entry.value)
                } else {
                    Ok(text.to_owned())
                }
            });
        added.map_err(|conflict| vec![*conflict])
    }
}

/// Looks an entry up, by file, text, table and name.
type Find = fn(&Path, &str, &str, &str) -> Result<Option<(Value, Location)>, Box<Conflict>>;
/// Adds one with these members.
type Add = fn(&Path, &str, &str, &str, &Map<String, Value>) -> Result<String, Box<Conflict>>;

impl Entry {
    /// Returns true if the entry has to be added.
    fn is_missing(&self, present: Option<(Value, Location)>) -> Result<bool, Box<Conflict>> {
        let Some((present, location)) = present else {
            return Ok(true);
        };
        if (self.is_equivalent)(&present, &self.value) {
            return Ok(false);
        }
        let kind = ConflictKind::NameTaken {
            pointer: format!("/{}/{}", self.table, self.name),
            hint: self.hint.clone(),
        };
        Err(Box::new(Conflict { kind, location }))
    }
}

impl EditError {
    /// The error as diagnostics.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::Existing(error) => vec![error.diagnostic()],
            Self::Conflicts(conflicts) => conflicts.into_iter().map(Conflict::diagnostic).collect(),
        }
    }
}
