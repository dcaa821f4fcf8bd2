//! The messages for each kind of error that the validator reports.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::keyword::type_name;
use super::{Object, is_true};
use crate::Hint;
use crate::pluralize;
use crate::suggest::Suggestion;

/// Maximum number of alternatives of an `anyOf` that are explained, with as many errors each.
const MAX_ALTERNATIVES: usize = 4;
/// The label of a schema that does not say a type.
const ANY: &str = "any value";
/// Maximum number of characters of a value that are shown.
const MAX_VALUE_CHARS: usize = 60;
/// The message for a value that exceeds the limits of a pattern.
pub(super) const TOO_LONG: &str = "takes too long to compare with the pattern of this parameter";

/// The message, without the location.
pub(super) fn message(kind: &Kind, value: &Value) -> String {
    if let Some(message) = size_message(kind, value) {
        return message;
    }
    let got = show(value);
    match kind {
        Kind::Type { kind } if value.is_null() => {
            format!("expected {}, got null", type_names(kind))
        }
        Kind::Type { kind } => format!(
            "expected {}, got {} {got}",
            type_names(kind),
            type_name(value)
        ),
        Kind::Enum { options } => {
            let options: Vec<String> = options.as_array().into_iter().flatten().map(show).collect();
            format!("expected one of {}, got {got}", options.join(", "))
        }
        Kind::Minimum { limit } => format!("must be at least {limit}, got {got}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}, got {got}"),
        Kind::Maximum { limit } => format!("must be at most {limit}, got {got}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}, got {got}"),
        Kind::MultipleOf { multiple_of } => {
            format!("must be a multiple of {multiple_of}, got {got}")
        }
        Kind::UniqueItems => "has the same item twice".to_owned(),
        Kind::Pattern { pattern } => format!("must match the pattern `{pattern}`, got {got}"),
        Kind::Format { format } => format!("must be in the format {format}, got {got}"),
        Kind::Not { schema } => format!("must not fit {}", show(schema)),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => match context.len() {
            1 => "does not fit the only alternative".to_owned(),
            count => format!("fits none of the {count} alternatives"),
        },
        Kind::OneOfMultipleValid { .. } => {
            "fits several alternatives, must fit exactly one".to_owned()
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            TOO_LONG.to_owned()
        }
        // A keyword of ours words its violations itself.
        Kind::Custom { message, .. } => message.clone(),
        other => format!("does not satisfy `{}`", other.keyword()),
    }
}

/// The message for a value of the wrong size.
fn size_message(kind: &Kind, value: &Value) -> Option<String> {
    let (bound, limit, noun) = match kind {
        Kind::MinLength { limit } => ("needs at least", limit, "character"),
        Kind::MaxLength { limit } => ("may have at most", limit, "character"),
        Kind::MinItems { limit } => ("needs at least", limit, "item"),
        Kind::MaxItems { limit } => ("may have at most", limit, "item"),
        Kind::MinProperties { limit } => ("needs at least", limit, "key"),
        Kind::MaxProperties { limit } => ("may have at most", limit, "key"),
        _ => return None,
    };
    let actual = length(value);
    Some(format!("{bound} {}, has {actual}", pluralize(*limit, noun)))
}

/// The hints for this kind of error.
pub(super) fn hints(kind: &Kind, value: &Value) -> Vec<Hint> {
    match kind {
        Kind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let known = options.iter().filter_map(Value::as_str);
            let meant = value.as_str().and_then(|sent| Suggestion::of(sent, known));
            meant.into_iter().map(Hint::from).collect()
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let alternatives = context.iter().enumerate().take(MAX_ALTERNATIVES);
            alternatives
                .map(|(index, errors)| {
                    let errors: Vec<String> =
                        errors.iter().take(MAX_ALTERNATIVES).map(brief).collect();
                    format!("alternative {}: {}", index + 1, errors.join("; ")).into()
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// One error in an alternative, in short.
fn brief(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let message = match error.kind() {
        Kind::Required { property } => format!("{} is missing", show(property)),
        kind => message(kind, error.instance()),
    };
    if path.is_empty() {
        message
    } else {
        format!("{path}: {message}")
    }
}

fn type_names(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(all) => {
            // `null` comes last, as in "string or null".
            let mut names: Vec<String> = all.iter().map(|one| one.to_string()).collect();
            names.sort_by_key(|name| name == "null");
            names.join(" or ")
        }
    }
}

/// A value as JSON, truncated to a readable length.
pub(super) fn show(value: &Value) -> String {
    truncate(&value.to_string(), MAX_VALUE_CHARS)
}

pub(super) fn truncate(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    text.chars().take(max_chars).chain(['…']).collect()
}

fn length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(entries) => entries.len(),
        _ => 0,
    }
}

/// Describes the values of `schema`: `integer, at least 0`, `one of "a", "b"`, `array of string, at
/// most 3 items`.
pub fn label(schema: &Object) -> String {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        let options: Vec<String> = options.iter().map(show).collect();
        return format!("one of {}", options.join(", "));
    }
    let mut parts = vec![kind(schema)];
    parts.extend(bounds(schema));
    parts.join(", ")
}

