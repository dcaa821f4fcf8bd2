//! Entries of flow maps, which are written in braces.

use cogtools_core::yaml::{Entry, Node};
use serde_json::{Map, Value};

use super::{Editor, Patch, render};

impl Editor<'_> {
    /// Adds a key at the end of a flow map.
    pub(super) fn add_to_flow(
        &self,
        node: &Node,
        entries: &[Entry],
        rest: &[&str],
        value: &Value,
    ) -> Option<Patch> {
        let (first, rest) = rest.split_first()?;
        let nested = rest.iter().rev().fold(value.clone(), |value, key| {
            Value::Object(Map::from_iter([((*key).to_owned(), value)]))
        });
        let pair = format!("{}: {}", render::scalar(first), render::flow(&nested));
        let (at, text) = match entries.last() {
            Some(last) => (self.end(last)?, format!(", {pair}")),
            None => (node.span.start + 1, pair),
        };
        Some(Patch::insert(at, text))
    }

    /// Removes an entry from a flow map.
    pub(super) fn remove_from_flow(&self, entries: &[Entry], index: usize) -> Option<Patch> {
        let entry = entries.get(index)?;
        let entry_end = self.end(entry)?;
        let (start, end) = if let Some(before) = index.checked_sub(1) {
            (self.end(&entries[before])?, entry_end)
        } else if let Some(after) = entries.get(1) {
            (self.key_start(entry), self.key_start(after))
        } else {
            (self.key_start(entry), entry_end)
        };
        if self.has_comment(start, end) {
            return None;
        }
        Some(Patch::remove(start, end))
    }

    /// The start of the key, including its quotes.
    pub(super) fn key_start(&self, entry: &Entry) -> usize {
        let start = entry.span.start;
        if self.text[start..].starts_with(['"', '\'']) || !self.text[..start].ends_with(['"', '\''])
        {
            start
        } else {
            start - 1
        }
    }
}
