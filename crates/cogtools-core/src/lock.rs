//! `cogtools.lock`: what each source declares, pinned by hashes.
//!
//! Each tool is one line of the file, so that a changed tool is a changed line in a
//! diff. In addition to the hash of the whole declaration, each pin has shortened
//! hashes of its parts: they prove nothing, but show where to look.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::file::ReadScope;
use crate::hint::{Command, Hint};
use crate::source::SourceError;
use crate::text::{self, TextError};
use crate::{Code, Diagnostic, Registry, Target, Tool, digest, load_all};

/// What the sources of a project declare.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    version: u32,
    /// Tools by source and name.
    sources: BTreeMap<String, BTreeMap<String, Pin>>,
}

/// A pinned declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pin {
    /// The SHA-256 of the declaration for Gemini CLI, as compact JSON with sorted keys.
    sha256: String,
    /// Shortened hashes by part: `description`, `/NAME` for a parameter, `parameters`
    /// for the rest of them.
    parts: BTreeMap<String, String>,
}

/// What the sources declare now, and what is unavailable.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// What they declare.
    pub lock: Lock,
    /// Sources that cannot be listed at all.
    pub unavailable: Vec<SourceError>,
    /// Errors in single tools, which are not declared.
    pub tool_errors: Vec<Diagnostic>,
}

/// The largest file that is read: 16 MiB.
const MAX_FILE_BYTES: usize = 16 << 20;
/// The length of a part's hash, in characters.
const PART_HASH_LEN: usize = 8;

impl Lock {
    /// The name of the file at a project's root.
    pub const FILE: &'static str = "cogtools.lock";
    /// The version of the file format; only one exists so far.
    const VERSION: u32 = 1;

    /// The pins in the file at `path`, known to the user as `display_path`.
    pub fn read(path: &Path, display_path: &Path) -> Result<Self, Box<Diagnostic>> {
        let regenerate = Hint::run("", Command::Lock, " regenerates it");
        let scope = ReadScope::project(path.parent().unwrap_or(Path::new("")));
        let bytes = text::bytes(path, display_path, MAX_FILE_BYTES, &scope).map_err(|error| {
            let hint = match error {
                TextError::Outside(..) => return Box::new(error.diagnostic(Code::InvalidConfig)),
                TextError::NotFound(_) => {
                    Hint::run("", Command::Lock, " writes it; commit it with the project")
                }
                _ => regenerate.clone(),
            };
            Box::new(Diagnostic::new(Code::InvalidConfig, error.to_string()).hint(hint))
        })?;
        let lock: Result<Self, _> = serde_json::from_slice(&bytes);
        let problem = match lock {
            Ok(lock) if lock.version == Self::VERSION => return Ok(lock),
            Ok(lock) => format!("unsupported version {}", lock.version),
            Err(error) => error.to_string(),
        };
        let message = format!(
            "`{}` is not a valid lock file: {problem}",
            display_path.display()
        );
        Err(Box::new(
            Diagnostic::new(Code::InvalidConfig, message).hint(regenerate),
        ))
    }

    /// The file's text: one tool a line, sorted.
    pub fn text(&self) -> String {
        let mut text = format!("{{\n  \"version\": {},\n  \"sources\": {{", Self::VERSION);
        let mut before = "";
        for (source, tools) in &self.sources {
            let _ = write!(text, "{before}\n    {}: {{", json!(source));
            let mut between = "";
            for (name, pin) in tools {
                let _ = write!(text, "{between}\n      {}: {}", json!(name), json!(pin));
                between = ",";
            }
            text.push_str("\n    }");
            before = ",";
        }
        text.push_str(if before.is_empty() {
            "}\n}\n"
        } else {
            "\n  }\n}\n"
        });
        text
    }

    /// How many sources and how many tools are pinned.
    pub fn counts(&self) -> (usize, usize) {
        let tools = self.sources.values().map(BTreeMap::len);
        (self.sources.len(), tools.sum())
    }

    /// Every difference between the pins and what is declared `now`.
    pub fn drift(&self, now: &Snapshot) -> Vec<Diagnostic> {
        let unavailable: Vec<String> = now.unavailable.iter().map(SourceError::source).collect();
        let mut diagnostics: Vec<Diagnostic> = now
            .unavailable
            .iter()
            .map(SourceError::diagnostic)
            .collect();
        let nothing = BTreeMap::new();
        for (source, pinned) in &self.sources {
            if unavailable.contains(source) {
                continue;
            }
            let declared = now.lock.sources.get(source);
            if declared.is_none() {
                let message =
                    "`cogtools.lock` pins this source, but it no longer declares anything";
                diagnostics.push(Diagnostic::new(Code::Locked, message).with_subject(source));
                continue;
            }
            changes(
                source,
                pinned,
                declared.unwrap_or(&nothing),
                &mut diagnostics,
            );
        }
        for (source, declared) in &now.lock.sources {
            if !self.sources.contains_key(source) {
                changes(source, &nothing, declared, &mut diagnostics);
            }
        }
        if let Some(last) = diagnostics.last_mut() {
            let before = "review what has changed; to accept it, run ";
            last.hints.push(Hint::run(before, Command::Lock, ""));
        }
        diagnostics
    }
}

