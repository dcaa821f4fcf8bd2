//! From the Schema Object of OpenAPI 3.0 to JSON Schema.
//!
//! The result uses only keywords that drafts 7, 2019-09 and 2020-12 interpret alike,
//! and no annotation that a strict validator would reject.

use serde_json::{Number, Value, json};

use super::keyword::{self, KeywordKind};
use super::{Object, is_of_type, is_true};

/// The reader of a translation. Strict validators of hosts refuse formats that they do not know;
/// ours also asserts the format `byte`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Declare,
    Validate,
}

/// The translation for this reader.
pub(super) fn object(schema: &Object, purpose: Purpose) -> Object {
    if let Some(target) = schema.get("$ref") {
        return [("$ref".to_owned(), target.clone())].into_iter().collect();
    }
    let mut result = Object::with_capacity(schema.len());
    for (keyword, value) in schema {
        match keyword.as_str() {
            "nullable" | "example" | "xml" | "externalDocs" | "discriminator" | "deprecated"
            | "exclusiveMinimum" | "exclusiveMaximum" => {}
            "type" => {
                let kind = if is_whole(schema) {
                    &json!("integer")
                } else {
                    value
                };
                let kind = if is_true(schema, "nullable") {
                    json!([kind, "null"])
                } else {
                    kind.clone()
                };
                result.insert("type".into(), kind);
            }
            "minimum" => bound(schema, &mut result, "minimum", "exclusiveMinimum"),
            "maximum" => bound(schema, &mut result, "maximum", "exclusiveMaximum"),
            "format" if purpose == Purpose::Validate && value == "byte" => {
                result.insert("format".into(), value.clone());
            }
            "format" => format(schema, value, &mut result),
            keyword if keyword.starts_with("x-") => {}
            keyword => {
                let takes = keyword::takes(keyword).unwrap_or(KeywordKind::Any);
                let value = takes.convert(value, |value| match value {
                    Value::Object(schema) => Value::Object(object(schema, purpose)),
                    flag => flag.clone(),
                });
                result.insert(keyword.to_owned(), value);
            }
        }
    }
    result
}

/// Returns true if a number that matches `schema` has no fraction.
pub(super) fn is_integer(schema: &Object) -> bool {
    is_of_type(schema, "integer") || is_whole(schema)
}

/// Returns `number` without its fraction, if that is 0 and the integer has at most 64 bits.
pub(super) fn written_as_integer(number: &Number) -> Number {
    let float = number
        .as_f64()
        .filter(|it| number.is_f64() && it.fract() == 0.0);
    let digits = float.map(|it| format!("{it:.0}")).unwrap_or_default();
    let signed = digits.parse::<i64>().map(Number::from);
    let integer = signed.or_else(|_| digits.parse::<u64>().map(Number::from));
    integer.unwrap_or_else(|_| number.clone())
}

/// Returns true if it is a number with a format of integers, which takes no fractions.
fn is_whole(schema: &Object) -> bool {
    let format = schema.get("format").and_then(Value::as_str);
    is_of_type(schema, "number") && matches!(format, Some("int32" | "int64"))
}

/// OpenAPI 3.0's `exclusive…: true` next to a bound becomes the exclusive bound.
fn bound(schema: &Object, result: &mut Object, plain: &str, exclusive: &str) {
    let strict = is_true(schema, exclusive);
    let keyword = if strict { exclusive } else { plain };
    if let Some(value) = schema.get(plain) {
        tighten(result, keyword, value.clone());
    }
}

/// Integer formats become bounds. Formats that JSON Schema does not have are left out,
/// because some validators reject unknown formats.
fn format(schema: &Object, format: &Value, result: &mut Object) {
    let (least, greatest) = match format.as_str() {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("int64") => (i64::MIN, i64::MAX),
        Some("float" | "double" | "byte" | "binary" | "password") => return,
        _ => {
            result.insert("format".into(), format.clone());
            return;
        }
    };
    if matches!(
        schema.get("type").and_then(Value::as_str),
        Some("integer" | "number") | None
    ) {
        tighten(result, "minimum", Value::from(least));
        tighten(result, "maximum", Value::from(greatest));
    }
}

/// Sets a bound unless there is a tighter one.
fn tighten(result: &mut Object, keyword: &str, bound: Value) {
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let tighter = result.get(keyword).is_some_and(|old| {
        let (old, new) = (number(old), number(&bound));
        if keyword.ends_with("inimum") {
            old >= new
        } else {
            old <= new
        }
    });
    if !tighter {
        result.insert(keyword.to_owned(), bound);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(
        clippy::needless_pass_by_value,
        reason = "a table reads better without borrows"
    )]
    fn check(schema: Value, expected: Value) {
        let Value::Object(schema) = schema else {
            unreachable!("a schema is an object")
        };
        assert_eq!(Value::Object(object(&schema, Purpose::Declare)), expected);
        assert_eq!(
            Value::Object(object(&schema, Purpose::Declare)).to_string(),
            expected.to_string(),
            "the order of keywords is part of the contract",
        );
    }

    #[test]
    fn keywords_are_translated_to_those_of_json_schema() {
        check(
            json!({"type": "string", "nullable": true}),
            json!({"type": ["string", "null"]}),
        );
        check(json!({"nullable": true}), json!({}));
        check(
            json!({"type": "string", "nullable": false}),
            json!({"type": "string"}),
        );
        check(
            json!({"minimum": 1, "exclusiveMinimum": true}),
            json!({"exclusiveMinimum": 1}),
        );
        check(json!({"exclusiveMaximum": true}), json!({}));
        check(
            json!({"maximum": 3, "exclusiveMaximum": false}),
            json!({"maximum": 3}),
        );
        check(
            json!({"type": "integer", "format": "int32", "minimum": 0}),
            json!({"type": "integer", "minimum": 0, "maximum": 2_147_483_647}),
        );
        check(
            json!({"type": "integer", "minimum": 0, "maximum": 9, "format": "int64"}),
            json!({"type": "integer", "minimum": 0, "maximum": 9}),
        );
        check(
            json!({"type": "number", "format": "int32", "maximum": 3}),
            json!({"type": "integer", "minimum": -2_147_483_648_i64, "maximum": 3}),
        );
        check(
            json!({"type": "number", "format": "double"}),
            json!({"type": "number"}),
        );
        check(
            json!({"$ref": "#/properties/a", "type": "string"}),
            json!({"$ref": "#/properties/a"}),
        );
    }

    #[test]
    fn annotations_of_open_api_are_dropped_except_inside_values() {
        check(
            json!({
                "type": "object", "example": 1, "x-y": 2, "deprecated": true,
                "properties": {"example": {"type": "string", "format": "date", "xml": {}}},
                "enum": [{"nullable": true}], "default": {"x-y": 1}, "format": "password",
            }),
            json!({
                "type": "object",
                "properties": {"example": {"type": "string", "format": "date"}},
                "enum": [{"nullable": true}], "default": {"x-y": 1},
            }),
        );
        check(
            json!({"allOf": [{"example": 1}], "not": {"xml": {}}, "additionalProperties": {"nullable": true, "type": "array", "items": {"example": 2}}}),
            json!({"allOf": [{}], "not": {}, "additionalProperties": {"type": ["array", "null"], "items": {}}}),
        );
    }
}
