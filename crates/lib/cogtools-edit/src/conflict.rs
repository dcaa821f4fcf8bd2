//! Why a file is left unchanged.

use std::ops::Range;
use std::path::Path;

use cogtools_core::{Code, Diagnostic, Location};
use thiserror::Error;

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
    /// It is not JSON with comments; the parser's message.
    #[error("not JSON with comments: {0}")]
    Syntax(String),
    /// It begins with a byte order mark, which Gemini CLI cannot read.
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
    /// It is not TOML; the parser's message.
    #[error("not TOML: {0}")]
    Toml(String),
    /// It is not YAML that all parsers read alike; what is wrong.
    #[error("not YAML: {0}")]
    Yaml(String),
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
    pub fn diagnostic(self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::InvalidConfig, self.kind.to_string());
        let diagnostic = match self.kind {
            ConflictKind::Toml(_)
            | ConflictKind::Yaml(_)
            | ConflictKind::Syntax(_)
            | ConflictKind::ByteOrderMark
            | ConflictKind::Empty => diagnostic.hint("fix the file by hand, then run this again"),
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
        diagnostic.at(self.location)
    }
}

/// The location of `range`, byte offsets in `text`, for messages.
pub(crate) fn location(file: &Path, text: &str, range: Range<usize>) -> Location {
    let before = text.get(..range.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let covered = text.get(range).unwrap_or(" ");
    let width = covered.lines().next().unwrap_or_default().chars().count();
    Location::new(file, text, line, column, width)
}
