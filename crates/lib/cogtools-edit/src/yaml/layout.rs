//! Lines, indentation and comments around a node.

use cogtools_core::yaml::{Data, Entry, Node};

use super::{Editor, is_flow};

/// The indentation in a file without nested maps.
const DEFAULT_STEP: usize = 2;

impl<'t> Editor<'t> {
    /// The line ending of the line that ends at `at`, or else of the previous line.
    pub(super) fn newline(&self, at: usize) -> &'static str {
        let feed = match &self.text[at..] {
            "" => self.text.rfind('\n'),
            rest => rest.find('\n').map(|feed| at + feed),
        };
        match feed {
            Some(feed) if self.text[..feed].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// The start of the line of `at`.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |feed| feed + 1)
    }

    /// The end of the line of `at`, before its line ending.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = rest.find('\n').map_or(rest, |feed| &rest[..feed]);
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// The start of the line after that of `at`.
    pub(super) fn next_line(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        rest.find('\n')
            .map_or(self.text.len(), |feed| at + feed + 1)
    }

    /// The text before `at` in its line.
    pub(super) fn before(&self, at: usize) -> &'t str {
        &self.text[self.line_start(at)..at]
    }

    /// The white space before `at` in its line, if there is nothing else.
    pub(super) fn indent(&self, at: usize) -> Option<&'t str> {
        let before = self.before(at);
        before.bytes().all(|byte| byte == b' ').then_some(before)
    }

    /// The end of the colon after the key of `entry`.
    pub(super) fn colon(&self, entry: &Entry) -> Option<usize> {
        let rest = self.text.get(entry.span.end..)?;
        let at = rest.find(':')?;
        let only_quotes = rest[..at].chars().all(|c| matches!(c, ' ' | '"' | '\''));
        only_quotes.then_some(entry.span.end + at + 1)
    }

    /// The end of the content of `entry`, without trailing white space.
    pub(super) fn end(&self, entry: &Entry) -> Option<usize> {
        let colon = self.colon(entry)?;
        let value_end = match &entry.value.data {
            Data::Map(entries) if !is_flow(self.text, &entry.value) => {
                entries.last().and_then(|last| self.end(last))
            }
            Data::List(items) if !is_flow(self.text, &entry.value) => {
                items.last().and_then(|last| self.item_end(last))
            }
            Data::Null if entry.value.span.end == entry.value.span.start => None,
            _ => Some(self.trimmed_end(&entry.value)),
        };
        Some(value_end.unwrap_or(colon).max(colon))
    }

    /// The end of the content of a list item.
    pub(super) fn item_end(&self, item: &Node) -> Option<usize> {
        match &item.data {
            Data::Map(entries) if !is_flow(self.text, item) => {
                entries.last().and_then(|last| self.end(last))
            }
            Data::List(items) if !is_flow(self.text, item) => {
                items.last().and_then(|last| self.item_end(last))
            }
            _ => Some(self.trimmed_end(item)),
        }
    }

    fn trimmed_end(&self, node: &Node) -> usize {
        let text = &self.text[node.span.start..node.span.end];
        node.span.start + text.trim_end().len()
    }

    /// Whether there is a comment from `start` to `end`. A `#` in a string may count as one, which
    /// only rejects an edit.
    pub(super) fn has_comment(&self, start: usize, end: usize) -> bool {
        let range = &self.text[start..end.max(start)];
        range.match_indices('#').any(|(at, _)| {
            let before = self.text[..start + at].chars().next_back();
            before.is_none_or(char::is_whitespace)
        })
    }

    /// The indentation of a nested map, taken from the first one.
    pub(super) fn step(&self) -> usize {
        let entries = self.root.entries().unwrap_or_default();
        let mut steps = entries.iter().filter_map(|entry| {
            let outer = self.indent(entry.span.start)?.len();
            let below = entry.value.entries()?.first()?;
            let indent = self.indent(below.span.start)?.len();
            indent.checked_sub(outer).filter(|step| *step > 0)
        });
        steps.next().unwrap_or(DEFAULT_STEP)
    }
}
