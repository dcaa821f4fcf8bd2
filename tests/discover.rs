//! `cogtools-discover`: declarations for hosts, and the effect of a broken tool.

use cogtools_test_support::{Outcome, Project, str};
use serde_json::json;

use crate::{project_with, run};

const WEIGH: &str = "\
name: weigh
title: Weigh it
description: Weigh two sides
parameters:
  side: string
  grams: {type: number, minimum: 0, exclusiveMinimum: true, nullable: true, optional: true, example: 3}
examples:
  - side: left
annotations: {read_only: true, open_world: false}
implementation: ok
";
const PLAIN: &str = "name: plain\ndescription: Nothing to say\nimplementation: ok\n";

fn discover(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools-discover", project).args(args).run()
}

fn two() -> Project {
    let project = project_with("weigh", WEIGH);
    project.file("tools/plain.yaml", PLAIN);
    project
}

#[test]
fn gemini_gets_both_generations_of_schemas() {
    let expected = concat!(
        "[\n",
        r#"{"name":"plain","description":"Nothing to say","parametersJsonSchema":{"type":"object","properties":{}}},"#,
        "\n",
        r#"{"name":"weigh","description":"Weigh two sides","parameters":{"type":"object","properties":{"side":{"type":"string"},"grams":{"type":"number","minimum":0,"nullable":true,"example":3}},"required":["side"]},"parametersJsonSchema":{"type":"object","properties":{"side":{"type":"string"},"grams":{"type":["number","null"],"exclusiveMinimum":0}},"required":["side"]}}"#,
        "\n]\n",
    );
    discover(&two(), &[]).outputs(expected);
    discover(&two(), &["--format", "gemini", "--strict"]).outputs(expected);
}

