//! Invalid arguments, and the messages that let a model correct them.

use cogtools_core::ViolationKind;
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::tool::AcceptError;
use cogtools_test_support::{Expected, assert_text, str};

use crate::support::{render, tool};

/// The errors of a call with these arguments, without code and tool.
#[track_caller]
pub(super) fn render_violations(parameters: &str, arguments: &str) -> String {
    let lines = parameters.replace('\n', "\n  ");
    let tool = tool(&format!(
        "name: x\ndescription: d\nimplementation: ok\nparameters:\n  {lines}\n"
    ));
    let read = Arguments::read(arguments.as_bytes().to_vec(), Syntax::Json);
    match tool.accept(read.expect("arguments are JSON")) {
        Ok(_) => "ok".to_owned(),
        Err(error) => render(&error.diagnostics(&tool)).replace("error[SCHEMA_VIOLATION]: x: ", ""),
    }
}

#[track_caller]
pub(super) fn check(parameters: &str, arguments: &str, expected: impl Into<Expected>) {
    assert_text(render_violations(parameters, arguments), expected);
}

#[test]
fn missing_arguments() {
    check(
        "a:\n  type: string\n  description: |\n    One\n      and two\nb: string",
        r#"{"b": "x"}"#,
        str![[r#"
/a: required but missing
hint: send a (string): One and two

"#]],
    );
    check(
        "a: string\nb: {enum: [left, right]}\nc: {type: integer, minimum: 5}\nd: boolean\ne: 'string[]'\nf: {type: string, nullable: true}\ng: {}",
        "{}",
        str![[r#"
/a: required but missing
hint: send a (string)
/b: required but missing
hint: send b (one of "left", "right")
/c: required but missing
hint: send c (integer, at least 5)
/d: required but missing
hint: send d (boolean)
/e: required but missing
hint: send e (array of string)
/f: required but missing
hint: send f (string or null)
/g: required but missing
hint: send g (any value)
hint: the least that is valid: {"a":"…","b":"left","c":5,"d":false,"e":[],"f":"…","g":"…"}

"#]],
    );
    check(
        "a: {type: object, properties: {b: string, c: string}}\nd: {type: string, pattern: ^x}",
        r#"{"a": {}}"#,
        str![[r#"
/a/b: required but missing
hint: send b (string)
/a/c: required but missing
hint: send c (string)
/d: required but missing
hint: send d (string, matching `^x`)

"#]],
    );
}

#[test]
fn unknown_arguments() {
    check(
        "",
        r#"{"a": 1}"#,
        str![[r#"
/a: not a parameter of this tool
hint: send no arguments: `{}`

"#]],
    );
    check(
        "what_happened: string\nnext: string",
        r#"{"whatHappened": "x", "next": "y", "zzz": 1, "wait_for_previous": true}"#,
        str![[r#"
/whatHappened: not a parameter of this tool
hint: did you mean `what_happened`?
/zzz: not a parameter of this tool
hint: the parameters are `what_happened`, `next`
/what_happened: required but missing
hint: send what_happened (string)

"#]],
    );
    check(
        "a: {type: object, additionalProperties: false, properties: {color: {type: string, optional: true}}}",
        r#"{"a": {"colour": "x", "a/b~c": 1}}"#,
        str![[r#"
/a/colour: not a parameter of this tool
hint: did you mean `color`?
/a/a~1b~0c: not a parameter of this tool
hint: the parameters are `color`

"#]],
    );
    check(
        "a: {allOf: [{properties: {b: {type: string, optional: true}}, additionalProperties: false}, {type: object}]}",
        r#"{"a": {"b": "x", "zzz": 1}}"#,
        str![[r#"
/a/zzz: not a parameter of this tool
hint: the parameters are `b`

"#]],
    );
}

#[test]
fn alternatives_are_explained() {
    check(
        "a: {anyOf: [{type: object, properties: {b: string}}, {type: string, minLength: 2}], description: Who}",
        r#"{"a": {"b": 1}}"#,
        str![[r#"
/a: fits none of the 2 alternatives
hint: alternative 1: /a/b: expected string, got number 1
hint: alternative 2: /a: expected string, got object {"b":1}
hint: send a (object or (string, at least 2 characters)): Who

"#]],
    );
    check(
        "a: {oneOf: [{type: object, properties: {b: string}}, {type: string}]}",
        r#"{"a": {}}"#,
        str![[r#"
/a: fits none of the 2 alternatives
hint: alternative 1: /a: "b" is missing
hint: alternative 2: /a: expected string, got object {}
hint: send a (object or string)

"#]],
    );
    check(
        "a: {oneOf: [integer, number]}",
        r#"{"a": 1}"#,
        str![[r#"
/a: fits several alternatives, must fit exactly one
hint: send a (integer or number)

"#]],
    );
    check(
        "a: {not: {type: string}, description: Anything else}",
        r#"{"a": "x"}"#,
        str![[r#"
/a: must not fit {"type":"string"}
hint: send a (any value): Anything else

"#]],
    );
}

#[test]
fn violations_in_nested_values() {
    check(
        "a: {type: array, items: {type: array, items: {type: object, properties: {'b/c': integer}}}}",
        r#"{"a": [[], [{"b/c": "x"}, 5]]}"#,
        str![[r#"
/a/1/0/b~1c: expected integer, got string "x"
hint: send b/c (integer)
/a/1/1: expected object, got number 5
hint: send item 1 of item 1 of a (object)

"#]],
    );
}

#[test]
fn long_values_and_descriptions_are_truncated() {
    let long = "x".repeat(1_000);
    check(
        &format!("a: {{type: integer, description: {long}}}"),
        &format!(r#"{{"a": "{long}"}}"#),
        format!(
            "/a: expected integer, got string \"{}…\nhint: send a (integer): {}…\n",
            "x".repeat(59),
            "x".repeat(400)
        ),
    );
}

#[test]
fn every_violation_has_its_kind() {
    let tool = tool(
        "name: x\ndescription: d\nimplementation: ok\nparameters:\n  a: string\n  b: boolean\n",
    );
    let read = Arguments::read(
        br#"{"b": "required but missing", "c": 1}"#.to_vec(),
        Syntax::Json,
    );
    let Err(AcceptError::Violations(violations)) = tool.accept(read.expect("it is JSON")) else {
        panic!("three arguments are invalid");
    };
    let mut found: Vec<(&str, &ViolationKind)> = violations
        .iter()
        .map(|violation| (violation.pointer.as_str(), &violation.kind))
        .collect();
    found.sort_by_key(|(pointer, _)| *pointer);
    let invalid = r#"expected boolean, got string "required but missing""#.to_owned();
    assert_eq!(
        found,
        [
            ("/a", &ViolationKind::Missing),
            ("/b", &ViolationKind::Invalid(invalid)),
            ("/c", &ViolationKind::Unknown),
        ]
    );
}

#[test]
fn unknown_keys_of_nested_objects() {
    let nested = "filter: {type: object, properties: {colour: string, size: {type: object, optional: true, properties: {low: {type: integer, minimum: 0}}}}}\nlist: {type: array, optional: true, items: {type: object, properties: {name: string}}}";
    check(
        nested,
        r#"{"filter": {"colour": "red", "size": {"low": 1}}, "list": [{"name": "x"}]}"#,
        "ok",
    );
    check(
        nested,
        r#"{"filter": {"colour": "red", "color": "red", "size": {"low": -1, "high": 1}}, "list": [{"name": "x", "zzz": 1}]}"#,
        str![[r#"
/filter/color: not a parameter of this tool
hint: did you mean `colour`?
/filter/size/high: not a parameter of this tool
hint: the parameters are `low`
/list/0/zzz: not a parameter of this tool
hint: the parameters are `name`
/filter/size/low: must be at least 0, got -1
hint: send low (integer, at least 0)

"#]],
    );
    check("filter: object", r#"{"filter": {"any": {"key": 1}}}"#, "ok");
    check(
        "filter: {type: object, properties: {a: {optional: true}}, additionalProperties: true}",
        r#"{"filter": {"b": {"c": 1}}}"#,
        "ok",
    );
}
