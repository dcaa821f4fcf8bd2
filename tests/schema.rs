//! Schemas through the installed program: what is accepted is what OpenAPI 3.0 says.

use cogtools_test_support::{Outcome, Project};
use serde_json::{Value, json};

use crate::{project_with, run};

fn project(schema: &Value) -> Project {
    // JSON is YAML, so the schema is in the file as it was recorded.
    project_with(
        "held",
        &format!(
            "name: held\ndescription: d\nparameters_schema: {schema}\nimplementation: '{{{{ \"ok\" }}}}'\n"
        ),
    )
}

pub(crate) fn call(schema: &Value, arguments: &Value) -> Outcome {
    let project = project(schema);
    run("cogtools-call", &project)
        .arg("held")
        .stdin(arguments)
        .run()
}

/// Returns true if the call is accepted; it must be either that or a violation.
pub(crate) fn accepted(outcome: &Outcome) -> Result<bool, String> {
    let start = b"cogtools-call: error[SCHEMA_VIOLATION]: held: ";
    match (
        outcome.status,
        outcome.stdout.as_slice(),
        outcome.stderr.as_slice(),
    ) {
        (status, b"ok", b"") if status == 0.into() => Ok(true),
        (status, b"", stderr) if status == 65.into() && stderr.starts_with(start) => Ok(false),
        _ => Err(outcome.to_string()),
    }
}

/// Validates each value against a parameter of that schema.
#[track_caller]
fn check(schema: &Value, valid: &[&str], invalid: &[&str]) {
    let schema = json!({
        "type": "object",
        "properties": {"value": schema, "other": {"type": "string"}},
    });
    let project = project(&schema);
    for (values, expected) in [(valid, true), (invalid, false)] {
        for value in values {
            let outcome = run("cogtools-call", &project)
                .arg("held")
                .stdin(format!("{{\"value\": {value}}}"))
                .run();
            assert_eq!(accepted(&outcome), Ok(expected), "{schema} and {value}");
        }
    }
}

#[test]
fn numbers() {
    check(
        &json!({"type": "integer"}),
        &["1", "1.0", "1e2", "-0.0", "18446744073709551615"],
        &["1.5", "\"1\"", "true", "null"],
    );
    check(
        &json!({"type": "integer", "format": "int64"}),
        &["9223372036854775807", "-9223372036854775808"],
        // JSON numbers beyond 64 bits are floats; this is the first that differs.
        &["9223372036854775808", "1e19", "-9223372036854777856"],
    );
    check(
        &json!({"type": "integer", "format": "int32"}),
        &["2147483647", "-2147483648"],
        &["2147483648", "1.5"],
    );
    check(
        &json!({"type": "number", "multipleOf": 0.1}),
        &["0.3", "0.7", "1.1", "2"],
        &["0.35"],
    );
    check(
        &json!({"type": "number", "multipleOf": 0.01}),
        &["19.99", "0.07"],
        &["0.075"],
    );
    check(
        &json!({"type": "number", "exclusiveMinimum": true}),
        &["-1e300", "0"],
        &["\"a\""],
    );
    check(
        &json!({"minimum": 1, "exclusiveMinimum": true}),
        &["2", "\"a\""],
        &["1", "1.0"],
    );
    check(
        &json!({"maximum": 1, "exclusiveMaximum": false}),
        &["1"],
        &["2"],
    );
}

#[test]
fn null() {
    check(
        &json!({"type": "string", "nullable": true}),
        &["null", "\"a\""],
        &["1"],
    );
    check(
        &json!({"type": "string", "nullable": false}),
        &["\"a\""],
        &["null"],
    );
    check(&json!({"nullable": false}), &["null", "1"], &[]);
    check(
        &json!({"type": "string", "nullable": true, "enum": ["a"]}),
        &["\"a\""],
        &["null"],
    );
    check(
        &json!({"type": "string", "nullable": true, "enum": ["a", null]}),
        &["\"a\"", "null"],
        &["\"b\""],
    );
    check(
        &json!({"nullable": true, "allOf": [{"type": "string"}]}),
        &["\"a\""],
        &["null"],
    );
}

#[test]
fn references() {
    check(
        &json!({"$ref": "#/properties/other", "maxLength": 1, "type": "integer"}),
        &["\"long\""],
        &["1"],
    );
    check(
        &json!({"type": "array", "items": {"$ref": "#/properties/other"}}),
        &["[\"a\"]"],
        &["[1]"],
    );
    check(
        &json!({"type": "object", "properties": {"next": {"$ref": "#/properties/value"}}, "additionalProperties": false}),
        &["{}", "{\"next\": {\"next\": {}}}"],
        &["{\"next\": {\"text\": 1}}", "{\"next\": 1}"],
    );
}

