//! Expanded sugar, down to the order of keys, and its translation to JSON Schema.

use cogtools_core::arguments::{Arguments, Syntax};

use crate::support::tool;

#[track_caller]
fn check(parameters: &str, schema: &str) {
    let lines = parameters.replace('\n', "\n  ");
    let tool = tool(&format!(
        "name: x\ndescription: d\nimplementation: ok\nparameters:\n  {lines}\n"
    ));
    let found = serde_json::to_string(tool.schema.as_object()).expect("a schema is JSON");
    assert_eq!(found, schema, "{parameters}");
}

/// Checks the schema of one required parameter `a`.
#[track_caller]
fn required(entry: &str, schema: &str) {
    check(
        &format!("a: {entry}"),
        &format!(r#"{{"type":"object","properties":{{"a":{schema}}},"required":["a"]}}"#),
    );
}

/// Checks the schema of one optional parameter `a`.
#[track_caller]
fn optional(entry: &str, schema: &str) {
    check(
        &format!("a: {entry}"),
        &format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#),
    );
}

#[test]
fn a_map_of_entries_is_an_object() {
    check("", r#"{"type":"object","properties":{}}"#);
    check(
        "b: string\na: {type: integer, optional: true}\nc: boolean",
        r#"{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"},"c":{"type":"boolean"}},"required":["b","c"]}"#,
    );
}

#[test]
fn an_entry_may_be_a_plain_schema() {
    required("string", r#"{"type":"string"}"#);
    required(
        "\n  type: string\n  description: |\n    Where\n    to",
        r#"{"type":"string","description":"Where\nto\n"}"#,
    );
    required(
        "{description: d, maxLength: 5, type: string, x-own: [1], nullable: true, deprecated: true}",
        r#"{"description":"d","maxLength":5,"type":"string","x-own":[1],"nullable":true,"deprecated":true}"#,
    );
    required("{}", "{}");
    required(
        "{type: number, minimum: 0, exclusiveMinimum: true, multipleOf: 0.5}",
        r#"{"type":"number","minimum":0,"exclusiveMinimum":true,"multipleOf":0.5}"#,
    );
}

#[test]
fn optional_and_default_remove_a_name_from_required() {
    optional("{type: string, optional: true}", r#"{"type":"string"}"#);
    required("{type: string, optional: false}", r#"{"type":"string"}"#);
    optional(
        "{type: integer, default: 5}",
        r#"{"type":"integer","default":5}"#,
    );
    optional(
        "{type: string, nullable: true, default: null}",
        r#"{"type":"string","nullable":true,"default":null}"#,
    );
    optional("{default: {b: [1]}}", r#"{"default":{"b":[1]}}"#);
    required(
        "{type: string, nullable: true}",
        r#"{"type":"string","nullable":true}"#,
    );
}

#[test]
fn array_types_expand_to_items() {
    required("string[]", r#"{"type":"array","items":{"type":"string"}}"#);
    required(
        "{type: 'integer[]', minItems: 1}",
        r#"{"type":"array","items":{"type":"integer"},"minItems":1}"#,
    );
    required(
        "number[][]",
        r#"{"type":"array","items":{"type":"array","items":{"type":"number"}}}"#,
    );
    required(
        "{type: array, items: string}",
        r#"{"type":"array","items":{"type":"string"}}"#,
    );
    required(
        "{type: array, items: {enum: [a]}}",
        r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#,
    );
    required("object[]", r#"{"type":"array","items":{"type":"object"}}"#);
}

#[test]
fn an_enum_of_strings_has_type_string() {
    required("{enum: [a, b]}", r#"{"type":"string","enum":["a","b"]}"#);
    required("{enum: [a, 1]}", r#"{"enum":["a",1]}"#);
    required("{enum: [1, 2]}", r#"{"enum":[1,2]}"#);
    required("{enum: [a, null]}", r#"{"enum":["a",null]}"#);
    required(
        "{description: d, enum: ['1']}",
        r#"{"type":"string","description":"d","enum":["1"]}"#,
    );
    optional(
        "{enum: [yes, no], default: no}",
        r#"{"type":"string","enum":["yes","no"],"default":"no"}"#,
    );
}

#[test]
fn nested_entries_are_expanded_alike() {
    required(
        "{type: object, properties: {b: string, c: {type: object, optional: true, properties: {d: 'string[]'}}}}",
        r#"{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"object","properties":{"d":{"type":"array","items":{"type":"string"}}},"required":["d"]}},"required":["b"]}"#,
    );
    required(
        "{anyOf: [string, {enum: [a]}], additionalProperties: integer, not: {type: boolean}}",
        r#"{"anyOf":[{"type":"string"},{"type":"string","enum":["a"]}],"additionalProperties":{"type":"integer"},"not":{"type":"boolean"}}"#,
    );
    required(
        "{type: object, additionalProperties: false}",
        r#"{"type":"object","additionalProperties":false}"#,
    );
}

#[test]
fn keywords_of_sugar_can_be_parameter_names() {
    check(
        "optional: string\nrequired: {type: string, optional: true}\ntype: integer\nproperties: boolean\ndefault: number\nnullable: string",
        r#"{"type":"object","properties":{"optional":{"type":"string"},"required":{"type":"string"},"type":{"type":"integer"},"properties":{"type":"boolean"},"default":{"type":"number"},"nullable":{"type":"string"}},"required":["optional","type","properties","default","nullable"]}"#,
    );
}

#[test]
fn a_plain_schema_is_unchanged() {
    let schema = r#"{"required":["a"],"type":"object","properties":{"a":{"enum":["x"],"default":1}},"minProperties":1}"#;
    let tool = tool(&format!(
        "name: x\ndescription: d\nimplementation: ok\nparameters_schema: {schema}\n"
    ));
    let found = serde_json::to_string(tool.schema.as_object()).expect("a schema is JSON");
    assert_eq!(found, schema);
}

#[test]
fn defaults_are_applied_at_every_level() {
    let tool = tool(
        "\
name: x
description: d
implementation: ok
parameters:
  a: {type: integer, default: 1}
  b:
    type: object
    default: {}
    properties: {c: {type: integer, default: 2}}
  e: {type: array, optional: true, items: {type: object, properties: {f: {enum: [g], default: g}}}}
  h: {type: string, optional: true}
",
    );
    for (arguments, expected) in [
        ("{}", r#"{"a":1,"b":{"c":2}}"#),
        (r#"{"b":{"c":3},"a":0}"#, r#"{"b":{"c":3},"a":0}"#),
        (
            r#"{"e":[{},{"f":"g"}]}"#,
            r#"{"e":[{"f":"g"},{"f":"g"}],"a":1,"b":{"c":2}}"#,
        ),
    ] {
        let mut filled = serde_json::from_str(arguments).expect("arguments are JSON");
        tool.schema.apply_defaults(&mut filled);
        let found = serde_json::to_string(&filled).expect("arguments are JSON");
        assert_eq!(found, expected, "{arguments}");
    }
}

#[test]
fn defaults_are_applied_in_maps_and_in_all_schemas_of_a_value() {
    let tool = tool(
        "\
name: x
description: d
implementation: ok
parameters:
  a:
    optional: true
    allOf:
    - {properties: {b: {type: integer, default: 1}}}
    - {allOf: [{properties: {c: {default: 2, type: integer}}}]}
    - {items: {properties: {e: {type: integer, default: 3}}}}
  m:
    type: object
    optional: true
    properties: {own: {type: object, optional: true}}
    additionalProperties: {type: object, properties: {d: {type: integer, default: 4}}}
  p: {optional: true, allOf: [{type: integer, default: 5}]}
  o: {optional: true, oneOf: [{type: object, properties: {f: {type: integer, default: 6}}}]}
",
    );
    assert!(tool.check().is_ok());
    for (arguments, expected) in [
        ("{}", r#"{"p":5}"#),
        (
            r#"{"a":{},"m":{"own":{},"x":{},"y":{"d":0}},"p":1,"o":{}}"#,
            r#"{"a":{"b":1,"c":2},"m":{"own":{},"x":{"d":4},"y":{"d":0}},"p":1,"o":{}}"#,
        ),
        (r#"{"a":[{}]}"#, r#"{"a":[{"e":3}],"p":5}"#),
    ] {
        let mut filled = serde_json::from_str(arguments).expect("arguments are JSON");
        tool.schema.apply_defaults(&mut filled);
        let found = serde_json::to_string(&filled).expect("arguments are JSON");
        assert_eq!(found, expected, "{arguments}");
    }
}

#[test]
fn integers_are_written_without_a_fraction() {
    let tool = tool(
        "\
name: x
description: d
implementation: ok
parameters:
  a: {type: integer, default: 1e2}
  n: {type: number, optional: true}
  w: {type: number, format: int64, optional: true}
  l: {type: array, optional: true, items: {type: object, additionalProperties: {type: integer}}}
  o: {optional: true, oneOf: [{type: string}, {allOf: [{type: integer}]}]}
",
    );
    assert_eq!(
        tool.schema.as_object()["properties"]["a"].to_string(),
        r#"{"type":"integer","default":100}"#
    );
    for (arguments, expected) in [
        (r#"{"a":2.0,"n":2.0}"#, r#"{"a":2,"n":2.0}"#),
        (r#"{"a":-0.0,"w":1e2,"o":3.0}"#, r#"{"a":0,"w":100,"o":3}"#),
        (
            r#"{"a":1,"l":[{"x":-1e3,"y":18446744073709549568.0}]}"#,
            r#"{"a":1,"l":[{"x":-1000,"y":18446744073709549568}]}"#,
        ),
    ] {
        let read = Arguments::read(arguments.as_bytes().to_vec(), Syntax::Json);
        let accepted = tool.accept(read.expect("arguments are JSON"));
        let accepted = accepted.expect("the arguments are valid").into_object();
        let found = serde_json::to_string(&accepted).expect("arguments are JSON");
        assert_eq!(found, expected, "{arguments}");
    }
}

#[test]
fn what_is_beside_the_type_of_a_list_is_about_its_items() {
    required(
        "\n  items: {minLength: 2}\n  type: string[]",
        r#"{"items":{"type":"string","minLength":2},"type":"array"}"#,
    );
    required(
        "\n  type: object[]\n  properties: {b: string}\n  minItems: 1",
        r#"{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]},"minItems":1}"#,
    );
    required(
        "\n  type: object[][]\n  additionalProperties: false",
        r#"{"type":"array","items":{"type":"array","items":{"type":"object","additionalProperties":false}}}"#,
    );
}
