//! Lines, indentation and comments around a node.

use cogtools_core::yaml::{Data, Entry, Node};

use super::{Subject, is_flow};

/// The indentation of a file that shows none.
const STEP: usize = 2;

impl<'t> Subject<'t> {
    /// What ends the line that ends at `at`, or else the one before it.
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

    /// Where the line of `at` begins.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |feed| feed + 1)
    }

    /// Where the line of `at` ends, in front of what ends it.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = rest.find('\n').map_or(rest, |feed| &rest[..feed]);
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// Where the line after that of `at` begins.
    pub(super) fn next_line(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        rest.find('\n')
            .map_or(self.text.len(), |feed| at + feed + 1)
    }

    /// What stands in front of `at` in its line.
    pub(super) fn before(&self, at: usize) -> &'t str {
        &self.text[self.line_start(at)..at]
    }

    /// The white space in front of `at`, if there is nothing else.
    pub(super) fn indent(&self, at: usize) -> Option<&'t str> {
        let before = self.before(at);
        before.bytes().all(|byte| byte == b' ').then_some(before)
    }

    /// Where the colon behind the key of `entry` ends.
    pub(super) fn colon(&self, entry: &Entry) -> Option<usize> {
        let rest = self.text.get(entry.span.end..)?;
        let at = rest.find(':')?;
        let between = &rest[..at];
        let fine = between.chars().all(|c| c == ' ' || c == '"' || c == '\'');
        fine.then_some(entry.span.end + at + 1)
    }

    /// Where the last thing that `entry` says ends, blanks behind it left out.
    pub(super) fn end(&self, entry: &Entry) -> Option<usize> {
        let colon = self.colon(entry)?;
        let own = match &entry.value.data {
            Data::Map(entries) if !is_flow(self.text, &entry.value) => {
                entries.last().and_then(|last| self.end(last))
            }
            Data::List(items) if !is_flow(self.text, &entry.value) => {
                items.last().and_then(|last| self.item_end(last))
            }
            Data::Null if entry.value.span.end == entry.value.span.start => None,
            _ => Some(self.trimmed(&entry.value)),
        };
        Some(own.unwrap_or(colon).max(colon))
    }

    /// Where the last thing that an item of a list says ends.
    pub(super) fn item_end(&self, item: &Node) -> Option<usize> {
        match &item.data {
            Data::Map(entries) if !is_flow(self.text, item) => {
                entries.last().and_then(|last| self.end(last))
            }
            Data::List(items) if !is_flow(self.text, item) => {
                items.last().and_then(|last| self.item_end(last))
            }
            _ => Some(self.trimmed(item)),
        }
    }

    fn trimmed(&self, node: &Node) -> usize {
        let text = &self.text[node.span.start..node.span.end];
        node.span.start + text.trim_end().len()
    }

    /// Whether there is a comment from `start` to `end`. A `#` in a string may be
    /// taken for one, which only makes a refusal of an edit.
    pub(super) fn has_comment(&self, start: usize, end: usize) -> bool {
        let stretch = &self.text[start..end.max(start)];
        let marks = stretch.match_indices('#');
        marks.into_iter().any(|(at, _)| {
            let before = self.text[..start + at].chars().next_back();
            before.is_none_or(char::is_whitespace)
        })
    }

    /// How far one map is indented in another: as the first one that shows it.
    pub(super) fn step(&self) -> usize {
        let entries = self.root.entries().unwrap_or_default();
        let inner = entries.iter().filter_map(|entry| {
            let outer = self.indent(entry.span.start)?.len();
            let below = entry.value.entries()?.first()?;
            let indent = self.indent(below.span.start)?.len();
            indent.checked_sub(outer).filter(|step| *step > 0)
        });
        inner.into_iter().next().unwrap_or(STEP)
    }
}
