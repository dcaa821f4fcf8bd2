//! A Markdown file with the table or with diagrams of flows, or to which the table is added.
//!
//! It is handled as bytes, so that everything outside the markers is preserved, even if it is
//! not UTF-8.

use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::text::{self, Text, TextError};
use cogtools_core::{Code, Diagnostic, Location, fail_on};
use serde_json::{Value, json};

use super::markers::{self, BEGIN, Block, BlockKind, END, MarkerError};
use super::table::Table;
use crate::Failure;
use crate::terminal::sanitize;

/// A file, which may not exist.
#[derive(Debug)]
pub struct Document {
    /// The path to show.
    display_path: PathBuf,
    path: WritePath,
    /// Its content, if it exists.
    before: Option<Vec<u8>>,
    blocks: Vec<Block>,
}

/// A document with its new content.
#[derive(Debug)]
pub struct Update {
    /// The document before the update.
    pub document: Document,
    /// The new content.
    pub content: Vec<u8>,
}

/// The marks with which texts in UTF-16 and UTF-32 begin: bytes of UTF-8 would break them.
const UTF_16_AND_32: [&[u8]; 3] = [b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"];

impl Document {
    /// Reads the file at `path`, which is shown as `display_path`.
    pub fn open(path: WritePath, display_path: PathBuf) -> Result<Self, DocumentError> {
        let scope = path.read_scope();
        let before = match text::bytes(&path.full(), &display_path, Text::MAX_BYTES, &scope) {
            Ok(bytes) if UTF_16_AND_32.iter().any(|mark| bytes.starts_with(mark)) => {
                return Err(TextError::Encoding(display_path, 0).into());
            }
            Ok(bytes) => Some(bytes),
            Err(TextError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let blocks = find_blocks(before.as_deref().unwrap_or_default(), &display_path)?;
        Ok(Self {
            display_path,
            path,
            before,
            blocks,
        })
    }

    /// Returns true if it contains the markers of the table or of a diagram.
    pub const fn has_markers(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Its content; `None` if it does not exist.
    pub fn content(&self) -> Option<&[u8]> {
        self.before.as_deref()
    }

    /// The byte range of its table, between the lines of the markers.
    pub fn table_range(&self) -> Option<Range<usize>> {
        let mut blocks = self.blocks.iter();
        let table = blocks.find(|block| block.kind == BlockKind::Table);
        table.map(|block| block.inner.clone())
    }

    /// The path to show.
    pub fn display_path(&self) -> &Path {
        &self.display_path
    }

    /// The document with new content.
    pub const fn with_content(self, content: Vec<u8>) -> Update {
        Update {
            document: self,
            content,
        }
    }

    /// The path of the file, with all links resolved.
    pub fn real_path(&self) -> PathBuf {
        let path = self.path.full();
        path.canonicalize().unwrap_or(path)
    }

    /// Returns true if a table may be appended: it is a file of Markdown, and none of Git's.
    fn is_markdown(&self) -> bool {
        let path = self.real_path();
        let is = |name: &OsStr, known: &str| name.eq_ignore_ascii_case(known);
        let extension = path.extension().unwrap_or_default();
        let mut known = ["md", "markdown", "mdx"].iter();
        known.any(|known| is(extension, known)) && !path.iter().any(|name| is(name, ".git"))
    }

    /// Puts `table` and its diagrams between their markers. Without any, appends the table with
    /// new markers.
    pub fn update(self, table: &Table) -> Result<Update, DocumentError> {
        let old = self.before.as_deref().unwrap_or_default();
        let after = if self.has_markers() {
            self.replaced(table)?
        } else if !self.is_markdown() {
            return Err(DocumentError::NotMarkdown(self.display_path));
        } else {
            let end = line_ending(old);
            let mut after = old.to_vec();
            let text = old.strip_prefix("\u{feff}".as_bytes()).unwrap_or(old);
            if !text.is_empty() && !text.ends_with(b"\n") {
                after.extend_from_slice(end.as_bytes());
            }
            if !text.is_empty() {
                after.extend_from_slice(end.as_bytes());
            }
            after.extend_from_slice(format!("{BEGIN}{end}").as_bytes());
            after.extend(block_text(&table.lines(), "", end));
            after.extend_from_slice(format!("{END}{end}").as_bytes());
            after
        };
        // After an unclosed code block, the table would be code.
        let has_blocks = |blocks: Vec<Block>| !blocks.is_empty();
        if !find_blocks(&after, &self.display_path).is_ok_and(has_blocks) {
            return Err(DocumentError::UnclosedBlock(self.display_path));
        }
        Ok(self.with_content(after))
    }

    /// The content with everything of ours replaced.
    fn replaced(&self, table: &Table) -> Result<Vec<u8>, DocumentError> {
        let old = self.before.as_deref().unwrap_or_default();
        let mut after = Vec::with_capacity(old.len());
        let mut copied = 0;
        for block in &self.blocks {
            let head = &old[copied..block.inner.start];
            after.extend_from_slice(head);
            let lines = match &block.kind {
                BlockKind::Table => table.lines(),
                BlockKind::Flow(name) => table.diagram(name).ok_or_else(|| {
                    let error = MarkerError::NoFlow(name.clone());
                    error_at(old, &self.display_path, (error, block.marker.clone()))
                })?,
            };
            after.extend(block_text(&lines, &block.indent, line_ending(head)));
            copied = block.inner.end;
        }
        after.extend_from_slice(&old[copied..]);
        Ok(after)
    }
}

impl Update {
    /// The path to show.
    pub fn display_path(&self) -> &Path {
        &self.document.display_path
    }

    /// Returns true if the file would change.
    pub fn is_stale(&self) -> bool {
        self.document.before.as_ref() != Some(&self.content)
    }

    /// The effect of writing on the file.
    pub fn action(&self) -> &'static str {
        match self.document.before {
            None => "created",
            Some(_) if self.is_stale() => "updated",
            Some(_) => "unchanged",
        }
    }

    /// Fails if the file is read-only, which a rename would ignore.
    pub fn check_writable(&self) -> Result<(), DocumentError> {
        let meta = fs::metadata(self.document.path.full());
        if self.is_stale() && meta.is_ok_and(|meta| meta.permissions().readonly()) {
            return Err(DocumentError::ReadOnly(self.document.display_path.clone()));
        }
        Ok(())
    }

    /// Writes the file if it would change.
    pub fn write(&self) -> Result<(), DocumentError> {
        let Document {
            display_path,
            path,
            before,
            ..
        } = &self.document;
        if !self.is_stale() {
            return Ok(());
        }
        file::replace_if_unchanged(path, before.as_deref(), &self.content).map_err(|error| {
            match error {
                WriteError::Changed => DocumentError::Changed(display_path.clone()),
                error => DocumentError::Unwritable(display_path.clone(), error),
            }
        })
    }

    /// The change as a unified diff.
    pub fn diff(&self) -> String {
        let before = self.document.before.as_deref().unwrap_or_default();
        let [before, after] = [before, &self.content].map(String::from_utf8_lossy);
        let name = sanitize(&self.display_path().display().to_string()).into_owned();
        text::compare(&before, &after)
            .unified_diff()
            .missing_newline_hint(false)
            .header(&name, &name)
            .to_string()
            .replace('\r', "")
    }
}

/// Finds what is ours in `bytes`, the content of the file shown as `display_path`.
fn find_blocks(bytes: &[u8], display_path: &Path) -> Result<Vec<Block>, DocumentError> {
    markers::find(&text_of(bytes)).map_err(|error| error_at(bytes, display_path, error))
}

/// The text of a file. Each invalid byte is replaced by one character, so that offsets are
/// preserved.
fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

/// `error` at its place in the file.
fn error_at(
    bytes: &[u8],
    display_path: &Path,
    (error, at): (MarkerError, Range<usize>),
) -> DocumentError {
    let text = text_of(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let skipped = bytes.len() - text.len();
    let location = Location::of(display_path, text, at.start - skipped..at.end - skipped);
    DocumentError::Markers { error, location }
}

/// The text between two markers.
fn block_text(lines: &[String], indent: &str, end: &str) -> Vec<u8> {
    let mut text = end.to_owned();
    for line in lines {
        text.push_str(indent);
        text.push_str(line);
        text.push_str(end);
    }
    text.push_str(end);
    text.into_bytes()
}

/// The line ending of the last complete line of `bytes`.
fn line_ending(bytes: &[u8]) -> &'static str {
    let last = bytes.iter().rposition(|byte| *byte == b'\n');
    match last {
        Some(at) if at > 0 && bytes[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

/// All values, or all errors.
pub fn collect_all<T>(
    results: impl Iterator<Item = Result<T, DocumentError>>,
) -> Result<Vec<T>, Failure> {
    let (mut values, mut diagnostics) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(error) => diagnostics.push(error.diagnostic()),
        }
    }
    fail_on(diagnostics)?;
    Ok(values)
}

/// The report about files as JSON, of their actions and their paths.
pub fn file_values<'a, P: AsRef<Path>>(files: impl Iterator<Item = (&'a str, P)>) -> Value {
    files
        .map(
            |(action, file)| json!({"file": file.as_ref().display().to_string(), "action": action}),
        )
        .collect()
}

/// The report about files as text: a line for each.
pub fn file_lines<'a, P: AsRef<Path>>(files: impl Iterator<Item = (&'a str, P)>) -> String {
    files.fold(String::new(), |text, (action, file)| {
        let file = file.as_ref().display().to_string();
        text + action + " " + &sanitize(&file) + "\n"
    })
}

