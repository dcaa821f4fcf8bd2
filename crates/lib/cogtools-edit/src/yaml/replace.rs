//! Replaces a value.

use cogtools_core::yaml::{Data, Entry, Node};
use serde_json::Value;

use super::{Editor, Patch, is_flow, render};

impl Editor<'_> {
    /// Replaces the value of `entry` by `value`.
    pub(super) fn replace(&self, entry: &Entry, value: &Value) -> Option<Vec<Patch>> {
        let old = &entry.value;
        if old.to_json() == *value {
            return Some(Vec::new());
        }
        let flow = is_flow(self.text, old);
        match (&old.data, value) {
            (Data::List(items), Value::Array(values)) if !flow => {
                if let Some(patches) = self.replace_items(items, values) {
                    return Some(patches);
                }
                self.replace_block(entry, value)
            }
            (Data::Map(_) | Data::List(_), _) if !flow => self.replace_block(entry, value),
            (Data::Null, _) if old.span.start == old.span.end => {
                let at = self.colon(entry)?;
                Some(vec![Patch::insert(at, format!(" {}", render::flow(value)))])
            }
            _ => {
                let (start, end) = (old.span.start, old.span.end);
                if flow && self.has_comment(start, end) {
                    return None;
                }
                let old_text = &self.text[start..end];
                let tail = &old_text[old_text.trim_end().len()..];
                let text = format!("{}{tail}", render::flow(value));
                Some(vec![Patch { start, end, text }])
            }
        }
    }

    /// Replaces a whole block, unless there is a comment in it.
    fn replace_block(&self, entry: &Entry, value: &Value) -> Option<Vec<Patch>> {
        let (start, end) = (self.colon(entry)?, self.end(entry)?);
        if self.has_comment(start, self.line_end(end)) {
            return None;
        }
        let text = format!(" {}", render::flow(value));
        Some(vec![Patch { start, end, text }])
    }

    /// Replaces only the items of a list that differ.
    fn replace_items(&self, items: &[Node], values: &[Value]) -> Option<Vec<Patch>> {
        if values.is_empty() {
            return None;
        }
        let old: Vec<Value> = items.iter().map(Node::to_json).collect();
        let is_equal = |(one, other): &(&Value, &Value)| one == other;
        let head = old.iter().zip(values).take_while(is_equal).count();
        let tail = old[head..]
            .iter()
            .rev()
            .zip(values[head..].iter().rev())
            .take_while(is_equal)
            .count();
        let removed = &items[head..items.len() - tail];
        let added = &values[head..values.len() - tail];

        let mut patches = Vec::new();
        for item in removed {
            self.item_prefix(item)?;
            let next = self.next_line(self.item_end(item)?);
            patches.push(Patch::remove(self.line_start(item.span.start), next));
        }
        if !added.is_empty() {
            patches.push(self.insert_items(items, head, added)?);
        }
        Some(patches)
    }

    /// Inserts items after the first `head` ones.
    fn insert_items(&self, items: &[Node], head: usize, added: &[Value]) -> Option<Patch> {
        let first = items.first()?;
        let prefix = self.item_prefix(first)?;
        let line = |value: &Value| format!("{prefix}{}", render::item(value));
        let lines: Vec<String> = added.iter().map(line).collect();
        Some(if let Some(last) = items[..head].last() {
            let at = self.line_end(self.item_end(last)?);
            let newline = self.newline(at);
            Patch::insert(at, format!("{newline}{}", lines.join(newline)))
        } else {
            let at = self.line_start(first.span.start);
            let newline = self.newline(at);
            Patch::insert(at, format!("{}{newline}", lines.join(newline)))
        })
    }

    /// The text before an item in its line: spaces, a dash, spaces.
    fn item_prefix(&self, item: &Node) -> Option<&str> {
        let before = self.before(item.span.start);
        let spaces = before.trim_start_matches(' ').strip_prefix('-')?;
        (!spaces.is_empty() && spaces.bytes().all(|byte| byte == b' ')).then_some(before)
    }
}
