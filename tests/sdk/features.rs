//! A project whose tools use every feature of tool files.

use cogtools_test_support::Project;
use serde_json::json;

/// Every keyword of an OpenAPI 3.0 Schema Object.
const KEYWORDS: &str = r"name: keywords
title: All keywords
description: Takes everything that a schema can say
parameters:
  text: {type: string, title: T, description: d, minLength: 1, maxLength: 9, pattern: '^[a-z\-]+$', format: hostname, example: a, default: b}
  number: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: true, multipleOf: 0.5}
  bounds: {type: number, minimum: 0, exclusiveMinimum: false, maximum: 10, exclusiveMaximum: false}
  half: {type: integer, format: int64, exclusiveMinimum: true}
  maybe: {type: string, nullable: true, enum: [a, null]}
  untyped: {description: anything, nullable: true}
  list: {type: array, items: {type: string, nullable: true}, minItems: 1, maxItems: 3, uniqueItems: true}
  lists: {type: 'string[]', optional: true}
  map: {type: object, properties: {a: {type: string, readOnly: true}, b: {type: string, writeOnly: true, optional: true}}, minProperties: 1, maxProperties: 2, additionalProperties: false}
  dictionary: {type: object, additionalProperties: {type: integer}}
  open: {type: object, additionalProperties: true}
  both: {allOf: [{type: object, properties: {kind: {type: string}}}, {type: object}]}
  either: {oneOf: [{type: string}, {type: integer, nullable: true}]}
  some: {anyOf: [{type: string, maxLength: 3}, {type: string, format: date}]}
  none: {not: {type: string}}
  old: {type: string, deprecated: true, optional: true, x-note: {a: 1}, externalDocs: {url: 'https://example.org'}, xml: {name: x}}
  picked: {oneOf: [{type: object, properties: {t: {type: string, enum: [a]}}}], discriminator: {propertyName: t}}
  numbers: {type: integer, enum: [1, 2, 3]}
  'true': {type: boolean, default: true}
implementation: x
";

/// A verbatim schema, which refers to itself.
const REFERENCES: &str = r"name: references
description: Takes a tree
parameters_schema:
  type: object
  required: [tree]
  properties:
    tree:
      type: object
      nullable: true
      properties:
        name: {type: string}
        children: {type: array, items: {$ref: '#/properties/tree'}}
    _odd_Name: {type: string}
  additionalProperties: {type: string, nullable: true}
implementation: x
";

/// Alternatives at the root, which the APIs of `OpenAI` and Anthropic reject.
const ALTERNATIVES: &str = "name: alternatives
description: Takes one or the other
parameters_schema:
  type: object
  properties: {a: {type: string}, b: {type: string}}
  oneOf: [{required: [a]}, {required: [b]}]
implementation: x
";

const UNICODE: &str = "name: unicode
title: Grüße 👋
description: \"Grüßt — «überall» 🌍, auch \\u202Eso\\u202C und in 日本語\\ttab\"
parameters:
  size: {type: string, description: 'Größe \u{1F4CF}', enum: ['größer', '小さい', '👍🏽']}
examples:
  - {size: 小さい}
implementation: x
";

const OUTPUT: &str = "name: output
description: Answers with a value
output:
  type: json
  schema:
    type: object
    properties:
      sum: {type: number, minimum: 0, exclusiveMinimum: true, nullable: true}
      rest: {type: array, items: {$ref: '#/properties/sum'}}
    required: [sum]
annotations: {read_only: true, destructive: false, idempotent: true, open_world: false}
implementation: '{\"sum\": 1}'
";

const LIST_OUTPUT: &str = "name: list_output
description: Answers with a list, which is no object
output: {type: json, schema: {type: array, items: {type: string}}}
implementation: '[]'
";

/// A project with all of them that can be sent in the format `format`.
pub(super) fn project(format: &str) -> Project {
    let project = Project::new();
    let long = "It does what its very long description says. ".repeat(22);
    project
        .file("tools/keywords.yaml", KEYWORDS)
        .file("tools/references.yaml", REFERENCES)
        .file("tools/unicode.yaml", UNICODE)
        .file("tools/output.yaml", OUTPUT)
        .file("tools/list_output.yaml", LIST_OUTPUT)
        .file("tools/nothing.yaml", "name: nothing\ndescription: d\nimplementation: x\n")
        .file(
            "tools/_long-Name_with_as_many_letters_as_it_can_have.yaml",
            format!("name: _long-Name_with_as_many_letters_as_it_can_have\ndescription: {long}\nimplementation: x\n"),
        );
    if format == "mcp" {
        project.file("tools/alternatives.yaml", ALTERNATIVES);
    }
    project
}

/// A project with the tools of a program that declares them as servers do: in any draft, with
/// gaps, with names that hosts do not accept.
pub(super) fn foreign() -> Project {
    let project = Project::new();
    let file = crate::repository().join("tests/sdk/foreign.json");
    let source = json!({"command": {"discover": ["cat", file], "call": "cat", "name": "foreign"}});
    let config = json!({"tool_sources": [source]}).to_string();
    project.file("../home/.gemini/cogtoolrc.yaml", config);
    project
}
