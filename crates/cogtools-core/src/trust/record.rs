//! The file that records the user's approvals.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Grant, Verdict};
use crate::file::{self, WriteError, WritePath};
use crate::text::{Text, TextError};
use crate::{Code, Diagnostic};

/// All approvals: hashes by source and tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The version of the file format; only one exists so far.
    version: u32,
    allowed: BTreeMap<String, BTreeMap<String, String>>,
}

/// Why the record cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It cannot be read.
    #[error(transparent)]
    Text(TextError),
    /// It is not a record of approvals.
    #[error("`{0}` is not a valid record of approvals: {1}")]
    Form(PathBuf, String),
    /// It cannot be written.
    #[error("cannot write `{0}`: {1}")]
    Io(PathBuf, WriteError),
    /// There is no home directory to store it in.
    #[error("no directory to record approvals in")]
    Nowhere,
}

impl Record {
    /// The version that is written.
    const VERSION: u32 = 1;

    pub(super) fn read(file: &Path) -> Result<Self, RecordError> {
        let text = match Text::read(file, file) {
            Ok(text) => text,
            Err(TextError::Absent(_)) => return Ok(Self::default()),
            Err(error) => return Err(RecordError::Text(error)),
        };
        let invalid = |message: String| RecordError::Form(file.to_path_buf(), message);
        let value: Value =
            serde_json::from_str(text.as_str()).map_err(|error| invalid(error.to_string()))?;
        match value.get("version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(Self::VERSION) => {}
            Some(version) if version > u64::from(Self::VERSION) => {
                let message = format!("written by a newer cogtools (format {version})");
                return Err(invalid(message));
            }
            _ => return Err(invalid("unknown version".to_owned())),
        }
        serde_json::from_value(value).map_err(|error| invalid(error.to_string()))
    }

    pub(super) fn write(&self, file: &Path) -> Result<(), RecordError> {
        let failed = |error| RecordError::Io(file.to_path_buf(), error);
        let record = Self {
            version: Self::VERSION,
            ..self.clone()
        };
        let text = serde_json::to_string_pretty(&record)
            .map_err(|error| failed(std::io::Error::from(error).into()))?;
        let content = format!("{text}\n");
        file::replace_private(&WritePath::in_folder(file), content.as_bytes()).map_err(failed)
    }

    /// Locks the record in `file` until the result is dropped.
    pub(super) fn lock(file: &Path) -> Result<fs::File, RecordError> {
        let lock_file = file.with_extension("lock");
        let failed = |error: std::io::Error| RecordError::Io(file.to_path_buf(), error.into());
        fs::create_dir_all(file.parent().unwrap_or(Path::new(""))).map_err(failed)?;
        let lock = fs::File::create(lock_file).map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(lock)
    }

    /// Whether `grant` may run.
    pub fn verdict(&self, grant: &Grant) -> Verdict {
        let approved = self.allowed.get(&grant.source);
        match approved.and_then(|tools| tools.get(&grant.tool)) {
            Some(hash) if *hash == grant.hash.to_string() => Verdict::Approved,
            Some(_) => Verdict::Changed,
            None => Verdict::NotApproved,
        }
    }

    /// Approves `grant` with its current content.
    pub fn approve(&mut self, grant: &Grant) {
        let tools = self.allowed.entry(grant.source.clone()).or_default();
        tools.insert(grant.tool.clone(), grant.hash.to_string());
    }

    /// Revokes the approval of `tool` of `source`, or of the whole source if `tool` is
    /// empty. Returns false if there was none.
    pub fn revoke(&mut self, source: &str, tool: &str) -> bool {
        if tool.is_empty() {
            return self.allowed.remove(source).is_some();
        }
        let Some(tools) = self.allowed.get_mut(source) else {
            return false;
        };
        let was_approved = tools.remove(tool).is_some();
        if tools.is_empty() {
            self.allowed.remove(source);
        }
        was_approved
    }

    /// Whether the package installed in `root` is approved with the content `hash`.
    pub fn approves_package(&self, root: &Path, hash: &str) -> bool {
        let root = root.display().to_string();
        let mut packages = self
            .allowed
            .iter()
            .filter(|(name, _)| name.starts_with("npm:"));
        packages.any(|(_, tools)| tools.get(&root).is_some_and(|approved| approved == hash))
    }

    /// Retains only the sources and tools for which `keep` returns true; returns how
    /// many entries were removed.
    pub fn retain(&mut self, keep: impl Fn(&str, &str) -> bool) -> usize {
        let mut dropped = 0;
        for (source, tools) in &mut self.allowed {
            let before = tools.len();
            tools.retain(|tool, _| keep(source, tool));
            dropped += before - tools.len();
        }
        self.allowed.retain(|_, tools| !tools.is_empty());
        dropped
    }
}

impl RecordError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Text(error) => error.diagnostic(Code::IoFailed),
            Self::Form(file, _) => {
                Diagnostic::new(Code::InvalidConfig, self.to_string()).hint(format!(
                    "remove `{}` and approve again what you need",
                    file.display()
                ))
            }
            Self::Io(..) => Diagnostic::new(Code::IoFailed, self.to_string())
                .hint("free some space, or make its folder writable"),
            Self::Nowhere => Diagnostic::new(Code::IoFailed, self.to_string())
                .hint("set HOME, or XDG_STATE_HOME"),
        }
    }
}
