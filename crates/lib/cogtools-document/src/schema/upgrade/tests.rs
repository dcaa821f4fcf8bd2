//! Schemas as libraries and older drafts write them.

use super::*;

#[allow(
    clippy::needless_pass_by_value,
    reason = "a table reads better without borrows"
)]
fn check(schema: Value, expected: Value) {
    let Value::Object(schema) = schema else {
        unreachable!("a schema is an object")
    };
    let upgraded = Value::Object(object(&schema, Patterns::Kept, None));
    assert_eq!(upgraded, expected);
    assert!(
        jsonschema::draft202012::meta::is_valid(&upgraded),
        "{upgraded}"
    );
    let Value::Object(again) = &upgraded else {
        unreachable!("a schema is an object")
    };
    assert_eq!(
        Value::Object(object(again, Patterns::Kept, None)),
        expected,
        "it changes once"
    );
}

#[test]
fn a_root_is_an_object() {
    let expected = json!({"type": "object"});
    for root in [
        json!({}),
        json!({"type": "OBJECT"}),
        json!({"type": ["object", "null"]}),
        json!({"properties": null, "required": []}),
        json!({"$ref": "#/nowhere"}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "$id": "x"}),
    ] {
        check(root, expected.clone());
    }
    check(
        json!({
            "$ref": "#/definitions/Args",
            "definitions": {
                "Args": {"type": "object", "properties": {"a": {"$ref": "#/definitions/A"}}},
                "A": {"type": "string"},
            },
        }),
        json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {
                "Args": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}},
                "A": {"type": "string"},
            },
        }),
    );
}

/// Checks the schema of one property.
#[allow(
    clippy::needless_pass_by_value,
    reason = "a table reads better without borrows"
)]
fn check_property(schema: Value, expected: Value) {
    check(
        json!({"properties": {"a": schema}}),
        json!({"type": "object", "properties": {"a": expected}}),
    );
}

#[test]
fn booleans_are_schemas() {
    check_property(json!(true), json!({}));
    check_property(json!(false), json!({"not": {}}));
    check_property(json!("string"), json!({}));
    check_property(
        json!({"type": "array", "items": true}),
        json!({"type": "array", "items": {}}),
    );
    check_property(
        json!({"type": "object", "additionalProperties": false}),
        json!({"type": "object", "additionalProperties": false}),
    );
    check_property(
        json!({"anyOf": [true, {"type": "string"}, 1]}),
        json!({"anyOf": [{}, {"type": "string"}]}),
    );
}

#[test]
fn words_of_older_drafts_are_translated() {
    check_property(
        json!({"type": "number", "minimum": 1, "exclusiveMinimum": true}),
        json!({"type": "number", "exclusiveMinimum": 1}),
    );
    check_property(
        json!({"type": "number", "maximum": 1, "exclusiveMaximum": false}),
        json!({"type": "number", "maximum": 1}),
    );
    check_property(
        json!({"items": [{"type": "string"}], "additionalItems": false}),
        json!({"type": "array", "prefixItems": [{"type": "string"}], "items": {"not": {}}}),
    );
    check_property(
        json!({"type": "object", "dependencies": {"a": ["b"], "c": {"required": ["d"]}}}),
        json!({
            "type": "object",
            "dependentRequired": {"a": ["b"]},
            "dependentSchemas": {"c": {"required": ["d"]}},
        }),
    );
    check(
        json!({"properties": {"a": {"type": "string", "required": true}, "b": {}}}),
        json!({
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {}},
            "required": ["a"],
        }),
    );
    check_property(
        json!({"type": "string", "nullable": true}),
        json!({"type": ["string", "null"]}),
    );
    check_property(
        json!({"type": "string", "nullable": true, "enum": ["a"]}),
        json!({"type": ["string", "null"], "enum": ["a", null]}),
    );
}

#[test]
fn what_is_missing_or_not_valid() {
    check_property(
        json!({"type": "array"}),
        json!({"type": "array", "items": {}}),
    );
    check_property(
        json!({"properties": {"b": {"type": "any"}}}),
        json!({"type": "object", "properties": {"b": {}}}),
    );
    check_property(
        json!({"type": "string", "minLength": "3", "enum": [], "maxLength": 4.0, "optional": 1}),
        json!({"type": "string", "maxLength": 4}),
    );
    check_property(
        json!({"$ref": "https://example.org/x.json", "description": "d"}),
        json!({"description": "d"}),
    );
    check(
        json!({"properties": {"a": {"items": [{"type": "string"}]}, "b": {"$ref": "#/properties/a/items/0"}}}),
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "array", "prefixItems": [{"type": "string"}]},
                "b": {"$ref": "#/properties/a/prefixItems/0"},
            },
        }),
    );
}

#[test]
fn depth_is_bounded() {
    let nested = (0..1_000).fold(json!({}), |inner, _| json!({"items": inner}));
    let schema = json!({"properties": {"a": nested}});
    let schema = schema.as_object().expect("an object");
    let upgraded = Value::Object(object(schema, Patterns::Kept, None)).to_string();
    assert_eq!(upgraded.matches("items").count(), MAX_DEPTH - 1);
    let circular = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}});
    let circular = circular.as_object().expect("an object");
    let validator = Schema::from_foreign(circular).validator();
    assert!(validator.is_ok_and(|validator| !validator.accepts(&json!(1))));
}

#[test]
fn patterns_that_are_not_valid_are_left_out() {
    let schema = json!({
        "properties": {"a": {"type": "string", "pattern": "(?<x"}, "b": {"pattern": "^b$"}},
        "patternProperties": {"(": {}},
    });
    let schema = Schema::from_foreign(schema.as_object().expect("an object"));
    assert_eq!(
        schema.to_json_schema(),
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}})
    );
}

#[test]
fn what_draft_2020_12_says_stays() {
    let schema = json!({
        "type": "object",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"place": {"$anchor": "place", "type": "string"}},
        "properties": {"a": {"$ref": "#place", "description": "d"}, "b": {"$ref": "#other"}},
        "allOf": [{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}],
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
    });
    let mut expected = schema.clone();
    expected["properties"]["b"] = json!({});
    check(schema, expected);
}
