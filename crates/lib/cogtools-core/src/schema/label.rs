//! A short label of what a schema takes: its type and its bounds.

use serde_json::{Map, Value};

use super::message::{count, show};

type Object = Map<String, Value>;

/// `integer, at least 0`, `one of "a", "b"`, `array of string, at most 3 items`.
pub(super) fn label(schema: &Object) -> String {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        let options: Vec<String> = options.iter().map(show).collect();
        return format!("one of {}", options.join(", "));
    }
    let bounds = bounds(schema);
    let mut parts = vec![kind(schema)];
    parts.extend(bounds);
    parts.join(", ")
}

fn kind(schema: &Object) -> String {
    let null = if schema.get("nullable") == Some(&Value::Bool(true)) {
        " or null"
    } else {
        ""
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => {
            let items = schema.get("items").and_then(Value::as_object).map(item);
            let items = items.unwrap_or_else(|| "any value".to_owned());
            format!("array of {items}{null}")
        }
        Some(kind) => format!("{kind}{null}"),
        None => "any value".to_owned(),
    }
}

/// The label of an array's items, in parentheses if it has several parts.
fn item(schema: &Object) -> String {
    let label = label(schema);
    if bounds(schema).is_empty() || schema.contains_key("enum") {
        label
    } else {
        format!("({label})")
    }
}

fn bounds(schema: &Object) -> Vec<String> {
    let number = |keyword: &str| schema.get(keyword).filter(|value| value.is_number());
    let strict = |keyword: &str| schema.get(keyword) == Some(&Value::Bool(true));
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    let mut bounds = Vec::new();
    for (keyword, exclusive, plain, more) in [
        ("minimum", "exclusiveMinimum", "at least", "more than"),
        ("maximum", "exclusiveMaximum", "at most", "less than"),
    ] {
        let word = if strict(exclusive) { more } else { plain };
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
            bounds.extend(limit.map(|limit| format!("{word} {}", count(limit, noun))));
        }
    }
    if strict("uniqueItems") {
        bounds.push("no item twice".to_owned());
    }
    bounds.extend(text("format").map(|format| format!("in the format {format}")));
    bounds.extend(text("pattern").map(|pattern| format!("matching `{pattern}`")));
    bounds
}

#[cfg(test)]
mod tests {
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
                json!({"type": "object", "minProperties": 1, "maxProperties": 2}),
                "object, at least 1 key, at most 2 keys",
            ),
        ] {
            assert_eq!(label(schema.as_object().unwrap()), expected, "{schema}");
        }
    }
}
