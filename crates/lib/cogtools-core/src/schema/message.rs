//! The messages for each kind of error that the validator reports.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::keyword::type_name;
use crate::pluralize;
use crate::suggest::did_you_mean;

/// Maximum number of alternatives of an `anyOf` that are explained, with as many errors each.
const MAX_ALTERNATIVES: usize = 4;
/// Maximum number of characters of a value that are shown.
const MAX_VALUE_CHARS: usize = 60;

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
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            format!("fits none of the {} alternatives", context.len())
        }
        Kind::OneOfMultipleValid { .. } => {
            "fits several alternatives, must fit exactly one".to_owned()
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "takes too long to compare with the pattern of this parameter".to_owned()
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
    Some(format!("{bound} {}, has {actual}", count(*limit, noun)))
}

/// The hints for this kind of error.
pub(super) fn hints(kind: &Kind, value: &Value) -> Vec<String> {
    match kind {
        Kind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let known = options.iter().filter_map(Value::as_str);
            value
                .as_str()
                .and_then(|sent| did_you_mean(sent, known))
                .into_iter()
                .collect()
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let alternatives = context.iter().enumerate().take(MAX_ALTERNATIVES);
            alternatives
                .map(|(index, errors)| {
                    let errors: Vec<String> =
                        errors.iter().take(MAX_ALTERNATIVES).map(brief).collect();
                    format!("alternative {}: {}", index + 1, errors.join("; "))
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

/// A limit of a schema with its noun; a limit beyond `usize` is capped.
pub(super) fn count(limit: u64, noun: &str) -> String {
    pluralize(usize::try_from(limit).unwrap_or(usize::MAX), noun)
}

pub(super) fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
