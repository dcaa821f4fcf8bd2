//! Schemas in the dialects of APIs, and arguments that were written for them.

use super::*;

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        other => unreachable!("{other} is no object"),
    }
}

/// A schema whose properties are these, of which `required` are required.
fn schema(properties: &Value, required: &[&str]) -> Schema {
    let mut root = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        root["required"] = json!(required);
    }
    Schema::from(object(root))
}

#[track_caller]
fn check_strict(part: &Value, expected: impl Into<Option<Value>>) {
    let strict = schema(&json!({"a": part}), &["a"]).strict_object();
    let strict = strict.map(|root| root["properties"]["a"].clone());
    assert_eq!(strict, expected.into(), "{part}");
}

#[test]
fn strict_mode_says_what_is_optional_with_null() {
    let inner = json!({"type": "object", "properties": {
        "x": {"type": "string", "enum": ["a"], "default": "a"},
        "y": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    }});
    let strict = json!({
        "type": "object",
        "required": ["x", "y"],
        "properties": {
            "x": {"type": ["string", "null"], "enum": ["a", null]},
            "y": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        },
        "additionalProperties": false,
    });
    check_strict(&inner, Some(strict.clone()));
    check_strict(
        &json!({"type": "array", "items": inner, "minItems": 1, "uniqueItems": true}),
        Some(json!({"type": "array", "minItems": 1, "items": strict})),
    );
    check_strict(
        &json!({"type": "integer", "format": "int32", "minimum": 1, "exclusiveMinimum": true, "nullable": true}),
        Some(json!({
            "type": ["integer", "null"],
            "minimum": i32::MIN,
            "exclusiveMinimum": 1,
            "maximum": i32::MAX,
        })),
    );
    check_strict(
        &json!({"type": "string", "format": "uri", "pattern": "(?=a)", "minLength": 1, "x-a": 1}),
        Some(json!({"type": "string"})),
    );
    check_strict(
        &json!({"enum": ["a", "b", null]}),
        Some(json!({"enum": ["a", "b", null], "type": ["string", "null"]})),
    );
    check_strict(
        &json!({"enum": ["a", 1, "b"]}),
        Some(json!({"enum": ["a", 1, "b"], "type": ["string", "integer"]})),
    );
}

