//! A Markdown file that has a table, or is to have one.
//!
//! Bytes, not text: what is not between the markers stays as it is, whatever it
//! is.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::Location;
use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::text::{self, Text, TextError};
use cogtools_program::terminal::sanitize;
use similar::TextDiff;

use crate::markers::{self, BEGIN, Block, END};
use crate::refusal::Refusal;
use crate::table::Table;

/// A file, whether it is there or not.
#[derive(Debug)]
pub(crate) struct Document {
    /// The file as the user knows it.
    pub(crate) shown: PathBuf,
    path: WritePath,
    /// What it says, if it is there.
    before: Option<Vec<u8>>,
    block: Option<Block>,
}

/// What a document will say.
#[derive(Debug)]
pub(crate) struct Renewed {
    document: Document,
    after: Vec<u8>,
}

impl Document {
    /// The file at `path`, known to its user as `shown`.
    pub(crate) fn open(path: WritePath, shown: PathBuf) -> Result<Self, Refusal> {
        let before = match text::bytes(&path.full(), &shown, Text::LIMIT) {
            Ok(bytes) => Some(bytes),
            Err(TextError::Absent(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let block = find(before.as_deref().unwrap_or_default(), &shown)?;
        Ok(Self {
            shown,
            path,
            before,
            block,
        })
    }

    /// Whether it says where the table belongs.
    pub(crate) const fn has_markers(&self) -> bool {
        self.block.is_some()
    }

    /// The file itself, behind all links.
    pub(crate) fn real(&self) -> PathBuf {
        let path = self.path.full();
        path.canonicalize().unwrap_or(path)
    }

    /// The document with `table`: between its markers, or with new ones at its end.
    pub(crate) fn renew(self, table: &Table) -> Result<Renewed, Refusal> {
        let old = self.before.as_deref().unwrap_or_default();
        let mut after;
        if let Some(block) = &self.block {
            let (head, tail) = (&old[..block.inner.start], &old[block.inner.end..]);
            after = head.to_vec();
            after.extend(lines(table, &block.indent, ending(head)));
            after.extend_from_slice(tail);
        } else {
            let end = ending(old);
            after = old.to_vec();
            let text = old.strip_prefix("\u{feff}".as_bytes()).unwrap_or(old);
            if !text.is_empty() && !text.ends_with(b"\n") {
                after.extend_from_slice(end.as_bytes());
            }
            if !text.is_empty() {
                after.extend_from_slice(end.as_bytes());
            }
            after.extend_from_slice(format!("{BEGIN}{end}").as_bytes());
            after.extend(lines(table, "", end));
            after.extend_from_slice(format!("{END}{end}").as_bytes());
        }
        // What comes behind an open block of code is code.
        if !matches!(find(&after, &self.shown), Ok(Some(_))) {
            return Err(Refusal::Open(self.shown));
        }
        Ok(Renewed {
            document: self,
            after,
        })
    }
}

impl Renewed {
    /// The file as the user knows it.
    pub(crate) fn shown(&self) -> &Path {
        &self.document.shown
    }

    /// Whether writing it would change anything.
    pub(crate) fn is_stale(&self) -> bool {
        self.document.before.as_ref() != Some(&self.after)
    }

    /// What writing it does.
    pub(crate) fn action(&self) -> &'static str {
        match self.document.before {
            None => "created",
            Some(_) if self.is_stale() => "updated",
            Some(_) => "unchanged",
        }
    }

    /// Refuses what must not be replaced, though a rename could get around that.
    pub(crate) fn check_writable(&self) -> Result<(), Refusal> {
        let meta = fs::metadata(self.document.path.full());
        if self.is_stale() && meta.is_ok_and(|meta| meta.permissions().readonly()) {
            return Err(Refusal::ReadOnly(self.document.shown.clone()));
        }
        Ok(())
    }

    /// Writes it, if that changes anything.
    pub(crate) fn write(&self) -> Result<(), Refusal> {
        let Document {
            shown,
            path,
            before,
            ..
        } = &self.document;
        if !self.is_stale() {
            return Ok(());
        }
        let written = file::replace_if_unchanged(path, before.as_deref(), &self.after);
        written.map_err(|error| match error {
            WriteError::Changed => Refusal::Overtaken(shown.clone()),
            error => Refusal::Unwritable(shown.clone(), error),
        })
    }

    /// What would change, as a unified diff.
    pub(crate) fn diff(&self) -> String {
        let before = self.document.before.as_deref().unwrap_or_default();
        let [before, after] = [before, &self.after].map(String::from_utf8_lossy);
        let name = sanitize(&self.shown().display().to_string()).into_owned();
        TextDiff::from_lines(before.as_ref(), after.as_ref())
            .unified_diff()
            .missing_newline_hint(false)
            .header(&name, &name)
            .to_string()
            .replace('\r', "")
    }
}

/// Where the table stands in `bytes`, the content of the file `shown`.
fn find(bytes: &[u8], shown: &Path) -> Result<Option<Block>, Refusal> {
    // Every byte that is no text counts as one character, so that offsets stay.
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    markers::find(&text).map_err(|broken| {
        let at = broken.range().clone();
        let text = text.trim_start_matches('\u{feff}');
        let skipped = bytes.len() - text.len();
        let before = &text[..at.start - skipped];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let place = Location::new(shown, text, line, column, at.len());
        Refusal::Broken { broken, place }
    })
}

/// The table as it stands between the markers.
fn lines(table: &Table, indent: &str, end: &str) -> Vec<u8> {
    let mut text = end.to_owned();
    for line in table.lines() {
        text.push_str(indent);
        text.push_str(&line);
        text.push_str(end);
    }
    text.push_str(end);
    text.into_bytes()
}

/// How the last whole line of `bytes` ends.
fn ending(bytes: &[u8]) -> &'static str {
    let last = bytes.iter().rposition(|byte| *byte == b'\n');
    match last {
        Some(at) if at > 0 && bytes[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}
