//! YAML with locations: a tree in which every key and value has a span.
//!
//! The events come from a conforming parser. This module restricts documents: YAML 1.2
//! core schema, one document, unique string keys, and limits against malicious files.

mod loader;
mod slip;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use crate::text::{Span, Text};
use crate::{Code, Diagnostic, Hint};
pub use loader::{parse, parse_with_number_keys};

/// Maximum nesting of collections.
pub const MAX_DEPTH: usize = 64;
/// Maximum number of nodes of a document, with each alias counted in full.
pub const MAX_NODES: usize = 100_000;
/// The total length of a document's strings in bytes, with each alias counted in
/// full: 32 MiB.
pub const MAX_TEXT: usize = 32 << 20;

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
    /// Returns true if `span` begins in the key or the value.
    pub fn contains(&self, span: Span) -> bool {
        let end = self.span.end.max(self.value.span.end);
        (self.span.start..end).contains(&span.start)
    }

    /// Returns true if it is a key without a colon, such as the rest of `{text: Hello, Ada}`.
    pub const fn is_bare(&self) -> bool {
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
    /// Makes a node of its value and its place.
    pub const fn new(data: Data, span: Span) -> Self {
        Self { data, span }
    }

    /// The node of a JSON value, with the same `span` everywhere.
    pub fn from_json(value: Value, span: Span) -> Self {
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

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match &self.data {
            Data::Number(number) => number.as_f64(),
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

    /// The items of a list, or the node itself if it is none.
    pub fn one_or_more(&self) -> &[Self] {
        self.items().unwrap_or(std::slice::from_ref(self))
    }

    /// The entry of `key`, if it is a mapping that has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().find(|entry| entry.key == key)
    }

    /// The value of `key`, if it is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Takes the value of `key` out of a mapping, if it has one.
    pub fn take(&mut self, key: &str) -> Option<Self> {
        let Data::Map(entries) = &mut self.data else {
            return None;
        };
        let index = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.swap_remove(index).value)
    }

    /// Takes the items of the list under `key` out of a mapping; empty without such a
    /// list.
    pub fn take_items(&mut self, key: &str) -> Vec<Self> {
        let Data::Map(entries) = &mut self.data else {
            return Vec::new();
        };
        let mut entries = entries.iter_mut();
        let entry = entries.find(|entry| entry.key == key);
        match entry.map(|entry| &mut entry.value.data) {
            Some(Data::List(items)) => std::mem::take(items),
            _ => Vec::new(),
        }
    }

    /// The values in the node, itself first, each with the entry that has it, alone or in a list.
    pub fn descendants(&self) -> Vec<(Option<&Entry>, &Self)> {
        let mut found = vec![(None, self)];
        let mut next = 0;
        while let Some((entry, node)) = found.get(next).copied() {
            next += 1;
            match &node.data {
                Data::List(items) => found.extend(items.iter().map(|item| (entry, item))),
                Data::Map(entries) => found.extend(entries.iter().map(|it| (Some(it), &it.value))),
                _ => {}
            }
        }
        found
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
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Follows the segments of a JSON pointer as far as they exist; returns the last node
    /// and the span of its key.
    pub fn walk<'a>(&self, segments: impl Iterator<Item = &'a str>) -> (&Self, Span) {
        let (mut node, mut span) = (self, self.span);
        for segment in segments {
            let item = || node.items()?.get(segment.parse::<usize>().ok()?);
            let below = node.entry(segment).map(|entry| (&entry.value, entry.span));
            let Some(below) = below.or_else(|| item().map(|item| (item, item.span))) else {
                break;
            };
            (node, span) = below;
        }
        (node, span)
    }
}

/// An error and its location.
#[derive(Debug)]
pub struct YamlError {
    /// The mistake.
    pub kind: YamlErrorKind,
    /// Its place in the text.
    pub span: Span,
}

/// The kind of an error in a document.
#[derive(Debug, thiserror::Error)]
pub enum YamlErrorKind {
    /// The parser's message.
    #[error("{0}")]
    Syntax(String),
    /// A mistake of an author that the parser noticed: message and hint.
    #[error("{0}")]
    Slip(String, String),
    /// A key appears twice in one mapping.
    #[error("duplicate key `{key}`, first used on line {first}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// The line of its first use, from 1.
        first: usize,
    },
    /// A mapping key that is not a string.
    #[error("a key must be a string")]
    KeyKind,
    /// `<<`, which YAML 1.2 does not have.
    #[error("`<<` merges are not supported")]
    Merge,
    /// A tag such as `!!set`.
    #[error("tags such as `{0}` are not supported")]
    Tag(String),
    /// `.inf` or `.nan`.
    #[error("`{0}` cannot be represented in JSON")]
    NotFinite(String),
    /// An integer that does not fit in 64 bits.
    #[error("`{0}` does not fit in 64 bits")]
    TooBig(String),
    /// A number such as `017`, which YAML 1.1 and 1.2 read differently.
    #[error("`{0}` is octal for some YAML parsers and decimal for others")]
    LeadingZero(String),
    /// A line of a flow collection that is indented no deeper than the block around it.
    #[error("a line of a `[…]` or `{{…}}` must be indented deeper than the block around it")]
    FlowIndent {
        /// The smallest valid indentation, in spaces.
        least: usize,
    },
    /// More than one document.
    #[error("a second document begins here")]
    SecondDocument,
    /// Collections nest deeper than [`MAX_DEPTH`].
    #[error("more than {} levels of nesting", MAX_DEPTH)]
    TooDeep,
    /// More nodes than [`MAX_NODES`].
    #[error("more than {} values, aliases counted in full", MAX_NODES)]
    TooMany,
    /// More text than [`MAX_TEXT`].
    #[error("more than {} MiB of text, aliases counted in full", MAX_TEXT >> 20)]
    TooLong,
    /// An alias inside the node that it refers to.
    #[error("this alias contains itself")]
    Recursive,
}