#[test]
fn text() {
    check(
        &json!({"type": "string", "maxLength": 2}),
        &["\"äö\"", "\"😀😀\""],
        &["\"abc\""],
    );
    check(
        &json!({"type": "string", "format": "date"}),
        &["\"2026-11-21\""],
        &["\"2026-02-30\"", "\"21.11.2026\""],
    );
    check(
        &json!({"type": "string", "format": "date-time"}),
        &["\"2026-11-21T10:00:00Z\""],
        &["\"2026-11-21\""],
    );
    check(
        &json!({"type": "string", "format": "byte"}),
        &["\"QUI=\"", "\"\""],
        &["\"not base 64!\"", "\"QUI\"", "1"],
    );
    check(
        &json!({"type": "string", "format": "uuid"}),
        &["\"2eb8aa08-aa98-11ea-b4aa-73b441d16380\""],
        &["\"2eb8aa08\"", "1"],
    );
    check(
        &json!({"type": "number", "format": "int32"}),
        &["1", "1.0"],
        &["1.5", "2147483648"],
    );
    check(
        &json!({"type": "string", "format": "of-our-own"}),
        &["\"x\""],
        &["1"],
    );
    check(
        &json!({"type": "string", "pattern": "^(?=.*\\d)[a-z\\d]+$"}),
        &["\"a1\""],
        &["\"a\"", "\"A1\""],
    );
}

#[test]
fn assertions_that_check_nothing() {
    check(
        &json!({"type": "string", "default": "a", "example": 1, "deprecated": true, "readOnly": true, "x-min": 5}),
        &["\"b\""],
        &["1"],
    );
    check(
        &json!({"discriminator": {"propertyName": "kind"}}),
        &["{}", "1"],
        &[],
    );
}

#[test]
fn catastrophic_pattern_is_abandoned() {
    let schema = json!({"type": "object", "properties": {"value": {"type": "string", "pattern": "^((?=a)a|(?=a)aa)+$"}}});
    call(&schema, &json!({"value": "a".repeat(100) + "!"})).fails(
        65,
        "cogtools-call: error[SCHEMA_VIOLATION]: held: /value: takes too long to compare with the pattern of this parameter\n\
         hint: send value (string, matching `^((?=a)a|(?=a)aa)+$`)\n",
    );
}

#[test]
fn what_is_deprecated_is_said_to_models_and_people() {
    let tool = "name: old\ndescription: Greet somebody.\ndeprecated: use `greet`.\nparameters:\n  \
                person: {type: string, description: The person}\n  \
                name: {type: string, description: The name, deprecated: use person, optional: true}\n\
                implementation: x\n";
    let project = project_with("old", tool);
    let said = "Deprecated: use `greet`. Greet somebody.";
    let name = json!({"type": "string", "description": "Deprecated: use person. The name"});
    for (format, tool, parameters) in [
        ("gemini", "", "/parametersJsonSchema"),
        ("openai", "/function", "/parameters"),
        ("anthropic", "", "/input_schema"),
        ("mcp", "", "/inputSchema"),
    ] {
        let args = ["--format", format];
        let found = run("cogtools-discover", &project).args(args).run().json();
        let found = found[0].pointer(tool).expect("a tool");
        assert_eq!(found["description"], said, "{format}");
        let parameters = found.pointer(parameters).expect("parameters");
        let own = &parameters["properties"]["name"];
        assert_eq!(own["description"], name["description"], "{format}");
        assert_eq!(parameters["required"], json!(["person"]), "{format}");
    }
    let expanded = run("cogtools-expand", &project).arg("old").run().json();
    assert_eq!(expanded["parameters"]["properties"]["name"], name);
    // People read it in the description, too, and where a caller is checked.
    let found = run("cogtools", &project)
        .args(["run", "find_tool", "query=greet"])
        .run();
    let found = String::from_utf8_lossy(&found.status(0).stdout).into_owned();
    assert!(found.contains(said), "{found}");
    project.file(
        "tools/asks.yaml",
        "name: asks\ndescription: d\nimplementation: {agent: {rules: x, tools: [old]}}\n",
    );
    let linted = run("cogtools-lint", &project)
        .args(["--json", "asks"])
        .run();
    let found = String::from_utf8_lossy(&linted.stdout).into_owned();
    assert!(
        found.contains("deprecated-tool") && found.contains("use `greet`"),
        "{found}"
    );
    // A call still runs.
    run("cogtools-call", &project)
        .arg("old")
        .stdin(json!({"person": "Ada", "name": "A"}))
        .run()
        .outputs("x");
}
