//! Recorded trials beside the cases: a line each, long results in files named by their hash.

use std::collections::BTreeMap;
use std::path::Path;

use cogtools_core::file::{self, ReadScope, WritePath};
use cogtools_core::text::{self, Text, TextError};
use cogtools_core::{Code, Diagnostic, digest};
use cogtools_program::Failure;
use serde_json::{Value, json};

use crate::case::Case;
use crate::run::digests;
use crate::tools::Declared;
use crate::trial::Record;

const FILE: &str = "tapes.jsonl";
const BLOBS: &str = "blobs";
/// The most bytes of a file that is read.
const MAX_BYTES: usize = 256 << 20;
/// A result of more bytes is a file of its own.
const MAX_LINE: usize = 4 << 10;
/// The key of what stands for such a result.
const BLOB: &str = "blob";

/// The recordings of one file of cases, by case, model and number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tapes(BTreeMap<(String, String, u64), Record>);

impl Tapes {
    /// Reads the recordings in `folder`; none if there are none.
    ///
    /// # Errors
    /// `INVALID_RECORDING` for a line that is no recording, `IO_FAILED`.
    pub(crate) fn read(folder: &Path, scope: &ReadScope) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        let failed = |error: TextError| Failure::from(error.diagnostic(Code::InvalidRecording));
        let text = match text::bytes(&path, &path, MAX_BYTES, scope) {
            Ok(bytes) => Text::new(&path, bytes).map_err(failed)?,
            Err(TextError::NotFound(_)) => return Ok(Self::default()),
            Err(error) => return Err(failed(error)),
        };
        let mut tapes = Self::default();
        let lines = text.as_str().lines().enumerate();
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |error: String| {
                let message = format!("line {} is not a recording: {error}", index + 1);
                let diagnostic = Diagnostic::new(Code::InvalidRecording, message);
                let diagnostic = diagnostic.with_subject(path.display().to_string());
                Failure::from(diagnostic.hint(
                    "restore the file from a copy, or remove it and record with cogtools eval --record",
                ))
            };
            let mut record: Record =
                serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            for call in &mut record.results {
                let Some(name) = call.content.get(BLOB).and_then(Value::as_str) else {
                    continue;
                };
                let file = folder.join(BLOBS).join(name);
                let bytes =
                    digest::is_hash(name).then(|| text::bytes(&file, &file, MAX_BYTES, scope).ok());
                let bytes = bytes.flatten();
                let bytes = bytes.filter(|bytes| digest::bytes(bytes).to_string() == name);
                let value = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
                call.content = value.ok_or_else(|| wrong(format!("its blob {name} is damaged")))?;
            }
            tapes.add(record);
        }
        Ok(tapes)
    }

    /// Adds a recording, in place of an older one.
    pub(crate) fn add(&mut self, record: Record) {
        let key = (record.case.clone(), record.model.clone(), record.trial);
        self.0.insert(key, record);
    }

    pub(crate) fn get(&self, case: &str, model: &str, trial: u64) -> Option<&Record> {
        self.0.get(&(case.to_owned(), model.to_owned(), trial))
    }

    /// The models that were recorded.
    pub(crate) fn models(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|(_, model, _)| model.as_str())
    }

    /// Writes the recordings of `folder`, and removes the recordings of cases that are gone.
    ///
    /// # Errors
    /// `IO_FAILED` with the file.
    pub(crate) fn write(
        &self,
        root: &Path,
        folder: &Path,
        cases: Option<&[&str]>,
    ) -> Result<(), Failure> {
        let write = |path: &Path, bytes: &[u8]| {
            file::write(&WritePath::in_project(root, path), bytes).map_err(|error| {
                let message = format!("`{}` cannot be written: {error}", path.display());
                Failure::from(Diagnostic::new(Code::IoFailed, message))
            })
        };
        let all = folder.join(BLOBS);
        if all.is_symlink() {
            let message = format!("`{}` is a link: its files may be of others", all.display());
            let hint = "remove the link, and record again";
            return Err(Diagnostic::new(Code::IoFailed, message).hint(hint).into());
        }
        let mut lines = Vec::new();
        let mut blobs = Vec::new();
        let is_kept = |case: &str| cases.is_none_or(|cases| cases.contains(&case));
        for record in self.0.values().filter(|it| is_kept(&it.case)) {
            let mut record = Record {
                session: None,
                ..record.clone()
            };
            for call in &mut record.results {
                let bytes = call.content.to_string().into_bytes();
                if bytes.len() > MAX_LINE {
                    let name = digest::bytes(&bytes).to_string();
                    write(&all.join(&name), &bytes)?;
                    call.content = json!({ BLOB: name });
                    blobs.push(name);
                }
            }
            lines.extend(serde_json::to_vec(&record).unwrap_or_default());
            lines.push(b'\n');
        }
        // What it no longer names goes after it.
        write(&folder.join(FILE), &lines)?;
        for entry in std::fs::read_dir(&all).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_str().filter(|name| digest::is_hash(name));
            if name.is_some_and(|name| !blobs.iter().any(|blob| blob == name)) {
                // What is left is only larger than it need be.
                let _ = file::remove(&WritePath::in_project(root, &entry.path()));
            }
        }
        Ok(())
    }
}

/// Says what has changed since `record` was made; none if it still counts.
pub(crate) fn staleness(
    record: &Record,
    case: &Case,
    tools: &[Declared],
    settings: &str,
) -> Option<String> {
    let calls = record.digests.tools.keys().map(String::as_str);
    let now = digests(case, tools, settings, calls);
    let then = &record.digests;
    let differs = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
        let changed = one
            .iter()
            .find(|(name, digest)| other.get(*name) != Some(*digest));
        changed.map(|(name, _)| name.clone())
    };
    let declared = differs(&then.declarations, &now.declarations)
        .or_else(|| differs(&now.declarations, &then.declarations));
    let what = if let Some(name) = declared {
        format!("another description of {name}")
    } else if let Some(name) = differs(&then.tools, &now.tools) {
        format!("another file of {name}")
    } else if then.task != now.task {
        "another task".to_owned()
    } else if then.files != now.files {
        "other files".to_owned()
    } else if then.with != now.with {
        "other fixtures".to_owned()
    } else if then.settings != now.settings {
        "other settings".to_owned()
    } else {
        return None;
    };
    Some(format!("recorded with {what}: record again, or --accept"))
}
