//! The key `output`: what it takes, and what hosts are told of it.

use cogtools_core::{Target, schema::Schema, tool::Output};
use cogtools_test_support::str;
use serde_json::json;

use super::fault::{check_file, tool};

#[test]
fn what_is_refused() {
    for (output, expected) in [
        ("json", str![]),
        ("{type: yaml}", str![]),
        ("{}", str![]),
        ("{type: text, schema: {type: string}}", str![]),
        ("{type: json, shcema: {type: string}}", str![]),
        ("{type: json, schema: {type: str}}", str![]),
        ("{type: json, schema: {type: string, pattern: '('}}", str![]),
    ] {
        check_file(
            format!("name: x\ndescription: d\noutput: {output}\nimplementation: a\n"),
            expected,
        );
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
