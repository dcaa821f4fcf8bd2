//! Text in another language inside a tool file.

use crate::Location;
use crate::text::{Span, Text};
use crate::yaml::{Data, Node};

/// A text and its location.
#[derive(Clone, Debug)]
pub(super) struct Embedded {
    source: String,
    /// Where it is in its file. Lines are counted only for an error.
    pub(super) span: Span,
    /// The indentation of its lines there; `None` when its lines are not lines of the
    /// file (a quoted or folded scalar): errors then point to its beginning, unless it is on one
    /// line there.
    indent: Option<usize>,
}

impl Embedded {
    /// Reads the text of a string.
    pub(super) fn read(node: &Node) -> Option<Self> {
        let Data::Text { text, block } = &node.data else {
            return None;
        };
        Some(Self {
            source: text.clone(),
            span: node.span,
            indent: *block,
        })
    }

    /// Returns the whole of a file.
    pub(super) fn file(text: &Text) -> Self {
        Self {
            source: text.as_str().to_owned(),
            span: Span::new(0, 0),
            indent: Some(0),
        }
    }

    /// Returns another text in the same place.
    pub(super) fn with_source(&self, source: String) -> Self {
        Self {
            source,
            ..self.clone()
        }
    }

    /// The text.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Returns true if its lines are lines of the file.
    pub(super) const fn has_lines(&self) -> bool {
        self.indent.is_some()
    }

    /// Returns the location in the file `text` of `width` characters at a line and a column of it
    /// (both from 1).
    pub(super) fn location(&self, at: (usize, usize), width: usize, text: &Text) -> Location {
        let (line, column) = self.start(text);
        let (line, column) = match self.indent {
            Some(indent) => (line + at.0.max(1) - 1, at.1.max(1) + indent),
            None => (line, column + self.column(at, text).unwrap_or_default()),
        };
        text.location_at(line, column, width)
    }

    /// Returns the number of characters before a line and a column of it (both from 1) in a scalar
    /// on one line of the file `text`.
    fn column(&self, at: (usize, usize), text: &Text) -> Option<usize> {
        let raw = text.as_str().get(self.span.start..self.span.end)?;
        let quote = raw.chars().next().filter(|it| matches!(it, '"' | '\''));
        let rest: Vec<char> = raw.chars().collect();
        let (mut line, mut column, mut index) = (1, 1, usize::from(quote.is_some()));
        while (line, column) < (at.0.max(1), at.1) {
            let is_break = quote == Some('"') && rest.get(index..)?.starts_with(&['\\', 'n']);
            index += match (quote, *rest.get(index)?, rest.get(index + 1)) {
                (Some('"'), '\\', Some('x')) => 4,
                (Some('"'), '\\', Some('u')) => 6,
                (Some('"'), '\\', Some('U')) => 10,
                (Some('"'), '\\', _) | (Some('\''), '\'', _) => 2,
                _ => 1,
            };
            (line, column) = if is_break {
                (line + 1, 1)
            } else {
                (line, column + 1)
            };
        }
        (!raw.contains('\n')).then_some(index)
    }

    /// Returns the line and column, from 1, at which it begins in the file `text`.
    pub(super) fn start(&self, text: &Text) -> (usize, usize) {
        let location = text.location(self.span);
        let line = if self.has_lines() {
            // The span of a block begins with its first line that is not blank.
            let blank = self.source.len() - self.source.trim_start_matches('\n').len();
            location.line.saturating_sub(blank).max(1)
        } else {
            location.line
        };
        (line, location.column)
    }
}
