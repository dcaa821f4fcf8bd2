//! Schemas for which validation takes time in proportion to the arguments.

use serde_json::Value;

use super::Schema;

/// How many schemas, required names and values of `enum` there may be.
const MAX_PARTS: usize = 256;
/// The longest default, in bytes of JSON: calls copy them.
const MAX_DEFAULT_BYTES: usize = 256;

impl Schema {
    /// Whether each value is compared with one schema, and with little of it: nothing is
    /// composed, and nothing is searched, such as a pattern.
    pub(crate) fn is_validated_fast(&self) -> bool {
        let mut left = MAX_PARTS;
        !self.is_recovered() && self.object.iter().all(|entry| is_fast(entry, &mut left))
    }
}

/// Whether a keyword of a schema is; takes its parts from those that are `left`.
fn is_fast((keyword, value): (&String, &Value), left: &mut usize) -> bool {
    let mut schema = |schema: &Value| {
        let object = schema.as_object();
        take(left, 1)
            && object.is_some_and(|object| object.iter().all(|entry| is_fast(entry, left)))
    };
    match keyword.as_str() {
        "type" | "title" | "description" | "example" | "nullable" | "minimum" | "maximum"
        | "exclusiveMinimum" | "exclusiveMaximum" | "minLength" | "maxLength" | "minItems"
        | "maxItems" | "minProperties" | "maxProperties" | "deprecated" => true,
        "default" => is_short(value),
        "properties" => {
            let properties = value.as_object();
            properties.is_some_and(|properties| properties.values().all(schema))
        }
        "items" => schema(value),
        "additionalProperties" => value.is_boolean(),
        "required" | "enum" => value.as_array().is_some_and(|all| take(left, all.len())),
        _ => false,
    }
}

/// Takes `parts` from those that are `left`, if there are so many.
fn take(left: &mut usize, parts: usize) -> bool {
    let rest = left.checked_sub(parts);
    *left = rest.unwrap_or(0);
    rest.is_some()
}

/// Whether a default is copied within microseconds.
fn is_short(default: &Value) -> bool {
    match default {
        Value::Array(_) | Value::Object(_) => default.to_string().len() <= MAX_DEFAULT_BYTES,
        Value::String(text) => text.len() <= MAX_DEFAULT_BYTES,
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    #[track_caller]
    fn check(property: &Value, expected: bool) {
        let mut object = Map::new();
        object.insert("type".to_owned(), json!("object"));
        object.insert("properties".to_owned(), json!({ "a": property }));
        let shown = object["properties"].to_string();
        assert_eq!(
            Schema::from(object).is_validated_fast(),
            expected,
            "{shown}"
        );
    }

    #[test]
    fn plain_schemas_are_fast() {
        check(
            &json!({"type": "string", "enum": ["x", "y"], "description": "d"}),
            true,
        );
        check(
            &json!({"type": "integer", "minimum": 1, "nullable": true}),
            true,
        );
        check(
            &json!({"type": "array", "items": {"properties": {"b": {"type": "number"}}}}),
            true,
        );
        check(
            &json!({"type": "object", "additionalProperties": false}),
            true,
        );
    }

    #[test]
    fn what_composes_or_searches_is_not() {
        for slow in [
            json!({"pattern": "^(a+)+$"}),
            json!({"format": "email"}),
            json!({"uniqueItems": true}),
            json!({"items": {"anyOf": [{}, {}]}}),
            json!({"properties": {"b": {"$ref": "#"}}}),
            json!({"additionalProperties": {"type": "string"}}),
            json!({"items": true}),
        ] {
            check(&slow, false);
        }
    }

    #[test]
    fn many_parts_are_not() {
        let values = |count: usize| json!({"enum": (0..count).collect::<Vec<_>>()});
        check(&values(200), true);
        check(&values(300), false);
        let properties = |count: usize| {
            let names = (0..count).map(|index| (index.to_string(), json!({})));
            json!({"properties": names.collect::<Map<_, _>>()})
        };
        check(&properties(200), true);
        check(&properties(300), false);
        let names = |count: usize| (0..count).map(|it| it.to_string()).collect::<Vec<_>>();
        check(&json!({"required": names(200)}), true);
        check(&json!({"required": names(300)}), false);
        for long in [json!("a".repeat(300)), json!(["a".repeat(300)])] {
            check(&json!({"default": long}), false);
        }
        check(&json!({"default": ["a", {"b": 1}]}), true);
    }

    #[test]
    fn a_json_schema_is_not() {
        let schema = Schema::from_json_schema(Map::new());
        assert!(!schema.is_validated_fast());
    }
}
