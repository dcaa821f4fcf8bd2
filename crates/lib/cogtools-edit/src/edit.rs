//! One edit of one file: the values that it must contain, next to any others.
//!
//! Hosts read their settings from files that belong to their users. An edit lists
//! the required values; missing ones are added, and nothing is replaced.

use std::path::{Path, PathBuf};
use std::{fs, io};

use cogtools_core::file::{Expected, Mode, ReadScope, Temp, WriteError, write_temp};
use cogtools_core::text::{self, TextError};
use cogtools_core::{Code, Diagnostic, Location};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::jsonc::Dialect;
use crate::plan::{Change, Plan, Step};
use crate::{jsonc, toml, yaml};

/// Values that a file must contain.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    /// The file, relative to the project; absolute if it belongs to the user.
    pub file: PathBuf,
    /// The values; objects are merged key by key. For JSON only.
    pub wanted: Map<String, Value>,
    /// Top-level values that are added only if the key is missing. For JSON only.
    pub defaults: Map<String, Value>,
    /// One entry, added as a whole unless it exists.
    pub entry: Option<Entry>,
    /// The JSON that the file's host reads, if that is known. A file that it cannot read is left
    /// unchanged.
    pub dialect: Option<Dialect>,
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

    /// Reads `text` (of `file`, for messages) as a host does that accepts `dialect` of JSON.
    ///
    /// # Errors
    ///
    /// The reason why the host cannot read it.
    pub fn read(self, dialect: Dialect, file: &Path, text: &str) -> Result<Value, Box<Conflict>> {
        match self {
            Self::Jsonc => jsonc::read_as(dialect, file, text),
            Self::Toml => toml::read(file, text),
            Self::Yaml => yaml::read(file, text),
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
            wanted,
            ..Self::default()
        }
    }

    /// The edit that adds `entry` to `file`.
    pub fn add(file: PathBuf, entry: Entry) -> Self {
        Self {
            file,
            entry: Some(entry),
            ..Self::default()
        }
    }

    /// Plans this edit of its file in `project`.
    pub fn plan(&self, project: &Path) -> Result<Step, EditError> {
        let existing = Existing::open(project, &self.file)?;
        let before = existing.as_ref().map(|existing| existing.text.as_str());
        let format = Format::of(&self.file);
        let after = match format {
            Format::Jsonc => self.jsonc(before.unwrap_or("")),
            Format::Toml => self.append(before.unwrap_or(""), toml::entry, toml::add),
            Format::Yaml => self.append(before.unwrap_or(""), yaml::entry, yaml::add),
        };
        let after = after.map_err(EditError::Conflicts)?;
        if let (Format::Jsonc, Some(dialect)) = (format, self.dialect) {
            let read = |text| jsonc::read_as(dialect, &self.file, text).err();
            if let Some(conflict) = read(&after) {
                // Where it is in the file as it is now.
                let conflict = before.and_then(read).unwrap_or(conflict);
                return Err(EditError::Conflicts(vec![*conflict]));
            }
        }
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
            let is_missing = entry.is_missing(present);
            if is_missing.map_err(|conflict| vec![*conflict])? {
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

/// A conflict in a file that prevents a merge.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct Conflict {
    /// Its kind.
    pub kind: ConflictKind,
    /// Its location.
    pub location: Location,
}

/// The kind of a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConflictKind {
    /// It is not in the language that its host reads, such as YAML that all parsers read alike; the
    /// parser's message.
    #[error("not {0}: {1}")]
    Syntax(&'static str, String),
    /// It begins with a byte order mark, which its host cannot read.
    #[error("begins with a byte order mark")]
    ByteOrderMark,
    /// It is empty, where Gemini CLI needs an object.
    #[error("is empty, which is not JSON")]
    Empty,
    /// A value of another type is in the place of an object.
    #[error("must be an object, but is {found}")]
    NotAnObject {
        /// The JSON pointer; empty for the whole file.
        pointer: String,
        /// The type that was found.
        found: &'static str,
    },
    /// A map to which nothing can be added without changing something else.
    #[error("is written so that no entry can be added")]
    Entangled {
        /// The map, as a JSON pointer.
        pointer: String,
    },
    /// A map whose syntax allows no additions.
    #[error("is written inline, so no entry can be added")]
    Inline {
        /// The map, as a JSON pointer.
        pointer: String,
    },
    /// Another entry has our name.
    ///
    /// Its content is not shown: servers can have secrets in their arguments.
    #[error("another entry already has this name")]
    NameTaken {
        /// The entry, as a JSON pointer.
        pointer: String,
        /// A second hint.
        hint: String,
    },
    /// An object contains the same key twice.
    #[error("duplicate key, first set on line {first}")]
    Duplicate {
        /// The key, as a JSON pointer.
        pointer: String,
        /// The line of the first one.
        first: usize,
    },
    /// The key has another value than ours.
    #[error("is already set to {present}, but cogtools needs {wanted}")]
    DifferentValue {
        /// The key, as a JSON pointer.
        pointer: String,
        /// Its value as written, truncated.
        present: String,
        /// Our value, as JSON.
        wanted: String,
    },
}

impl Conflict {
    /// The conflict as a diagnostic with hints.
    ///
    /// Without the line: an entry of another server may be on it, with secrets.
    pub fn diagnostic(self) -> Diagnostic {
        let location = Location {
            text: None,
            ..self.location
        };
        let diagnostic = Diagnostic::new(Code::InvalidConfig, self.kind.to_string());
        let diagnostic = match self.kind {
            ConflictKind::Syntax(..) | ConflictKind::ByteOrderMark | ConflictKind::Empty => {
                diagnostic.hint("fix the file by hand, then run this again")
            }
            ConflictKind::NotAnObject { pointer, .. } => diagnostic
                .with_pointer(pointer)
                .hint("make it an object or remove it, then run this again"),
            ConflictKind::Entangled { pointer } => diagnostic
                .with_pointer(pointer)
                .hint("write each of its entries on lines of its own, then run this again"),
            ConflictKind::Inline { pointer } => {
                let header = format!("[{}.NAME]", pointer.trim_start_matches('/'));
                diagnostic.with_pointer(pointer).hint(format!(
                    "write each of its entries as a table with its own header, {header}, then run this \
                     again"
                ))
            }
            ConflictKind::NameTaken { pointer, hint, .. } => diagnostic
                .with_pointer(pointer)
                .hint("remove or rename it, then run this again")
                .hint(hint),
            ConflictKind::Duplicate { pointer, .. } => diagnostic
                .with_pointer(pointer)
                .hint("remove one of the two, then run this again"),
            ConflictKind::DifferentValue {
                pointer, wanted, ..
            } => diagnostic.with_pointer(pointer).hint(format!(
                "to let cogtools take over, set it to {wanted} or remove it, then run this again"
            )),
        };
        diagnostic.at(location)
    }
}

/// An existing text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Existing {
    /// The path to display, relative to the project.
    pub file: PathBuf,
    /// The canonical path.
    pub target: PathBuf,
    /// Its text, including any byte order mark.
    pub text: String,
}

