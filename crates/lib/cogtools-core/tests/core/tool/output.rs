//! The key `output`: its values, and the declared output schema.

use cogtools_core::{Target, schema::Schema, tool::Output};
use cogtools_test_support::{Snapshot, str};
use serde_json::json;

use crate::support::{check_file, tool};

const INVALID_OUTPUTS: [(&str, Snapshot); 10] = [
    (
        "json",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:9: `output` takes a map of `type` and `schema`, not a string
   |
 3 | output: json
   |         ^^^^
hint: write a map such as `{type: json}`

"#]],
    ),
    (
        "{type: yaml}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:16: `type` takes `text`, `json`, `content` or a media type such as `image/png`, not `yaml`
   |
 3 | output: {type: yaml}
   |                ^^^^
hint: write `type: json` when the result is JSON, and `type: text` for SVG and HTML

"#]],
    ),
    (
        "{type: image/svg+xml}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:16: `type` takes `text`, `json`, `content` or a media type such as `image/png`, not `image/svg+xml`
   |
 3 | output: {type: image/svg+xml}
   |                ^^^^^^^^^^^^^
hint: write `type: json` when the result is JSON, and `type: text` for SVG and HTML

"#]],
    ),
    (
        "{type: image/png}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:1: `type: image/png` is the output of a program, but this is none
   |
 3 | output: {type: image/png}
   | ^^^^^^
hint: use `exec` or `script`, or answer with blocks: `output: {type: content}`

"#]],
    ),
    (
        "{type: content, schema: {type: object}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:25: `schema` requires `type: json`
   |
 3 | output: {type: content, schema: {type: object}}
   |                         ^^^^^^
hint: write `type: json`, or remove `schema`

"#]],
    ),
    (
        "{}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:1: `output` has no `type`
   |
 3 | output: {}
   | ^^^^^^
hint: write `output: {type: json}` or `output: {type: text}`

"#]],
    ),
    (
        "{type: text, schema: {type: string}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:22: `schema` requires `type: json`
   |
 3 | output: {type: text, schema: {type: string}}
   |                      ^^^^^^
hint: write `type: json`, or remove `schema`

"#]],
    ),
    (
        "{type: json, shcema: {type: string}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:22: unknown key `shcema`
   |
 3 | output: {type: json, shcema: {type: string}}
   |                      ^^^^^^
hint: did you mean `schema`?

"#]],
    ),
    (
        "{type: json, schema: {type: str}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:37: `str` is not a type
   |
 3 | output: {type: json, schema: {type: str}}
   |                                     ^^^
hint: write `string`

"#]],
    ),
    (
        "{type: json, schema: {type: string, pattern: '('}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:54: `(` is not a regular expression of ECMA-262
   |
 3 | output: {type: json, schema: {type: string, pattern: '('}}
   |                                                      ^^^
hint: put it in single quotes, so that YAML leaves the backslashes alone

"#]],
    ),
];

#[test]
fn invalid_outputs() {
    for (output, expected) in INVALID_OUTPUTS {
        check_file(
            format!("name: x\ndescription: d\noutput: {output}\nimplementation: a\n"),
            expected,
        );
    }
}

#[test]
fn output_types_and_declared_schemas() {
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
        assert_eq!(tool.output == Output::Text, text, "{output}");
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
