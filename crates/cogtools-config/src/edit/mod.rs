//! One value of a YAML text changed in place: every byte that is not the value's
//! stays.
//!
//! How an edit is made is a matter of judgement; that it is right is not. So the
//! new text is parsed again, and must say what the old one said but for the one
//! change. Else there is no edit.

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

pub(crate) use render::flow as render;

/// Why a text is not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The byte at which a person should look.
    pub(crate) at: usize,
}

/// A stretch of the text and what stands there instead.
#[derive(Clone, Debug)]
struct Patch {
    start: usize,
    end: usize,
    text: String,
}

impl Patch {
    /// `text` where nothing was.
    const fn insert(at: usize, text: String) -> Self {
        Self {
            start: at,
            end: at,
            text,
        }
    }

    /// Nothing where something was.
    const fn remove(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            text: String::new(),
        }
    }
}

/// A text that is edited, and its tree.
struct Subject<'t> {
    text: &'t str,
    root: &'t Node,
}

/// `text` with `value` at the key that `way` leads to; `root` is its tree.
pub(crate) fn set(text: &str, root: &Node, way: &[&str], value: &Value) -> Result<String, Refused> {
    let subject = Subject { text, root };
    let (node, entry, rest) = subject.walk(way);
    let at = entry.map_or(0, |entry| entry.span.start);
    let patches = match entry {
        Some(entry) if rest.is_empty() => subject.replace(entry, value),
        _ => subject.insert(node, entry, rest, value),
    };
    let mut wanted = root.to_json();
    put(&mut wanted, way, Some(value.clone()));
    subject.apply(patches, at, &wanted)
}

/// `text` without the key that `way` leads to; none when there is no such key.
pub(crate) fn unset(text: &str, root: &Node, way: &[&str]) -> Option<Result<String, Refused>> {
    let subject = Subject { text, root };
    let (_, entry, rest) = subject.walk(way);
    let entry = entry.filter(|_| rest.is_empty())?;
    let mut wanted = root.to_json();
    put(&mut wanted, way, None);
    Some(subject.apply(subject.remove(way), entry.span.start, &wanted))
}

impl<'t> Subject<'t> {
    /// As far as `way` goes: the node there, the entry whose value it is, and the
    /// keys that are left.
    fn walk<'w, 's>(&self, way: &'w [&'s str]) -> (&'t Node, Option<&'t Entry>, &'w [&'s str]) {
        let (mut node, mut found) = (self.root, None);
        for (index, key) in way.iter().enumerate() {
            let entries = node.entries().unwrap_or_default();
            match entries.iter().find(|entry| entry.key == *key) {
                Some(entry) => (node, found) = (&entry.value, Some(entry)),
                None => return (node, found, &way[index..]),
            }
        }
        (node, found, &[])
    }

    fn apply(
        &self,
        patches: Option<Vec<Patch>>,
        at: usize,
        wanted: &Value,
    ) -> Result<String, Refused> {
        let refused = Refused { at };
        let mut patches = patches.ok_or(refused)?;
        patches.sort_by_key(|patch| (patch.start, patch.end));
        let mut edited = self.text.to_owned();
        for patch in patches.iter().rev() {
            edited.replace_range(patch.start..patch.end, &patch.text);
        }
        let parsed = Text::new("", edited.clone().into_bytes()).ok();
        let parsed = parsed.and_then(|text| yaml::parse(&text).ok());
        let said = parsed.map(|node| pruned(node.to_json()));
        if said == Some(pruned(wanted.clone())) {
            Ok(edited)
        } else {
            Err(refused)
        }
    }
}

/// Puts `value` at `way` of `document`, or takes away what is there.
fn put(document: &mut Value, way: &[&str], value: Option<Value>) {
    let Some((key, rest)) = way.split_first() else {
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
        put(object.entry(*key).or_insert(Value::Null), rest, value);
    }
}

/// `value` without maps that say nothing: to a configuration they are nothing.
fn pruned(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let entries = object.into_iter().map(|(key, value)| (key, pruned(value)));
            let entries: Map<_, _> = entries.filter(|(_, value)| !value.is_null()).collect();
            if entries.is_empty() {
                Value::Null
            } else {
                Value::Object(entries)
            }
        }
        other => other,
    }
}

/// Whether `node` is written between brackets.
fn is_flow(text: &str, node: &Node) -> bool {
    matches!(node.data, Data::Map(_) | Data::List(_))
        && text[node.span.start..].starts_with(['{', '['])
}
