//! A location in a text file, with its line.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::invisible;

/// A location in a file, and the text of its line. In a report for programs, it is the file, the
/// line and the column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The file as messages show it (relative to the project if possible).
    #[serde(serialize_with = "shown")]
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The number of characters to mark, at least 1.
    #[serde(skip)]
    pub width: usize,
    /// The whole line without its line ending; empty when the file has no such line.
    /// `None` if it must not be shown, because the file is neither the project's nor the
    /// user's own.
    #[serde(skip)]
    pub text: Option<String>,
}

fn shown<S: Serializer>(file: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&file.display())
}

impl Location {
    /// The location at `line` and `column` (both from 1) of `source`, the text of `file`.
    pub fn new(file: &Path, source: &str, line: usize, column: usize, width: usize) -> Self {
        let text = source.lines().nth(line.saturating_sub(1)).unwrap_or("");
        let room = text.chars().skip(column.saturating_sub(1)).count();
        Self {
            file: file.to_path_buf(),
            line,
            column,
            width: width.min(room).max(1),
            text: Some(text.to_owned()),
        }
    }

    /// The location of `range`, byte offsets in `source`, the text of `file`; truncated at the end
    /// of its first line.
    pub fn of(file: &Path, source: &str, range: Range<usize>) -> Self {
        let start = source.floor_char_boundary(range.start);
        let end = source.floor_char_boundary(range.end.max(start));
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let marked = source[start..end].lines().next().unwrap_or("").trim_end();
        let line = source[line_start..].lines().next().unwrap_or("");
        Self {
            file: file.to_path_buf(),
            line: source[..start].matches('\n').count() + 1,
            column: source[line_start..start].chars().count() + 1,
            width: marked.chars().count().max(1),
            text: Some(line.to_owned()),
        }
    }

    /// The line under its number with a caret below, as compilers print it:
    ///
    /// ```text
    ///    |
    ///  3 | desciption: Say it
    ///    | ^^^^^^^^^^
    /// ```
    ///
    /// Long lines are cropped around the column; control and invisible characters are shown
    /// as `·`. Empty if the line must not be shown.
    pub fn excerpt(&self) -> String {
        const BEFORE: usize = 60;
        const AFTER: usize = 60;
        let Some(text) = &self.text else {
            return String::new();
        };
        let start = self.column.saturating_sub(1).saturating_sub(BEFORE);
        let text = invisible::mask(text);
        let shown = text.chars().skip(start);
        let shown: String = shown.take(BEFORE + self.width.min(AFTER) + AFTER).collect();
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        let pad = " ".repeat(self.column.saturating_sub(1) - start);
        let carets = "^".repeat(self.width.min(AFTER));
        let shown = shown.trim_end();
        format!(" {gutter} |\n {number} | {shown}\n {gutter} | {pad}{carets}\n")
    }
}
