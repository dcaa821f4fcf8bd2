//! Removes a key, along with enclosing maps that would be left empty.

use cogtools_core::yaml::Entry;

use super::{Editor, Patch, is_flow};

impl Editor<'_> {
    /// Removes the entry at `path`, or the outermost enclosing entry with no other content and no
    /// comments.
    pub(super) fn remove(&self, path: &[&str]) -> Option<Vec<Patch>> {
        let mut depth = path.len();
        while depth > 1 {
            let (_, outer, _) = self.walk(&path[..depth - 1]);
            let outer = outer?;
            let entries = outer.value.entries()?;
            let end = self.end(outer)?;
            // A comment in the last line is removed with the entry.
            let inner_start = entries.first()?.span.start;
            let is_only = entries.len() == 1 && !self.has_comment(self.colon(outer)?, inner_start);
            if !is_only || self.has_comment_line(outer.span.start, end) {
                break;
            }
            depth -= 1;
        }
        let (map, _, _) = self.walk(&path[..depth - 1]);
        let entries = map.entries()?;
        let index = entries
            .iter()
            .position(|entry| entry.key == path[depth - 1])?;
        let patch = if is_flow(self.text, map) {
            self.remove_from_flow(entries, index)?
        } else {
            self.remove_lines(&entries[index])?
        };
        Some(vec![patch])
    }

    /// Whether a line from `start` to `end` consists of a comment.
    fn has_comment_line(&self, start: usize, end: usize) -> bool {
        let mut lines = self.text[start..end].lines();
        lines.any(|line| line.trim_start().starts_with('#'))
    }

    /// Removes the lines of an entry of a block map.
    fn remove_lines(&self, entry: &Entry) -> Option<Patch> {
        self.indent(self.key_start(entry))?;
        let end = self.end(entry)?;
        let mut start = self.line_start(entry.span.start);
        let next = self.next_line(end);
        // The rest of the line may only be a comment.
        let rest = self.text[end..self.line_end(end)].trim_start();
        if !rest.is_empty() && !rest.starts_with('#') {
            return None;
        }
        // Preserve a missing line ending at the end of the text.
        if next == self.text.len() && !self.text.ends_with('\n') {
            let before = &self.text[..start];
            let line = before.strip_suffix('\n').unwrap_or(before);
            start = line.strip_suffix('\r').unwrap_or(line).len();
        }
        Some(Patch::remove(start, next))
    }
}
