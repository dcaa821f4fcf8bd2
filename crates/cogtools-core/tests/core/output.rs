//! The key `output`: what it takes, and what hosts are told of it.

use cogtools_core::{Target, schema::Schema, tool::Output};
use serde_json::json;

use super::fault::{told, tool};

#[track_caller]
fn refused(output: &str, expected: &str) {
    let file = format!("name: x\ndescription: d\noutput: {output}\nimplementation: a\n");
    let told = told(file);
    let (first, rest) = told.split_once('\n').unwrap_or((&told, ""));
    let hints: Vec<&str> = rest
        .lines()
        .filter(|line| line.starts_with("hint: "))
        .collect();
    let found = format!("{first}\n{}", hints.join("\n"));
    assert_eq!(
        found,
        format!("error[INVALID_TOOL]: x.yaml:3:{expected}"),
        "{output}"
    );
}

#[test]
fn what_is_refused() {
    for (output, expected) in [
        (
            "json",
            "9: `output` takes a map of `type` and `schema`, not a string\nhint: write a map such as `{type: json}`",
        ),
        (
            "{type: yaml}",
            "16: `type` takes `text` or `json`, not `yaml`\nhint: write `type: json` when the result is JSON",
        ),
        (
            "{}",
            "1: `output` says no `type`\nhint: write `output: {type: json}` or `output: {type: text}`",
        ),
        (
            "{type: text, schema: {type: string}}",
            "22: `schema` is for a result of `type: json`\nhint: write `type: json`, or remove `schema`",
        ),
        (
            "{type: json, shcema: {type: string}}",
            "22: unknown key `shcema`\nhint: did you mean `schema`?",
        ),
        (
            "{type: json, schema: {type: str}}",
            "37: `str` is not a type\nhint: write `string`",
        ),
        (
            "{type: json, schema: {type: string, pattern: '('}}",
            "54: `(` is not a regular expression of ECMA-262\nhint: put it in single quotes, so that YAML leaves the backslashes alone",
        ),
    ] {
        refused(output, expected);
    }
}

#[test]
fn what_it_is() {
    for (output, text, declared) in [
        ("", true, None),
        ("output: {type: text}\n", true, None),
        ("output: {type: json}\n", false, None),
        (
            "output: {type: json, schema: {type: string}}\n",
            false,
            None,
        ),
        (
            "output: {type: json, schema: {type: object, nullable: true}}\n",
            false,
            None,
        ),
        (
            "output: {type: json, schema: {type: object, properties: {a: {type: string, nullable: true}}}}\n",
            false,
            Some(json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}})),
        ),
    ] {
        let tool = tool(&format!(
            "name: x\ndescription: d\n{output}implementation: a\n"
        ));
        assert_eq!(*tool.output() == Output::Text, text, "{output}");
        let declaration = Target::Mcp.declare(&tool);
        assert_eq!(
            declaration.get("outputSchema"),
            declared.as_ref(),
            "{output}"
        );
    }
    let tool = tool(
        "name: x\ndescription: d\noutput: {type: json, schema: {type: string}}\nimplementation: a\n",
    );
    let schema = tool.output_schema().map(Schema::to_json_schema);
    assert_eq!(schema, Some(json!({"type": "string"})));
}
