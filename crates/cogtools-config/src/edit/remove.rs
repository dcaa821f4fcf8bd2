//! A key taken away, and with it the maps that would be empty then.

use cogtools_core::yaml::Entry;

use super::{Patch, Subject, is_flow};

impl Subject<'_> {
    /// Takes away the entry at `way`, or the outermost one around it that holds
    /// nothing else and no comment of its own.
    pub(super) fn remove(&self, way: &[&str]) -> Option<Vec<Patch>> {
        let mut depth = way.len();
        while depth > 1 {
            let (_, outer, _) = self.walk(&way[..depth - 1]);
            let outer = outer?;
            let entries = outer.value.entries()?;
            let end = self.end(outer)?;
            // The comment in the last line belongs to what is taken away.
            let inner = entries.first()?.span.start;
            let alone = entries.len() == 1 && !self.has_comment(self.colon(outer)?, inner);
            if !alone || self.has_line_comment(outer.span.start, end) {
                break;
            }
            depth -= 1;
        }
        let (map, _, _) = self.walk(&way[..depth - 1]);
        let entries = map.entries()?;
        let index = entries
            .iter()
            .position(|entry| entry.key == way[depth - 1])?;
        let patch = if is_flow(self.text, map) {
            self.take_from_flow(entries, index)?
        } else {
            self.lines_of(&entries[index])?
        };
        Some(vec![patch])
    }

    /// Whether a line from `start` to `end` is nothing but a comment.
    fn has_line_comment(&self, start: usize, end: usize) -> bool {
        let mut lines = self.text[start..end].lines();
        lines.any(|line| line.trim_start().starts_with('#'))
    }

    /// The lines of an entry of a map without braces.
    fn lines_of(&self, entry: &Entry) -> Option<Patch> {
        self.indent(self.key_start(entry))?;
        let end = self.end(entry)?;
        let mut start = self.line_start(entry.span.start);
        let next = self.next_line(end);
        // The rest of the line may only be a comment.
        let rest = self.text[end..self.line_end(end)].trim_start();
        if !rest.is_empty() && !rest.starts_with('#') {
            return None;
        }
        // A text whose last line has no end keeps it so.
        if next == self.text.len() && !self.text.ends_with('\n') {
            let before = &self.text[..start];
            let before = before.strip_suffix('\n').unwrap_or(before);
            start = before.strip_suffix('\r').unwrap_or(before).len();
        }
        Some(Patch::remove(start, next))
    }
}