/// Why an existing file cannot be edited.
#[derive(Debug, Error)]
pub enum ExistingError {
    /// It cannot be read.
    #[error("cannot be read: {error}")]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// It is a dangling symbolic link.
    #[error("is a symbolic link to a file that does not exist")]
    Dangling(PathBuf),
    /// A link to it leaves the project.
    #[error(transparent)]
    Outside(TextError),
    /// It is a directory, a pipe, a device.
    #[error("is not a file")]
    NotAFile(PathBuf),
    /// It is too large for a configuration file.
    #[error("is larger than {} MiB", Existing::MAX_BYTES >> 20)]
    TooLarge(PathBuf),
    /// It is not UTF-8.
    #[error("is not UTF-8")]
    NotText(Location),
    /// It is read-only.
    #[error("cannot be written: it is read-only")]
    ReadOnly(PathBuf),
}

impl Existing {
    /// The maximum size in bytes: 16 MiB.
    pub const MAX_BYTES: usize = 16 << 20;

    /// Opens `file`; `None` if it does not exist. A relative `file` is in `project`, and
    /// no link to it may leave that; an absolute one belongs to the user.
    pub fn open(project: &Path, file: &Path) -> Result<Option<Self>, ExistingError> {
        let path = project.join(file);
        let scope = if file.is_absolute() {
            ReadScope::User
        } else {
            ReadScope::project(project)
        };
        let unreadable = |error| ExistingError::Unreadable {
            file: file.to_path_buf(),
            error,
        };
        let bytes = match text::bytes(&path, file, Self::MAX_BYTES, &scope) {
            Ok(bytes) => bytes,
            Err(TextError::NotFound(_)) => return Ok(None),
            // The writer names a folder on the path that is a dangling link.
            Err(TextError::Dangling(_)) if !path.is_symlink() => return Ok(None),
            Err(TextError::Dangling(file)) => return Err(ExistingError::Dangling(file)),
            Err(TextError::NotAFile(file)) => return Err(ExistingError::NotAFile(file)),
            Err(TextError::TooLarge(file, _)) => return Err(ExistingError::TooLarge(file)),
            Err(TextError::Io(_, error)) => return Err(unreadable(error)),
            Err(error) => return Err(ExistingError::Outside(error)),
        };
        let target = fs::canonicalize(&path).map_err(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|error| not_text(file, &error))?;
        Ok(Some(Self {
            file: file.to_path_buf(),
            target,
            text,
        }))
    }

