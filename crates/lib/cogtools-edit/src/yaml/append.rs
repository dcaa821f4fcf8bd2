//! Items added to a list that is written in lines, with every other byte preserved.

use cogtools_core::yaml::Node;
use serde_json::Value;

use super::{EditError, Editor, Patch, is_flow};

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
