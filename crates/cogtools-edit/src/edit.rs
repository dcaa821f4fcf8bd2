//! One edit of one file: the values it must have, whoever else keeps values there.
//!
//! Hosts keep their settings in files that belong to their users. An edit says
//! what a host needs to find; what is missing is added, nothing is replaced.

use std::path::{Path, PathBuf};

use cogtools_core::{Diagnostic, Location};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::existing::{Existing, ExistingError};
use crate::plan::{Change, Step};
use crate::refusal::{Reason, Refusal};
use crate::{jsonc, toml};

/// Values that a file must have.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The file, relative to the project; absolute if it is the user's.
    pub file: PathBuf,
    /// What its bytes mean.
    pub format: Format,
    /// The values; objects are merged key by key. For JSON only.
    pub wanted: Map<String, Value>,
    /// Values at the top that stay as they are if they are there. For JSON only.
    pub defaults: Map<String, Value>,
    /// One entry that is added whole, or is there already.
    pub entry: Option<Entry>,
}

/// A named entry of a map in a file, such as a server among servers.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key of the map, at the top.
    pub table: &'static str,
    /// The entry's name.
    pub name: String,
    /// What it says.
    pub value: Map<String, Value>,
    /// Whether what is there under that name does the same; it then stays as it is.
    pub serves: fn(present: &Value, wanted: &Map<String, Value>) -> bool,
    /// What else helps where another entry has the name.
    pub hint: String,
}

/// A format that values can be merged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON with comments and trailing commas.
    Jsonc,
    /// TOML.
    Toml,
}

/// Why an edit cannot be made. The file is left alone.
#[derive(Debug, Error)]
pub enum EditError {
    /// The file cannot be read, or not be replaced.
    #[error(transparent)]
    Existing(#[from] ExistingError),
    /// What the file says stands in the way.
    #[error("{} obstacles in the file", .0.len())]
    Refused(Vec<Refusal>),
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
    pub fn add(file: PathBuf, format: Format, entry: Entry) -> Self {
        Self {
            file,
            format,
            wanted: Map::new(),
            defaults: Map::new(),
            entry: Some(entry),
        }
    }

    /// What this edit does to its file in `project`.
    pub fn plan(&self, project: &Path) -> Result<Step, EditError> {
        let existing = Existing::open(project, &self.file)?;
        let before = existing.as_ref().map(|existing| existing.text.as_str());
        let after = match self.format {
            Format::Jsonc => self.jsonc(before.unwrap_or("")),
            Format::Toml => self.toml(before.unwrap_or("")),
        };
        let after = after.map_err(EditError::Refused)?;
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

    fn jsonc(&self, text: &str) -> Result<String, Vec<Refusal>> {
        let mut wanted = Map::new();
        for (key, value) in &self.defaults {
            if jsonc::entry(&self.file, text, &[key])?.is_none() {
                wanted.insert(key.clone(), value.clone());
            }
        }
        wanted.extend(self.wanted.clone());
        if let Some(entry) = &self.entry {
            let present = jsonc::entry(&self.file, text, &[entry.table, &entry.name])?;
            if entry.missing(present).map_err(|refusal| vec![*refusal])? {
                let named = json!({ entry.name.as_str(): entry.value });
                wanted.insert(entry.table.to_owned(), named);
            }
        }
        jsonc::merge(&self.file, text, &wanted)
    }

    fn toml(&self, text: &str) -> Result<String, Vec<Refusal>> {
        let Some(entry) = &self.entry else {
            return Ok(text.to_owned());
        };
        let (file, table, name) = (&self.file, entry.table, &entry.name);
        let added = toml::entry(file, text, table, name)
            .and_then(|present| entry.missing(present))
            .and_then(|missing| {
                if missing {
                    toml::add(file, text, table, name, &entry.value)
                } else {
                    Ok(text.to_owned())
                }
            });
        added.map_err(|refusal| vec![*refusal])
    }
}

impl Entry {
    /// Whether it has to be added.
    fn missing(&self, present: Option<(Value, Location)>) -> Result<bool, Box<Refusal>> {
        let Some((present, place)) = present else {
            return Ok(true);
        };
        if (self.serves)(&present, &self.value) {
            return Ok(false);
        }
        let reason = Reason::Other {
            pointer: format!("/{}/{}", self.table, self.name),
            hint: self.hint.clone(),
        };
        Err(Box::new(Refusal { reason, place }))
    }
}

impl EditError {
    /// The same as faults.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::Existing(error) => vec![error.diagnostic()],
            Self::Refused(refusals) => refusals.into_iter().map(Refusal::diagnostic).collect(),
        }
    }
}