#[test]
fn other_hosts_get_their_own_format() {
    let schema = json!({
        "type": "object",
        "properties": {
            "side": {"type": "string"},
            "grams": {"type": ["number", "null"], "exclusiveMinimum": 0},
        },
        "required": ["side"],
        "additionalProperties": false,
    });
    let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
    discover(&two(), &["--format", "openai"]).outputs_json(&json!([
        {"type": "function", "function":
            {"name": "plain", "description": "Nothing to say", "parameters": empty}},
        {"type": "function", "function":
            {"name": "weigh", "description": "Weigh two sides", "parameters": schema}},
    ]));
    let strict = json!({
        "type": "object", "required": ["side", "grams"], "properties": schema["properties"],
        "additionalProperties": false,
    });
    let nothing = json!({
        "type": "object", "required": [], "properties": {}, "additionalProperties": false,
    });
    discover(&two(), &["--format=openai-strict"]).outputs_json(&json!([
        {"type": "function", "function":
            {"name": "plain", "description": "Nothing to say", "strict": true, "parameters": nothing}},
        {"type": "function", "function":
            {"name": "weigh", "description": "Weigh two sides", "strict": true, "parameters": strict}},
    ]));
    discover(&two(), &["--format=anthropic"]).outputs_json(&json!([
        {"name": "plain", "description": "Nothing to say", "input_schema": empty},
        {"name": "weigh", "description": "Weigh two sides", "input_schema": schema,
            "input_examples": [{"side": "left"}]},
    ]));
    let mut with_examples = schema.clone();
    with_examples["examples"] = json!([{"side": "left"}]);
    discover(&two(), &["--format=mcp"]).outputs_json(&json!([
        {"name": "plain", "description": "Nothing to say",
            "inputSchema": {"type": "object", "additionalProperties": false}},
        {"name": "weigh", "title": "Weigh it", "description": "Weigh two sides",
            "inputSchema": with_examples,
            "annotations": {"readOnlyHint": true, "openWorldHint": false}},
    ]));
    discover(&two(), &["--format=cobol"]).fails(
        2,
        str![[r#"
cogtools-discover: error[USAGE]: invalid value 'cobol' for '--format <HOST>' [possible values: gemini, openai, openai-strict, anthropic, mcp]
hint: usage: cogtools-discover [OPTIONS]
hint: --help explains every option

"#]],
    );
}

#[test]
fn yaml_says_the_same() {
    let project = project_with("plain", PLAIN);
    discover(&project, &["--yaml"]).outputs(str![[r#"
- name: plain
  description: Nothing to say
  parametersJsonSchema:
    type: object
    properties: {}

"#]]);
    discover(&Project::new(), &["--yaml"]).outputs(str![[r#"
[]

"#]]);
    discover(&Project::new(), &[]).outputs(str![[r#"
[]

"#]]);
}

#[test]
fn broken_tool_affects_only_itself() {
    let project = two();
    project.file(
        "tools/broken.yaml",
        "name: broken\ndesciption: oh\nimplementation: x\n",
    );
    let words = |level: &str| {
        format!(
            "\
cogtools-discover: {level}[INVALID_TOOL]: tools/broken.yaml:1:1: `description` is missing
   |
 1 | name: broken
   | ^
hint: add `description: …`
cogtools-discover: {level}[INVALID_TOOL]: tools/broken.yaml:2:1: unknown key `desciption`
   |
 2 | desciption: oh
   | ^^^^^^^^^^
hint: did you mean `description`?
"
        )
    };
    let healthy = discover(&two(), &[]).text();
    discover(&project, &[]).expect(0, &healthy, words("warning"));
    discover(&project, &["--strict"]).expect(78, &healthy, words("error"));
}

#[test]
fn strict_finds_what_a_call_would_find() {
    let project = project_with(
        "odd",
        "\
name: odd
description: d
parameters: {a: integer}
examples:
  - {a: 1}
  - {a: one, b: 2}
implementation: |
  {% if a %}
",
    );
    let declared = discover(&project, &[]).json();
    assert_eq!(declared[0]["name"], "odd", "{declared}");
    discover(&project, &["--strict"]).expect(
        78,
        str![[r#"
[]

"#]],
        str![[r#"
cogtools-discover: error[INVALID_TOOL]: tools/odd.yaml:6:14: /b: invalid example: not a parameter of this tool
   |
 6 |   - {a: one, b: 2}
   |              ^
hint: the parameters are `a`
cogtools-discover: error[INVALID_TOOL]: tools/odd.yaml:6:6: /a: invalid example: expected integer, got string "one"
   |
 6 |   - {a: one, b: 2}
   |      ^
hint: send a (integer)
cogtools-discover: error[INVALID_TOOL]: tools/odd.yaml:8:6: expected `elif`, `elseif`, `else` or `endif`, found the end of the template
   |
 8 |   {% if a %}
   |      ^^
hint: the `if` on line 8 needs `{% endif %}`

"#]],
    );
}

#[test]
fn order_and_shadowing_follow_the_sources() {
    let project = Project::new();
    let tool = |name: &str, says: &str| {
        format!("name: {name}\ndescription: {says}\nimplementation: {says}\n")
    };
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [local: second, local: ./first]\n",
        )
        .file("first/a.yaml", tool("a", "first"))
        .file("first/c.yaml", tool("c", "first"))
        .file("second/c.yaml", tool("c", "second"))
        .file("second/b.yaml", tool("b", "second"))
        .file("second/.hidden.yaml", "")
        .file("second/notes.md", "")
        .file("tools/unread.yaml", "");
    let line = |name: &str, says: &str| {
        format!(
            r#"{{"name":"{name}","description":"{says}","parametersJsonSchema":{{"type":"object","properties":{{}}}}}}"#
        )
    };
    let expected = format!(
        "[\n{},\n{},\n{}\n]\n",
        line("b", "second"),
        line("c", "second"),
        line("a", "first")
    );
    discover(&project, &[]).outputs(&expected);
    discover(&project, &["--verbose"]).expect(
        0,
        &expected,
        str![[r#"
cogtools-discover: first/c.yaml is shadowed by second/c.yaml
cogtools-discover: 3 tools declared

"#]],
    );
    run("cogtools-call", &project)
        .arg("c")
        .run()
        .outputs(str!["second"]);
    run("cogtools-call", &project)
        .arg("a")
        .run()
        .outputs(str!["first"]);
}

#[test]
fn many_tools_keep_their_order() {
    let project = Project::new();
    let mut names: Vec<String> = (0..100).map(|number| format!("tool-{number:03}")).collect();
    for name in names.iter().rev() {
        project.file(
            format!("tools/{name}.yaml"),
            format!("name: {name}\ndescription: d\nimplementation: x\n"),
        );
    }
    let declared = discover(&project, &[]).json();
    let found: Vec<String> = declared
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| tool["name"].as_str().unwrap_or_default().to_owned())
        .collect();
    names.sort();
    assert_eq!(found, names);
}

#[test]
fn tool_that_hosts_cannot_send_is_refused() {
    let long = "a".repeat(48);
    let project = project_with(
        &long,
        &format!("name: {long}\ndescription: d\nimplementation: x\n"),
    );
    let outcome = discover(&project, &["--strict"]);
    outcome.expect(
        78,
        str![[r#"
[]

"#]],
        format!(
            "\
cogtools-discover: error[INVALID_TOOL]: tools/{long}.yaml:1:7: `{long}` is not a tool's name: a name has at most 47 characters, not 48
   |
 1 | name: {long}
   |       {}
hint: use a name that every host accepts, such as `check_facts`
",
            "^".repeat(48)
        ),
    );
}