/// Reasons why a file is not written.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// No file was named, and none of the default files has markers.
    #[error("none of GEMINI.md, AGENTS.md and CLAUDE.md contains the markers of the table")]
    NoMarkers,
    /// It has no markers, and another program reads it.
    #[error("`{0}` has no markers of the table, and is no Markdown file")]
    NotMarkdown(PathBuf),
    /// It is not a file of the project.
    #[error("`{0}` is outside the project")]
    Outside(PathBuf),
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] TextError),
    /// Its markers are not a pair.
    #[error("{error}")]
    Markers {
        /// The error.
        error: MarkerError,
        /// The marker.
        location: Location,
    },
    /// A table at its end would be part of a code block.
    #[error("`{0}` ends inside a block of code or HTML, which would contain the table")]
    UnclosedBlock(PathBuf),
    /// It has no markers, and must not be replaced.
    #[error("`{0}` was written by hand")]
    HandWritten(PathBuf),
    /// It is read-only.
    #[error("`{0}` cannot be written: it is read-only")]
    ReadOnly(PathBuf),
    /// It has been changed by another process since it was read.
    #[error("`{0}` has been changed by another process")]
    Changed(PathBuf),
    /// The system reported an error.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
}

impl DocumentError {
    /// The diagnostic to report.
    pub fn diagnostic(self) -> Diagnostic {
        let diagnostic = |code| Diagnostic::new(code, self.to_string());
        match &self {
            Self::NoMarkers => diagnostic(Code::Usage)
                .hint("cogtools docs GEMINI.md appends them with the table")
                .hint("move them to where the table belongs"),
            Self::NotMarkdown(_) => diagnostic(Code::Usage).hint(format!(
                "name a file that ends in .md, or write `<!-- cogtools:begin -->` and `{END}` into it"
            )),
            Self::Outside(_) => diagnostic(Code::Usage)
                .hint("name a file of the project; with `-C DIR`, the project is that of DIR"),
            Self::Unreadable(error) => error.diagnostic(Code::InvalidConfig),
            Self::Markers { error, location } => {
                let hint = match error {
                    MarkerError::NoEnd => format!("write `{END}` on a separate line after it"),
                    MarkerError::EndFirst => {
                        "remove it, or move it after `cogtools:begin`".to_owned()
                    }
                    MarkerError::Nested => format!("write `{END}` before it"),
                    MarkerError::Unnamed => "write `<!-- cogtools:flow NAME -->`".to_owned(),
                    MarkerError::NoFlow(_) => "`cogtools list` shows the tools".to_owned(),
                    _ => "remove it".to_owned(),
                };
                diagnostic(Code::InvalidConfig)
                    .hint(hint)
                    .at(location.clone())
            }
            Self::UnclosedBlock(_) => diagnostic(Code::InvalidConfig)
                .hint("close the block, or write the markers where the table belongs"),
            Self::HandWritten(_) => diagnostic(Code::Denied).hint(format!(
                "write `<!-- cogtools:begin -->` and `{END}` on lines of their own, where the tools belong"
            )),
            Self::ReadOnly(_) => {
                diagnostic(Code::IoFailed).hint("make it writable, then run this again")
            }
            Self::Changed(_) => diagnostic(Code::IoFailed).hint("run this again"),
            Self::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("free disk space or grant permission, then run this again")),
        }
    }
}
