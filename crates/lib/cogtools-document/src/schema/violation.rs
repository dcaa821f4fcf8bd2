//! Violations of a schema by arguments, worded so that a model can correct them.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value};

use super::message::label;
use super::message::{hints, message, truncate};
use super::{Schema, required};
use crate::Hint;
use crate::pointer::{child, segments};
use crate::quoted;
use crate::suggest::Suggestion;

/// Maximum number of characters of a parameter's description in a hint.
const MAX_DESCRIPTION_CHARS: usize = 400;

/// One violation of the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The JSON pointer of the invalid, missing or unknown argument.
    pub pointer: String,
    /// The message.
    pub kind: ViolationKind,
    /// Suggestions of what to send instead.
    pub hints: Vec<Hint>,
}

/// The kind of a violation.
#[derive(Clone, Debug, PartialEq, Eq, strum::Display)]
pub enum ViolationKind {
    /// A required argument is missing.
    #[strum(to_string = "required but missing")]
    Missing,
    /// The schema does not have this argument.
    #[strum(to_string = "not a parameter of this tool")]
    Unknown,
    /// The value is invalid, for this reason.
    #[strum(transparent)]
    Invalid(String),
}

impl Violation {
    /// An argument (or property) `name` with `value` that the schema lacks; `known` lists its
    /// properties.
    pub fn unknown(pointer: String, name: &str, value: Option<&Value>, known: &[&str]) -> Self {
        let mut hints = vec![match (Suggestion::of(name, known.iter().copied()), known) {
            (Some(suggestion), _) => suggestion.into(),
            (None, []) => "send no arguments: `{}`".into(),
            (None, known) => format!("the parameters are {}", quoted(known)).into(),
        }];
        // In YAML, text without quotes ends at a comma, and its rest is a key.
        if value.is_some_and(Value::is_null) {
            hints.push("if it is the rest of a text with a comma, put that in quotes".into());
        }
        Self {
            pointer,
            kind: ViolationKind::Unknown,
            hints,
        }
    }

    /// The pointer and the message on one line; `unknown` is the message about what the schema lacks.
    pub fn line(&self, unknown: &str) -> String {
        let message = match &self.kind {
            ViolationKind::Unknown => unknown.to_owned(),
            kind @ (ViolationKind::Missing | ViolationKind::Invalid(_)) => kind.to_string(),
        };
        match self.pointer.as_str() {
            "" => message,
            pointer => format!("{pointer}: {message}"),
        }
    }
}

/// The violations for one error of the validator.
pub(crate) fn from_error(schema: &Schema, error: &ValidationError<'_>) -> Vec<Violation> {
    let base = error.instance_path().to_string();
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let pointer = child(&base, name);
            vec![Violation {
                hints: vec![send_hint(schema, &pointer).into()],
                pointer,
                kind: ViolationKind::Missing,
            }]
        }
        Kind::AdditionalProperties { unexpected } => {
            let known = known_beside(schema, error.schema_path().as_str());
            let known = known.into_iter().flat_map(Map::keys);
            let known: Vec<&str> = known.map(String::as_str).collect();
            let violation = |name: &String| {
                Violation::unknown(child(&base, name), name, error.instance().get(name), &known)
            };
            unexpected.iter().map(violation).collect()
        }
        kind => {
            let mut hints = hints(kind, error.instance());
            let send = send_hint(schema, &base);
            // A model that sends null has no value, and would make one up.
            let is_absent = error.instance().is_null() && is_optional(schema, &base);
            let send = if is_absent {
                format!("leave it out, or {send}")
            } else {
                send
            };
            hints.push(send.into());
            vec![Violation {
                pointer: base,
                kind: ViolationKind::Invalid(message(kind, error.instance())),
                hints,
            }]
        }
    }
}

/// The properties beside `additionalProperties` at the JSON pointer `keyword`, of one of the schemas
/// that a value must match.
fn known_beside<'s>(schema: &'s Schema, keyword: &str) -> Option<&'s Map<String, Value>> {
    let root = schema.original.as_ref().unwrap_or(&schema.object);
    let (outer, _) = keyword.rsplit_once('/')?;
    let properties = match outer.strip_prefix('/') {
        None => root.get("properties"),
        Some(path) => {
            let (first, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
            root.get(first)?.pointer(rest)?.get("properties")
        }
    };
    properties?.as_object()
}

/// `send therefore (string): Provide constructive outlook on the situation`.
fn send_hint(schema: &Schema, pointer: &str) -> String {
    let segments = segments(pointer);
    let name = name(schema, &segments);
    let Some(here) = schema.at(segments.iter().map(String::as_str)) else {
        return format!("see the parameters of the tool for {name}");
    };
    let description = here.get("description").and_then(Value::as_str);
    let words: Vec<&str> = description.unwrap_or_default().split_whitespace().collect();
    let description = truncate(&words.join(" "), MAX_DESCRIPTION_CHARS);
    match (label(here), description.as_str()) {
        (label, "") => format!("send {name} ({label})"),
        (label, description) => format!("send {name} ({label}): {description}"),
    }
}

/// Returns true if `pointer` leads to a property that may be left out.
fn is_optional(schema: &Schema, pointer: &str) -> bool {
    let segments = segments(pointer);
    let Some((last, outer)) = segments.split_last() else {
        return false;
    };
    let object = schema.at(outer.iter().map(String::as_str));
    object.is_some_and(|object| {
        object.contains_key("properties") && required(object).all(|name| name != last)
    })
}

/// The name of the value at `segments`: a property's name or an item's index.
fn name(schema: &Schema, segments: &[String]) -> String {
    let Some((last, outer)) = segments.split_last() else {
        return "an object".to_owned();
    };
    let is_list = schema
        .at(outer.iter().map(String::as_str))
        .is_some_and(|schema| schema.contains_key("items"));
    if is_list && !outer.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()) {
        return format!("item {last} of {}", name(schema, outer));
    }
    last.clone()
}
