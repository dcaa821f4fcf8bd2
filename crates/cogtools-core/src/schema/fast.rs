//! Schemas for which validation takes time in proportion to the arguments.

use serde_json::Value;

use super::Schema;

/// How many schemas and values of `enum` there may be.
const MAX_PARTS: usize = 256;

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
    let mut all = |schema: &Value| {
        *left = left.saturating_sub(1);
        let object = schema.as_object();
        *left > 0 && object.is_some_and(|object| object.iter().all(|entry| is_fast(entry, left)))
    };
    match keyword.as_str() {
        "type" | "title" | "description" | "default" | "example" | "nullable" | "required"
        | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "minLength"
        | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "deprecated" => true,
        "properties" => value
            .as_object()
            .is_some_and(|properties| properties.values().all(all)),
        "items" => all(value),
        "additionalProperties" => value.is_boolean(),
        "enum" => value.as_array().is_some_and(|values| {
            *left = left.saturating_sub(values.len());
            *left > 0
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    #[track_caller]
    fn check(property: Value, expected: bool) {
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
            json!({"type": "string", "enum": ["x", "y"], "description": "d"}),
            true,
        );
        check(
            json!({"type": "integer", "minimum": 1, "nullable": true}),
            true,
        );
        check(
            json!({"type": "array", "items": {"properties": {"b": {"type": "number"}}}}),
            true,
        );
        check(
            json!({"type": "object", "additionalProperties": false}),
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
            check(slow, false);
        }
    }

    #[test]
    fn many_parts_are_not() {
        let values = |count: usize| json!({"enum": (0..count).collect::<Vec<_>>()});
        check(values(200), true);
        check(values(300), false);
        let properties = |count: usize| {
            let names = (0..count).map(|index| (index.to_string(), json!({})));
            json!({"properties": names.collect::<Map<_, _>>()})
        };
        check(properties(200), true);
        check(properties(300), false);
    }

    #[test]
    fn a_json_schema_is_not() {
        let schema = Schema::from_json_schema(Map::new());
        assert!(!schema.is_validated_fast());
    }
}
