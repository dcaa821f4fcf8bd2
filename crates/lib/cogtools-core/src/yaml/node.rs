//! The tree of a document.

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value};

use crate::text::Span;

/// A value and its span.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub data: Data,
    /// Its span. A block collection ends where its last value ends.
    pub span: Span,
}

/// The value of a node, one of JSON's.
#[derive(Clone, Debug)]
pub enum Data {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that JSON can represent.
    Number(Number),
    /// A string.
    Text {
        /// Its value.
        text: String,
        /// The indentation of its lines, if it is a literal block (`|`).
        block: Option<usize>,
    },
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The key's span.
    pub span: Span,
    /// The value.
    pub value: Node,
}

impl Entry {
    /// Returns true if it is a key without a colon, such as the rest of `{text: Hello, Ada}`.
    pub(crate) const fn is_bare(&self) -> bool {
        matches!(self.value.data, Data::Null) && self.value.span.start <= self.span.end
    }
}

/// Serializes the node as JSON, without an intermediate tree.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.data {
            Data::Null => serializer.serialize_unit(),
            Data::Bool(value) => serializer.serialize_bool(*value),
            Data::Number(number) => number.serialize(serializer),
            Data::Text { text, .. } => serializer.serialize_str(text),
            Data::List(items) => serializer.collect_seq(items),
            Data::Map(entries) => {
                let entries = entries.iter().map(|entry| (&entry.key, &entry.value));
                serializer.collect_map(entries)
            }
        }
    }
}

impl Node {
    /// The node of a JSON value, with the same `span` everywhere.
    pub(crate) fn from_json(value: Value, span: Span) -> Self {
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(value) => Data::Bool(value),
            Value::Number(number) => Data::Number(number),
            Value::String(text) => Data::Text { text, block: None },
            Value::Array(items) => {
                let items = items.into_iter().map(|item| Self::from_json(item, span));
                Data::List(items.collect())
            }
            Value::Object(entries) => {
                let entries = entries.into_iter().map(|(key, value)| Entry {
                    key,
                    span,
                    value: Self::from_json(value, span),
                });
                Data::Map(entries.collect())
            }
        };
        Self { data, span }
    }

    /// The string, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The entries, if it is a mapping.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.data {
            Data::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items, if it is a sequence.
    pub fn items(&self) -> Option<&[Self]> {
        match &self.data {
            Data::List(items) => Some(items),
            _ => None,
        }
    }

    /// The value of `key`, if it is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries()?
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
    }

    /// Takes the value of `key` out of a mapping, if it has one.
    pub(crate) fn take(&mut self, key: &str) -> Option<Self> {
        let Data::Map(entries) = &mut self.data else {
            return None;
        };
        let index = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.swap_remove(index).value)
    }

    /// Takes the items of the list under `key` out of a mapping; empty without such a
    /// list.
    pub(crate) fn take_items(&mut self, key: &str) -> Vec<Self> {
        let Data::Map(entries) = &mut self.data else {
            return Vec::new();
        };
        match entries.iter_mut().find(|entry| entry.key == key) {
            Some(Entry {
                value:
                    Self {
                        data: Data::List(items),
                        ..
                    },
                ..
            }) => std::mem::take(items),
            _ => Vec::new(),
        }
    }

    /// The kind of value, for messages.
    pub const fn kind(&self) -> &'static str {
        match &self.data {
            Data::Null => "nothing",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::Text { .. } => "a string",
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
        }
    }

    /// The value as JSON.
    pub fn to_json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(number) => Value::Number(number.clone()),
            Data::Text { text, .. } => Value::String(text.clone()),
            Data::List(items) => items.iter().map(Self::to_json).collect(),
            Data::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_json()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// Follows the segments of a JSON pointer as far as they exist; returns the last node
    /// and the span of its key.
    pub fn walk<'a>(&self, segments: impl Iterator<Item = &'a str>) -> (&Self, Span) {
        let (mut node, mut span) = (self, self.span);
        for segment in segments {
            match &node.data {
                Data::Map(entries) => match entries.iter().find(|entry| entry.key == segment) {
                    Some(entry) => (node, span) = (&entry.value, entry.span),
                    None => break,
                },
                Data::List(items) => match segment.parse().ok().and_then(|at: usize| items.get(at))
                {
                    Some(item) => (node, span) = (item, item.span),
                    None => break,
                },
                _ => break,
            }
        }
        (node, span)
    }
}