fn kind(schema: &Object) -> String {
    let null = if is_true(schema, "nullable") {
        " or null"
    } else {
        ""
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => {
            let items = schema.get("items").and_then(Value::as_object).map(item);
            let items = items.unwrap_or_else(|| ANY.to_owned());
            format!("array of {items}{null}")
        }
        Some(kind) => format!("{kind}{null}"),
        None => alternatives(schema).unwrap_or_else(|| ANY.to_owned()),
    }
}

/// The labels of the alternatives, each once; `None` if one of them can be anything.
fn alternatives(schema: &Object) -> Option<String> {
    let list = schema.get("oneOf").or_else(|| schema.get("anyOf"));
    let mut labels: Vec<String> = Vec::new();
    for part in list?.as_array()? {
        let mut label = label(part.as_object()?);
        if label == ANY {
            return None;
        }
        if label.contains(", ") {
            label = format!("({label})");
        }
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    if labels.len() > MAX_ALTERNATIVES {
        labels.truncate(MAX_ALTERNATIVES);
        labels.push("…".to_owned());
    }
    Some(labels.join(" or "))
}

/// The label of an array's items, in parentheses if it has several parts.
fn item(schema: &Object) -> String {
    let label = label(schema);
    let is_one = bounds(schema).is_empty() && (schema.contains_key("type") || label == ANY);
    if is_one || schema.contains_key("enum") {
        label
    } else {
        format!("({label})")
    }
}

fn bounds(schema: &Object) -> Vec<String> {
    let number = |keyword: &str| schema.get(keyword).filter(|value| value.is_number());
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    let mut bounds = Vec::new();
    for (keyword, exclusive, plain, more) in [
        ("minimum", "exclusiveMinimum", "at least", "more than"),
        ("maximum", "exclusiveMaximum", "at most", "less than"),
    ] {
        let word = if is_true(schema, exclusive) {
            more
        } else {
            plain
        };
        bounds.extend(number(keyword).map(|limit| format!("{word} {limit}")));
    }
    bounds.extend(number("multipleOf").map(|of| format!("a multiple of {of}")));
    for (least, greatest, noun) in [
        ("minLength", "maxLength", "character"),
        ("minItems", "maxItems", "item"),
        ("minProperties", "maxProperties", "key"),
    ] {
        for (keyword, word) in [(least, "at least"), (greatest, "at most")] {
            let limit = number(keyword).and_then(Value::as_u64);
            bounds.extend(limit.map(|limit| format!("{word} {}", pluralize(limit, noun))));
        }
    }
    if is_true(schema, "uniqueItems") {
        bounds.push("no item twice".to_owned());
    }
    bounds.extend(text("format").map(|format| format!("in the format {format}")));
    bounds.extend(text("pattern").map(|pattern| format!("matching `{pattern}`")));
    bounds
}

#[cfg(test)]
mod label_tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_label_has_the_type_and_the_bounds() {
        for (schema, expected) in [
            (json!({}), "any value"),
            (
                json!({"type": "integer", "minimum": 0}),
                "integer, at least 0",
            ),
            (
                json!({"type": "number", "minimum": 0.5, "exclusiveMinimum": true, "maximum": 9, "multipleOf": 0.5}),
                "number, more than 0.5, at most 9, a multiple of 0.5",
            ),
            (
                json!({"type": "integer", "maximum": 9, "exclusiveMaximum": true}),
                "integer, less than 9",
            ),
            (
                json!({"type": "string", "nullable": true, "minLength": 1, "maxLength": 5}),
                "string or null, at least 1 character, at most 5 characters",
            ),
            (
                json!({"type": "string", "format": "date", "pattern": "^2"}),
                "string, in the format date, matching `^2`",
            ),
            (
                json!({"type": "string", "enum": ["a", "b"]}),
                "one of \"a\", \"b\"",
            ),
            (
                json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": true}),
                "array of string, at least 1 item, at most 3 items, no item twice",
            ),
            (
                json!({"type": "array", "items": {"type": "string", "maxLength": 5}, "maxItems": 3}),
                "array of (string, at most 5 characters), at most 3 items",
            ),
            (
                json!({"type": "array", "items": {"enum": [1, 2]}}),
                "array of one of 1, 2",
            ),
            (
                json!({"oneOf": [{"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "string"}]}),
                "string or (integer, at least 0)",
            ),
            (
                json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "array", "items": {"type": "string"}}]}),
                "(one of \"a\", \"b\") or array of string",
            ),
            (
                json!({"type": "array", "items": {"oneOf": [{"type": "string"}, {"type": "boolean"}]}}),
                "array of (string or boolean)",
            ),
            (json!({"oneOf": [{"type": "string"}, {}]}), "any value"),
            (
                json!({"type": "object", "minProperties": 1, "maxProperties": 2}),
                "object, at least 1 key, at most 2 keys",
            ),
        ] {
            assert_eq!(label(schema.as_object().unwrap()), expected, "{schema}");
        }
    }
}