impl YamlErrorKind {
    const fn at(self, span: Span) -> YamlError {
        YamlError { kind: self, span }
    }

    /// A message of the parser: in lower case, and without a full stop.
    fn syntax(message: &str) -> Self {
        let mut message = message.trim_end_matches('.').to_owned();
        message.get_mut(..1).map(str::make_ascii_lowercase);
        if message.starts_with("tabs disallowed") {
            "this line is indented with a tab".clone_into(&mut message);
        }
        Self::Syntax(message)
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Syntax(message) => return syntax_hint(message).map(str::to_owned),
            Self::Slip(_, hint) => return Some(hint.clone()),
            Self::DuplicateKey { .. } => "remove or rename one of the two",
            Self::KeyKind => "put it in quotes",
            Self::Merge => "write the keys out, or use an alias for a whole value",
            Self::Tag(_) => "leave the tag out; put the value in quotes to make it a string",
            Self::NotFinite(_) | Self::TooBig(_) => "put it in quotes to make it a string",
            Self::LeadingZero(value) => return Some(leading_zero_hint(value)),
            Self::FlowIndent { least } => {
                return Some(format!(
                    "indent it by {} or more",
                    crate::pluralize(*least, "space")
                ));
            }
            Self::SecondDocument => "write one document per file",
            Self::TooDeep | Self::TooMany | Self::TooLong => "simplify the document",
            Self::Recursive => "write the value out",
        };
        Some(hint.to_owned())
    }
}

/// The hint for an error of the parser. Its errors have no kinds, so only their
/// wording distinguishes them; tests pin it.
fn syntax_hint(message: &str) -> Option<&'static str> {
    const HINTS: [(&str, &str); 7] = [
        ("a tab", "indent it with spaces"),
        (
            "comments must be",
            "put a space before `#`, as in `| # njk`",
        ),
        (
            "unknown anchor",
            "put text that begins with `*` in quotes; an alias needs its `&` before it",
        ),
        (
            "unexpected character",
            "put text that begins with a special character in quotes",
        ),
        (
            "unknown escape",
            "write `\\\\` for a backslash, or use single quotes",
        ),
        (
            "after single-quoted",
            "write `''` for a quote inside single quotes",
        ),
        (
            "after double-quoted",
            "write `\\\"` for a quote inside double quotes",
        ),
    ];
    let known = HINTS.iter().find(|(phrase, _)| message.contains(phrase));
    known.map(|(_, hint)| *hint)
}

impl YamlError {
    /// The diagnostic for this error in `text`.
    pub fn diagnostic(&self, code: Code, text: &Text) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::new(code, self.kind.to_string()).at(text.location(self.span));
        diagnostic.hints.extend(self.kind.hint().map(Hint::from));
        diagnostic
    }
}

/// Suggests a spelling of a number with leading zeros that every parser reads alike.
fn leading_zero_hint(value: &str) -> String {
    let digits = value.trim_start_matches(['-', '+']);
    let sign = if value.starts_with('-') { "-" } else { "" };
    match digits.trim_start_matches('0') {
        "" => format!("write 0 or \"{value}\""),
        plain if plain.contains(['8', '9']) => format!("write {sign}{plain} or \"{value}\""),
        plain => format!("write {sign}{plain}, {sign}0o{plain} or \"{value}\""),
    }
}

#[cfg(test)]
mod error_tests {
    use super::*;

    #[test]
    fn the_hint_for_leading_zeros_names_valid_numbers() {
        for (value, expected) in [
            ("017", r#"write 17, 0o17 or "017""#),
            ("-017", r#"write -17, -0o17 or "-017""#),
            ("+09", r#"write 9 or "+09""#),
            ("00", r#"write 0 or "00""#),
        ] {
            let hint = YamlErrorKind::LeadingZero(value.to_owned()).hint();
            assert_eq!(hint.as_deref(), Some(expected), "{value}");
        }
    }
}