#[test]
fn strict_mode_has_alternatives_but_no_other_lists() {
    let x = json!({"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]});
    let y = json!({"type": "object", "properties": {"y": {"type": "string"}}});
    let of = |names: &[&str], kinds: &[Value]| {
        let properties = names.iter().zip(kinds);
        let properties: Object = properties
            .map(|(name, kind)| ((*name).to_owned(), json!({"type": kind})))
            .collect();
        json!({
            "type": "object", "required": names, "properties": properties,
            "additionalProperties": false,
        })
    };
    let (text, maybe) = (json!("string"), json!(["string", "null"]));
    check_strict(
        &json!({"oneOf": [x, y]}),
        Some(
            json!({"anyOf": [of(&["x"], std::slice::from_ref(&text)), of(&["y"], std::slice::from_ref(&maybe))]}),
        ),
    );
    let both = of(&["x", "y"], &[text, maybe.clone()]);
    let mut all = both.clone();
    all["properties"]["x"]["type"] = json!("string");
    check_strict(&json!({"allOf": [x, y], "not": {}}), Some(all));
    check_strict(
        &json!({"type": "object", "properties": {}, "anyOf": [x, y]}),
        Some(of(&["x", "y"], &[maybe.clone(), maybe])),
    );
}

#[test]
fn strict_mode_cannot_say_everything() {
    for part in [
        json!({}),
        json!({"description": "anything"}),
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": true}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "array"}),
        json!({"enum": [{}]}),
        json!({"anyOf": [{"type": "string"}, {}]}),
        json!({"type": "array", "items": {"$ref": "#/properties/a"}}),
    ] {
        check_strict(&part, None);
    }
}

#[test]
fn null_is_absent_where_it_is_no_value() {
    let inner = json!({
        "type": "object", "required": ["r"],
        "properties": {"r": {"type": "string"}, "o": {"type": "string"}},
    });
    let schema = schema(
        &json!({
            "required": {"type": "string"},
            "optional": {"type": "string"},
            "nullable": {"type": "string", "nullable": true},
            "any": {"description": "anything"},
            "choice": {"type": "string", "enum": ["a"], "nullable": true},
            "with_null": {"type": "string", "enum": ["a", null], "nullable": true},
            "either": {"anyOf": [{"type": "string"}, {"type": "integer", "nullable": true}]},
            "neither": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "inner": inner,
            "list": {"type": "array", "items": inner},
            "same": {"$ref": "#/properties/inner"},
        }),
        &["required"],
    );
    let mut arguments = object(json!({
        "required": null, "optional": null, "nullable": null, "any": null, "choice": null,
        "with_null": null, "either": null, "neither": null, "unknown": null,
        "inner": {"r": null, "o": null}, "list": [null, {"r": "x", "o": null}], "same": {"o": null},
    }));
    schema.remove_absent(&mut arguments);
    let expected = json!({
        "required": null, "nullable": null, "any": null, "with_null": null, "either": null,
        "unknown": null, "inner": {"r": null}, "list": [null, {"r": "x"}], "same": {},
    });
    assert_eq!(Value::Object(arguments), expected);
}

#[track_caller]
fn check_gemini(part: &Value, expected: &Value) {
    let schema = schema(&json!({"a": part, "t": {"type": "string"}}), &[]);
    let whole = schema.gemini_object();
    assert_eq!(&whole["properties"]["a"], expected, "{part}");
    assert_eq!(matches!(whole, Cow::Borrowed(_)), part == expected);
    let again = Schema::from(whole.into_owned());
    assert!(matches!(again.gemini_object(), Cow::Borrowed(_)), "{part}");
}

#[test]
fn gemini_gets_only_what_it_accepts() {
    for (part, expected) in [
        (
            json!({"type": "string", "format": "date-time"}),
            json!({"type": "string", "format": "date-time"}),
        ),
        (
            json!({"type": "string", "format": "uri", "readOnly": true}),
            json!({"type": "string"}),
        ),
        (
            json!({"type": "integer", "enum": [1, 2]}),
            json!({"type": "integer"}),
        ),
        (
            json!({"type": "string", "enum": ["a", ""]}),
            json!({"type": "string"}),
        ),
        (
            json!({"type": "string", "nullable": true, "enum": ["a", null]}),
            json!({"type": "string", "nullable": true, "enum": ["a"]}),
        ),
        (json!({"enum": [1, 2]}), json!({"type": "integer"})),
        (json!({"enum": [1, 2.5]}), json!({"type": "number"})),
        (
            json!({"enum": [true, null]}),
            json!({"type": "boolean", "nullable": true}),
        ),
        (
            json!({"enum": ["a", null]}),
            json!({"enum": ["a"], "type": "string", "nullable": true}),
        ),
        (json!({"enum": ["a", 1, "b"]}), json!({})),
        (json!({"enum": [{"x": 1}, [1]]}), json!({})),
        (json!({"enum": [null]}), json!({})),
        (
            json!({"type": "string", "nullable": true, "enum": [null]}),
            json!({"type": "string", "nullable": true}),
        ),
        (
            json!({"enum": ["a"], "anyOf": [{"type": "string"}]}),
            json!({"anyOf": [{"type": "string"}]}),
        ),
        (
            json!({"type": "array", "items": {"enum": [1]}}),
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        (
            json!({"oneOf": [{"enum": [1]}, {"enum": ["a"]}]}),
            json!({"anyOf": [{"type": "integer"}, {"enum": ["a"], "type": "string"}]}),
        ),
        (
            json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true, "multipleOf": 2}),
            json!({"type": "integer", "minimum": 1}),
        ),
        (
            json!({"type": "array", "uniqueItems": true}),
            json!({"type": "array", "items": {}}),
        ),
        (
            json!({"type": "object", "properties": {}, "additionalProperties": true}),
            json!({"type": "object"}),
        ),
        (
            json!({"type": "object", "properties": {"x": {}}, "required": ["x", "y"], "oneOf": [{"required": ["x"]}]}),
            json!({"type": "object", "properties": {"x": {}}, "required": ["x"]}),
        ),
        (
            json!({"oneOf": [{"type": "string", "format": "byte"}, {"$ref": "#/properties/t"}]}),
            json!({"anyOf": [{"type": "string"}, {"type": "string"}]}),
        ),
        (
            json!({"anyOf": [{"type": "string"}]}),
            json!({"anyOf": [{"type": "string"}]}),
        ),
    ] {
        check_gemini(&part, &expected);
    }
}
