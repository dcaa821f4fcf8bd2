//! Inserts a key at the end of the map that it belongs to.

use cogtools_core::yaml::{Data, Entry, Node};
use serde_json::Value;

use super::{Editor, Patch, is_flow, render};

impl Editor<'_> {
    /// Inserts `value` under the keys `rest` into `node`, which is the value of `entry` or the whole
    /// document.
    pub(super) fn insert(
        &self,
        node: &Node,
        entry: Option<&Entry>,
        rest: &[&str],
        value: &Value,
    ) -> Option<Vec<Patch>> {
        let patch = match (&node.data, entry) {
            (Data::Map(entries), _) if is_flow(self.text, node) => {
                self.add_to_flow(node, entries, rest, value)?
            }
            (Data::Map(entries), _) => {
                let first = entries.first()?;
                let indent = self.indent(first.span.start)?.len();
                let at = self.line_end(self.end(entries.last()?)?);
                self.lines(at, indent, rest, value)
            }
            (Data::Null, None) => self.append(rest, value),
            (Data::Null, Some(entry)) => {
                let indent = self.indent(entry.span.start)?.len() + self.step();
                let at = self.line_end(self.end(entry)?);
                self.lines(at, indent, rest, value)
            }
            _ => return None,
        };
        Some(vec![patch])
    }

    /// Inserts lines after the line that ends at `at`.
    fn lines(&self, at: usize, indent: usize, rest: &[&str], value: &Value) -> Patch {
        let newline = self.newline(at);
        let lines = self.block(indent, rest, value);
        Patch::insert(at, format!("{newline}{}", lines.join(newline)))
    }

    /// Appends lines to a text without content.
    fn append(&self, rest: &[&str], value: &Value) -> Patch {
        let at = self.text.len();
        let newline = self.newline(at);
        let lines = self.block(0, rest, value).join(newline);
        let text = if self.text.is_empty() || self.text.ends_with('\n') {
            format!("{lines}{newline}")
        } else {
            format!("{newline}{lines}")
        };
        Patch::insert(at, text)
    }

    /// The lines of `value` under the keys `rest`, one per key.
    fn block(&self, indent: usize, rest: &[&str], value: &Value) -> Vec<String> {
        let step = self.step();
        let mut lines: Vec<String> = (0..)
            .zip(rest)
            .map(|(depth, key)| {
                let key = render::scalar(key);
                format!("{:1$}{key}:", "", indent + depth * step)
            })
            .collect();
        if let Some(last) = lines.last_mut() {
            last.push(' ');
            last.push_str(&render::flow(value));
        }
        lines
    }
}