/// The differences between the pins of `source` and what it declares.
fn changes(
    source: &str,
    pinned: &BTreeMap<String, Pin>,
    declared: &BTreeMap<String, Pin>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut add = |name: &String, message: String| {
        diagnostics.push(Diagnostic::new(Code::Locked, message).with_subject(name));
    };
    for (name, pin) in pinned {
        match declared.get(name) {
            Some(other) if other.sha256 == pin.sha256 => {}
            Some(other) => {
                let parts = pin.difference(other);
                add(
                    name,
                    format!(
                        "the declaration from `{source}` differs from the one pinned in `cogtools.lock`: {parts}"
                    ),
                );
            }
            None => add(
                name,
                format!("`cogtools.lock` pins it, but `{source}` no longer declares it"),
            ),
        }
    }
    for name in declared.keys().filter(|name| !pinned.contains_key(*name)) {
        add(
            name,
            format!("`{source}` declares it, but `cogtools.lock` does not pin it"),
        );
    }
}

impl Snapshot {
    /// What the sources of `registry` declare now, unfiltered. Folders below
    /// `display_path`, the project's root, are named relative to it.
    pub fn of(registry: &Registry, display_path: &Path) -> Self {
        let all = registry.list_unfiltered();
        let mut snapshot = Self::default();
        for error in all.errors {
            if error.is_partial() {
                snapshot.tool_errors.push(error.diagnostic());
            } else {
                snapshot.unavailable.push(error);
            }
        }
        snapshot.lock.version = Lock::VERSION;
        for loaded in load_all(&all.entries, |_, tool| tool) {
            match loaded {
                Ok(tool) => {
                    let source = from_root(&tool.provenance().source, display_path);
                    let tools = snapshot.lock.sources.entry(source).or_default();
                    let name = tool.name().to_string();
                    // If a source declares a name twice, the first one counts.
                    tools.entry(name).or_insert_with(|| Pin::of(&tool));
                }
                Err(error) => snapshot.tool_errors.extend(error.diagnostics()),
            }
        }
        snapshot
    }
}

/// The name of a source relative to the project's root.
fn from_root(source: &str, display_path: &Path) -> String {
    let relative = Path::new(source)
        .strip_prefix(display_path)
        .map_or_else(|_| source.to_owned(), |path| path.display().to_string());
    let name = if cfg!(windows) {
        relative.replace('\\', "/")
    } else {
        relative
    };
    if name.is_empty() {
        ".".to_owned()
    } else {
        name
    }
}

impl Pin {
    fn of(tool: &Tool) -> Self {
        let mut parts = BTreeMap::new();
        let mut add = |name: String, value: &Value| {
            let hash = digest::value(value).to_string();
            parts.insert(name, hash[..PART_HASH_LEN].to_owned());
        };
        add("description".to_owned(), &tool.description().into());
        let mut schema = match tool.schema().to_json_schema() {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        let required = schema.shift_remove("required").unwrap_or_default();
        if let Some(Value::Object(properties)) = schema.shift_remove("properties") {
            let required = required.as_array().cloned().unwrap_or_default();
            for (name, property) in properties {
                let needed = required.iter().any(|other| *other == name.as_str());
                add(format!("/{name}"), &json!([property, needed]));
            }
        }
        add("parameters".to_owned(), &Value::Object(schema));
        Self {
            sha256: digest::value(&Target::Gemini.declare(tool)).to_string(),
            parts,
        }
    }

    /// Describes the parts that differ.
    fn difference(&self, other: &Self) -> String {
        let mut names: Vec<&String> = self.parts.keys().chain(other.parts.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let changes: Vec<String> = names
            .into_iter()
            .filter_map(|name| {
                let label = match name.strip_prefix('/') {
                    Some(parameter) => format!("the parameter `{parameter}`"),
                    None if name == "parameters" => "the schema of the parameters".to_owned(),
                    None => format!("the {name}"),
                };
                match (self.parts.get(name), other.parts.get(name)) {
                    (Some(one), Some(other)) if one == other => None,
                    (Some(_), None) => Some(format!("{label} was removed")),
                    (None, Some(_)) => Some(format!("{label} was added")),
                    _ => Some(format!("{label} has changed")),
                }
            })
            .collect();
        if changes.is_empty() {
            "the order or the format of its parameters has changed".to_owned()
        } else {
            changes.join(", ")
        }
    }
}
