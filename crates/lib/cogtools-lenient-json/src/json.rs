//! A JSON value that keeps the spelling of its numbers.

use std::fmt::{self, Display, Formatter};

use indexmap::IndexMap;
use serde_json::{Map, Value};

/// A JSON value. `Display` writes it compactly.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that a double can hold, perhaps rounded.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Self>),
    /// An object, in the order in which its keys first occur.
    Object(IndexMap<String, Self>),
}

/// A number as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// An integer in its only spelling.
    Integer(i64),
    /// Any other number, in the syntax of RFC 8259.
    Text(Box<str>),
}

impl Number {
    /// The number that `text` is, in the syntax of RFC 8259; `None` if a double cannot hold it.
    pub(crate) fn new(text: &str) -> Option<Self> {
        if let Ok(integer) = text.parse::<i64>()
            && text != "-0"
        {
            return Some(Self::Integer(integer));
        }
        let double: f64 = text.parse().ok()?;
        double.is_finite().then(|| Self::Text(text.into()))
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => integer.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Json {
    /// Returns true if it is an array or an object.
    pub const fn is_container(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Object(_))
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::String(text) => string(text, f),
            Self::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    separator(index, f)?;
                    item.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (key, value)) in members.iter().enumerate() {
                    separator(index, f)?;
                    string(key, f)?;
                    f.write_str(":")?;
                    value.fmt(f)?;
                }
                f.write_str("}")
            }
        }
    }
}

fn separator(index: usize, f: &mut Formatter<'_>) -> fmt::Result {
    if index == 0 { Ok(()) } else { f.write_str(",") }
}

fn string(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    let quoted = serde_json::to_string(text).map_err(|_| fmt::Error)?;
    f.write_str(&quoted)
}

/// Numbers that fit neither integer type of `serde_json` become doubles.
impl From<Json> for Value {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(Number::Integer(integer)) => integer.into(),
            Json::Number(Number::Text(text)) => match text.parse::<u64>() {
                Ok(integer) => integer.into(),
                Err(_) => text.parse::<f64>().map_or(Self::Null, Self::from),
            },
            Json::String(text) => Self::String(text),
            Json::Array(items) => items.into_iter().map(Self::from).collect(),
            Json::Object(members) => {
                let members = members.into_iter();
                Self::Object(
                    members
                        .map(|(key, value)| (key, value.into()))
                        .collect::<Map<_, _>>(),
                )
            }
        }
    }
}
