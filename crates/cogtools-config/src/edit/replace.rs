//! A value in the place of another.

use cogtools_core::yaml::{Data, Entry, Node};
use serde_json::Value;

use super::{Patch, Subject, is_flow, render};

impl Subject<'_> {
    /// Puts `value` in the place of what `entry` says.
    pub(super) fn replace(&self, entry: &Entry, value: &Value) -> Option<Vec<Patch>> {
        let old = &entry.value;
        if old.to_json() == *value {
            return Some(Vec::new());
        }
        let flow = is_flow(self.text, old);
        match (&old.data, value) {
            (Data::List(items), Value::Array(wanted)) if !flow => {
                if let Some(patches) = self.items(items, wanted) {
                    return Some(patches);
                }
                self.whole(entry, value)
            }
            (Data::Map(_) | Data::List(_), _) if !flow => self.whole(entry, value),
            (Data::Null, _) if old.span.start == old.span.end => {
                let at = self.colon(entry)?;
                Some(vec![Patch::insert(at, format!(" {}", render::flow(value)))])
            }
            _ => {
                let (start, end) = (old.span.start, old.span.end);
                if flow && self.has_comment(start, end) {
                    return None;
                }
                let written = &self.text[start..end];
                let tail = &written[written.trim_end().len()..];
                let text = format!("{}{tail}", render::flow(value));
                Some(vec![Patch { start, end, text }])
            }
        }
    }

    /// All of a block at once, which would take comments in it away.
    fn whole(&self, entry: &Entry, value: &Value) -> Option<Vec<Patch>> {
        let (start, end) = (self.colon(entry)?, self.end(entry)?);
        if self.has_comment(start, self.line_end(end)) {
            return None;
        }
        let text = format!(" {}", render::flow(value));
        Some(vec![Patch { start, end, text }])
    }

    /// Only those items of a list that are no longer the same.
    fn items(&self, items: &[Node], wanted: &[Value]) -> Option<Vec<Patch>> {
        if wanted.is_empty() {
            return None;
        }
        let old: Vec<Value> = items.iter().map(Node::to_json).collect();
        let same = |(one, other): &(&Value, &Value)| one == other;
        let head = old.iter().zip(wanted).take_while(same).count();
        let (rest, left) = (&old[head..], &wanted[head..]);
        let tail = rest.iter().rev().zip(left.iter().rev());
        let tail = tail.take_while(same).count();
        let gone = &items[head..items.len() - tail];
        let new = &wanted[head..wanted.len() - tail];

        let mut patches = Vec::new();
        for item in gone {
            self.mark(item)?;
            let next = self.next_line(self.item_end(item)?);
            patches.push(Patch::remove(self.line_start(item.span.start), next));
        }
        if !new.is_empty() {
            patches.push(self.more_items(items, head, new)?);
        }
        Some(patches)
    }

    /// New items behind the first `head` ones.
    fn more_items(&self, items: &[Node], head: usize, new: &[Value]) -> Option<Patch> {
        let first = items.first()?;
        let mark = self.mark(first)?;
        let line = |value: &Value| format!("{mark}{}", render::item(value));
        let lines: Vec<String> = new.iter().map(line).collect();
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

    /// What stands in front of an item in its line: spaces, a dash, spaces.
    fn mark(&self, item: &Node) -> Option<&str> {
        let before = self.before(item.span.start);
        let spaces = before.trim_start_matches(' ').strip_prefix('-')?;
        (!spaces.is_empty() && spaces.bytes().all(|byte| byte == b' ')).then_some(before)
    }
}
