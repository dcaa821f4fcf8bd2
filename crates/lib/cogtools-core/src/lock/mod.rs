//! `cogtools.lock`: what each source declares, pinned by hashes.
//!
//! Each tool is one line of the file, so that a changed tool is a changed line in a
//! diff. In addition to the hashes of the whole declaration and of what runs, each pin
//! has shortened hashes of their parts: they prove nothing, but show where to look.

mod pin;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};

use pin::Pin;
pub(crate) use pin::Pinner;

use crate::file::ReadScope;
use crate::hint::{Command, Hint};
use crate::source::SourceError;
use crate::text::{self, TextError};
use crate::{Code, Diagnostic, Tool};

/// Declarations of the sources of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    version: u32,
    /// Tools by source and name.
    sources: BTreeMap<String, BTreeMap<String, Pin>>,
}

/// Current declarations of the sources, and what is unavailable.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// The declarations.
    pub lock: Lock,
    /// Sources that cannot be listed at all.
    pub unavailable: Vec<SourceError>,
    /// Errors in single tools, which are not declared.
    pub tool_errors: Vec<Diagnostic>,
}

/// The largest file that is read: 16 MiB.
const MAX_FILE_BYTES: usize = 16 << 20;

impl Lock {
    /// The name of the file at a project's root.
    pub const FILE: &'static str = "cogtools.lock";
    /// The version of the file format. The first one pinned declarations only.
    const VERSION: u32 = 2;

    /// The pins in the file at `path`, known to the user as `display_path`.
    pub fn read(path: &Path, display_path: &Path) -> Result<Self, Box<Diagnostic>> {
        let scope = ReadScope::project(path.parent().unwrap_or(Path::new("")));
        let bytes = text::bytes(path, display_path, MAX_FILE_BYTES, &scope).map_err(|error| {
            let hint = match error {
                TextError::Outside(..) => return Box::new(error.diagnostic(Code::InvalidConfig)),
                TextError::NotFound(_) => {
                    Hint::run("", Command::Lock, " writes it; commit it with the project")
                }
                _ => regenerate(),
            };
            Box::new(Diagnostic::new(Code::InvalidConfig, error.to_string()).hint(hint))
        })?;
        Self::parse(&bytes, display_path)
    }

    /// Parses `bytes`, the content of the file that the user knows as `display_path`.
    pub fn parse(bytes: &[u8], display_path: &Path) -> Result<Self, Box<Diagnostic>> {
        let shown = display_path.display();
        let value: Result<Value, _> = serde_json::from_slice(bytes);
        let version = value.as_ref().ok().and_then(|value| value.get("version"));
        let message = match version.and_then(Value::as_u64) {
            Some(1) => format!(
                "`{shown}` was written by an earlier cogtools, which did not pin what the tools run"
            ),
            Some(version) if version != u64::from(Self::VERSION) => {
                format!("`{shown}` is not a valid lock file: unsupported version {version}")
            }
            _ => match serde_json::from_slice(bytes) {
                Ok(lock) => return Ok(lock),
                Err(error) => format!("`{shown}` is not a valid lock file: {error}"),
            },
        };
        Err(Box::new(
            Diagnostic::new(Code::InvalidConfig, message).hint(regenerate()),
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

    /// An empty lock of the current version.
    pub(crate) fn empty() -> Self {
        Self {
            version: Self::VERSION,
            sources: BTreeMap::new(),
        }
    }

    /// Pins `tool`. If a source declares a name twice, the first one counts.
    pub(crate) fn add(&mut self, tool: &Tool, pinner: &mut Pinner) {
        let source = pinner.source(tool);
        let tools = self.sources.entry(source).or_default();
        tools
            .entry(tool.name().to_string())
            .or_insert_with(|| pinner.pin(tool));
    }

    /// Counts the pinned sources and tools.
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

fn regenerate() -> Hint {
    Hint::run("", Command::Lock, " regenerates it")
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
            Some(other) if pin.matches(other) => {}
            Some(other) => {
                let parts = pin.difference(other);
                let message = format!(
                    "the tool from `{source}` differs from the one pinned in `cogtools.lock`: {parts}"
                );
                add(name, message);
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

/// The tools that `cogtools.lock` pins, which alone may be declared and called.
#[derive(Debug)]
pub struct LockedTools {
    lock: Lock,
    pinner: Mutex<Pinner>,
}

impl LockedTools {
    /// Pins of `lock`, of the project at `root`, known to the user as `display_path`.
    pub fn new(lock: Lock, root: &Path, display_path: &Path) -> Self {
        let pinner = Mutex::new(Pinner::new(root, display_path));
        Self { lock, pinner }
    }

    /// Fails unless `tool` is as pinned.
    pub fn check(&self, tool: &Tool) -> Result<(), Box<Diagnostic>> {
        let mut pinner = self.pinner.lock().unwrap_or_else(PoisonError::into_inner);
        let source = pinner.source(tool);
        let name = tool.name().as_str();
        let pinned = self.lock.sources.get(&source);
        let message = match pinned.and_then(|tools| tools.get(name)) {
            Some(pin) => {
                let now = pinner.pin(tool);
                if pin.matches(&now) {
                    return Ok(());
                }
                let parts = pin.difference(&now);
                format!("it differs from the tool pinned in `cogtools.lock`: {parts}")
            }
            None if source.is_empty() => {
                "it is in no source, and `cogtools.lock` does not pin it".to_owned()
            }
            None => format!("`{source}` declares it, but `cogtools.lock` does not pin it"),
        };
        let before = "review what has changed; to accept it, run ";
        Err(Box::new(
            Diagnostic::new(Code::Denied, message)
                .with_subject(name)
                .hint(Hint::run(before, Command::Lock, "")),
        ))
    }
}