    /// Checks that it may be replaced. A rename could replace a read-only file, but
    /// its owner intended it not to change.
    pub fn writable(&self) -> Result<(), ExistingError> {
        let metadata = fs::metadata(&self.target).map_err(|error| ExistingError::Unreadable {
            file: self.file.clone(),
            error,
        })?;
        if metadata.permissions().readonly() {
            return Err(ExistingError::ReadOnly(self.file.clone()));
        }
        Ok(())
    }
}

impl ExistingError {
    /// The error as a diagnostic with hints.
    pub fn diagnostic(self) -> Diagnostic {
        let message = self.to_string();
        let diagnostic = |code, file: &Path| {
            Diagnostic::new(code, message.clone()).with_subject(file.display().to_string())
        };
        match self {
            Self::Unreadable { file, .. } => diagnostic(Code::IoFailed, &file)
                .hint("make it readable, or move it away, then run this again"),
            Self::Dangling(file) => diagnostic(Code::IoFailed, &file)
                .hint("create the file it points to, or remove the link, then run this again"),
            Self::NotAFile(file) | Self::TooLarge(file) => {
                diagnostic(Code::InvalidConfig, &file).hint("move it away, then run this again")
            }
            Self::Outside(error) => error.diagnostic(Code::InvalidConfig),
            Self::NotText(location) => Diagnostic::new(Code::InvalidConfig, message)
                .hint("save it as UTF-8, then run this again")
                .at(location),
            Self::ReadOnly(file) => {
                diagnostic(Code::IoFailed, &file).hint("make it writable, then run this again")
            }
        }
    }
}

fn not_text(file: &Path, error: &std::string::FromUtf8Error) -> ExistingError {
    let bytes = error.as_bytes();
    let valid = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(bytes);
    ExistingError::NotText(Location {
        text: None,
        ..Location::of(file, &text, valid..valid)
    })
}

/// The reason why a plan was not applied completely.
#[derive(Debug, Error)]
#[error("{}", match error {
    WriteError::Changed => "was changed by another program in the meantime".to_owned(),
    error => format!("cannot be written: {error}"),
})]
pub struct ApplyError {
    /// The file that was not written.
    pub file: PathBuf,
    /// The reason.
    pub error: WriteError,
    /// The files that had been written by then.
    pub written: Vec<PathBuf>,
}

impl Plan {
    /// Writes every change. No file is replaced before all new content is on disk.
    ///
    /// # Errors
    ///
    /// The first file that cannot be written.
    pub fn apply(&self) -> Result<(), ApplyError> {
        let mut written = Vec::new();
        let failed = |change: &Change, error, written| ApplyError {
            file: change.file.clone(),
            error,
            written,
        };
        let mut temps = Temps::default();
        for change in self.changes() {
            let temp = stage(change).map_err(|error| failed(change, error, Vec::new()))?;
            temps.0.push((change, temp));
        }
        for (change, temp) in &mut temps.0 {
            if let Err(error) = temp.commit() {
                return Err(failed(change, error, written));
            }
            written.push(change.file.clone());
        }
        Ok(())
    }
}

impl ApplyError {
    /// The error as a diagnostic with hints.
    pub fn diagnostic(self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::IoFailed, self.to_string())
            .with_subject(self.file.display().to_string());
        let diagnostic = diagnostic.hint(match &self.error {
            WriteError::Changed => "run this again to take its new content into account".into(),
            error => error.hint("free disk space or grant permission, then run this again"),
        });
        if self.written.is_empty() {
            return diagnostic.hint("no file was written");
        }
        let written = self.written.iter();
        let written: Vec<_> = written
            .map(|file| format!("`{}`", file.display()))
            .collect();
        diagnostic.hint(format!("already written: {}", written.join(", ")))
    }
}

/// The temporary files, in the order of the plan.
#[derive(Default)]
struct Temps<'p>(Vec<(&'p Change, Temp<'p>)>);

impl Drop for Temps<'_> {
    /// Removes the last one first: its folder may have been created for an earlier one.
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

fn stage(change: &Change) -> Result<Temp<'_>, WriteError> {
    let before = change.before.as_deref().map(str::as_bytes);
    let expected = before.map_or(Expected::Absent, Expected::Bytes);
    let mode = if change.executable {
        Mode::Program
    } else {
        Mode::Data
    };
    write_temp(&change.target, expected, change.after.as_bytes(), mode)
}
