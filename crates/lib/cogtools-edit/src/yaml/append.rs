//! Items of a list that is written in lines: added and replaced, with every other byte preserved.

use std::collections::HashMap;

use cogtools_core::yaml::Node;
use serde_json::Value;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use super::{EditError, Editor, Patch, is_flow, render};

/// Returns `text` with more items at the end of the list at `key`, which is written in lines; `root`
/// is its tree. An item is its YAML, in lines that are not indented, and its value.
pub fn append(
    text: &str,
    root: &Node,
    key: &str,
    items: &[(String, Value)],
) -> Result<String, EditError> {
    let editor = Editor { text, root };
    let list = root.get(key);
    let at = list.map_or(0, |list| list.span.start);
    let patch = list.filter(|list| !is_flow(text, list)).and_then(|list| {
        let last = list.items()?.last()?;
        let prefix = editor.item_prefix(last)?;
        let at = editor.line_end(editor.item_end(last)?);
        let newline = editor.newline(at);
        let mut more = String::new();
        for (yaml, _) in items {
            for (index, line) in yaml.lines().enumerate() {
                more.push_str(newline);
                match index {
                    0 => more.push_str(prefix),
                    _ if line.is_empty() => continue,
                    _ => more.extend(std::iter::repeat_n(' ', prefix.len())),
                }
                more.push_str(line);
            }
        }
        Some(vec![Patch::insert(at, more)])
    });
    let mut expected = root.to_json();
    if let Some(Value::Array(list)) = expected.get_mut(key) {
        list.extend(items.iter().map(|(_, value)| value.clone()));
    }
    editor.apply(patch, at, &expected)
}

impl<'t> Editor<'t> {
    /// Replaces only the items of a list that differ. One that is only moved keeps its lines, and with
    /// them its comment.
    pub(super) fn replace_items(&self, items: &[Node], values: &[Value]) -> Option<Vec<Patch>> {
        if values.is_empty() {
            return None;
        }
        let before: Vec<String> = items.iter().map(|it| it.to_json().to_string()).collect();
        let after: Vec<String> = values.iter().map(Value::to_string).collect();
        let changes = capture_diff_slices(Algorithm::Myers, &before, &after);
        let (kept, changed): (Vec<&DiffOp>, Vec<&DiffOp>) = changes
            .iter()
            .partition(|change| change.tag() == DiffTag::Equal);

        let mut patches = Vec::new();
        let mut moved: HashMap<&str, Vec<&str>> = HashMap::new();
        // The first of equal items comes last, to be taken first.
        for index in changed.iter().flat_map(|change| change.old_range()).rev() {
            let item = &items[index];
            self.item_prefix(item)?;
            let (start, end) = (self.line_start(item.span.start), self.item_end(item)?);
            let lines = &self.text[start..self.line_end(end)];
            moved.entry(&before[index]).or_default().push(lines);
            patches.push(Patch::remove(start, self.next_line(end)));
        }
        let first = items.first()?;
        let prefix = self.item_prefix(first)?;
        for change in changed {
            let lines = change.new_range().map(|index| {
                let moved = moved.get_mut(after[index].as_str()).and_then(Vec::pop);
                moved.map_or_else(
                    || format!("{prefix}{}", item(&values[index])),
                    str::to_owned,
                )
            });
            let lines: Vec<String> = lines.collect();
            if lines.is_empty() {
                continue;
            }
            let mut above = kept.iter().map(|it| it.old_range().end);
            let above = above.rfind(|end| *end <= change.old_range().start);
            patches.push(if let Some(last) = items[..above.unwrap_or(0)].last() {
                let at = self.line_end(self.item_end(last)?);
                let newline = self.newline(at);
                Patch::insert(at, format!("{newline}{}", lines.join(newline)))
            } else {
                let at = self.line_start(first.span.start);
                let newline = self.newline(at);
                Patch::insert(at, format!("{}{newline}", lines.join(newline)))
            });
        }
        Some(patches)
    }

    /// The text before an item in its line: spaces, a dash, spaces.
    fn item_prefix(&self, item: &Node) -> Option<&'t str> {
        let before = self.before(item.span.start);
        let spaces = before.trim_start_matches(' ').strip_prefix('-')?;
        (!spaces.is_empty() && spaces.bytes().all(|byte| byte == b' ')).then_some(before)
    }
}

/// Renders `value` as an item of a block list.
fn item(value: &Value) -> String {
    match value {
        Value::Object(entries) if entries.len() == 1 => {
            let text = render(value);
            text[1..text.len() - 1].to_owned()
        }
        other => render(other),
    }
}
