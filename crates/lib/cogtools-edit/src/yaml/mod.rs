//! Changes one value of a YAML text in place and preserves all other bytes.
//!
//! An edit is made by heuristics and then verified: the new text is parsed again, and must have
//! the old content except for the one change. Otherwise the edit is rejected.

mod entry;
mod flow;
mod insert;
mod layout;
mod remove;
mod render;
mod replace;

#[cfg(test)]
mod tests;

use cogtools_core::text::Text;
use cogtools_core::yaml::{self, Data, Entry, Node};
use serde_json::{Map, Value};

pub use entry::{add, entry, read};
pub use render::flow as render;

/// The text cannot be changed without changing something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditError {
    /// The byte offset to show.
    pub at: usize,
}

/// A range of the text and its replacement.
#[derive(Clone, Debug)]
struct Patch {
    start: usize,
    end: usize,
    text: String,
}

impl Patch {
    /// Inserts `text`.
    const fn insert(at: usize, text: String) -> Self {
        Self {
            start: at,
            end: at,
            text,
        }
    }

    /// Removes a range.
    const fn remove(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            text: String::new(),
        }
    }
}

/// A text and its syntax tree.
struct Editor<'t> {
    text: &'t str,
    root: &'t Node,
}

/// Returns `text` with `value` at the key `path`; `root` is its tree.
pub fn set(text: &str, root: &Node, path: &[&str], value: &Value) -> Result<String, EditError> {
    let editor = Editor { text, root };
    let (node, entry, rest) = editor.walk(path);
    let at = entry.map_or(0, |entry| entry.span.start);
    let patches = match entry {
        Some(entry) if rest.is_empty() => editor.replace(entry, value),
        _ => editor.insert(node, entry, rest, value),
    };
    let mut expected = root.to_json();
    update(&mut expected, path, Some(value.clone()));
    editor.apply(patches, at, &expected)
}

/// Returns `text` without the key `path`, or `None` if it is not set.
pub fn unset(text: &str, root: &Node, path: &[&str]) -> Option<Result<String, EditError>> {
    let editor = Editor { text, root };
    let (_, entry, rest) = editor.walk(path);
    let entry = entry.filter(|_| rest.is_empty())?;
    let mut expected = root.to_json();
    update(&mut expected, path, None);
    Some(editor.apply(editor.remove(path), entry.span.start, &expected))
}

impl<'t> Editor<'t> {
    /// Follows `path` as far as it exists. Returns the last node, the entry whose value it is, and
    /// the rest of the path.
    fn walk<'w, 's>(&self, path: &'w [&'s str]) -> (&'t Node, Option<&'t Entry>, &'w [&'s str]) {
        let (mut node, mut found) = (self.root, None);
        for (index, key) in path.iter().enumerate() {
            let entries = node.entries().unwrap_or_default();
            match entries.iter().find(|entry| entry.key == *key) {
                Some(entry) => (node, found) = (&entry.value, Some(entry)),
                None => return (node, found, &path[index..]),
            }
        }
        (node, found, &[])
    }

    fn apply(
        &self,
        patches: Option<Vec<Patch>>,
        at: usize,
        expected: &Value,
    ) -> Result<String, EditError> {
        let error = EditError { at };
        let mut patches = patches.ok_or(error)?;
        patches.sort_by_key(|patch| (patch.start, patch.end));
        let mut edited = self.text.to_owned();
        for patch in patches.iter().rev() {
            edited.replace_range(patch.start..patch.end, &patch.text);
        }
        let content = Text::new("", edited.clone().into_bytes())
            .ok()
            .and_then(|text| yaml::parse(&text).ok())
            .map(|node| prune(node.to_json()));
        if content == Some(prune(expected.clone())) {
            Ok(edited)
        } else {
            Err(error)
        }
    }
}

/// Sets the value at `path` of `document`, or removes it.
fn update(document: &mut Value, path: &[&str], value: Option<Value>) {
    let Some((key, rest)) = path.split_first() else {
        *document = value.unwrap_or_default();
        return;
    };
    if !document.is_object() {
        *document = Value::Object(Map::new());
    }
    let Value::Object(object) = document else {
        return;
    };
    if rest.is_empty() && value.is_none() {
        object.shift_remove(*key);
    } else {
        update(object.entry(*key).or_insert(Value::Null), rest, value);
    }
}

/// Removes empty maps, which are equivalent to missing ones in a configuration.
fn prune(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let entries: Map<_, _> = object
                .into_iter()
                .map(|(key, value)| (key, prune(value)))
                .filter(|(_, value)| !value.is_null())
                .collect();
            if entries.is_empty() {
                Value::Null
            } else {
                Value::Object(entries)
            }
        }
        other => other,
    }
}

/// Whether `node` is a flow collection, which is written in brackets.
fn is_flow(text: &str, node: &Node) -> bool {
    matches!(node.data, Data::Map(_) | Data::List(_))
        && text[node.span.start..].starts_with(['{', '['])
}
