//! Tools in JavaScript, through every program that shows or runs them.

use cogtools_test_support::{Project, Run, assert_text, str};

use super::{ADD, call, tool};
use crate::run;

#[test]
fn without_the_engine_it_says_so() {
    let project = Project::untrusted();
    project
        .file("tools/add.yaml", ADD)
        .copy("../bin/cogtools-call", crate::whole("cogtools-call"));
    Run::new(project.path("../bin/cogtools-call"))
        .project(&project)
        .arg("add")
        .stdin(r#"{"a": 1}"#)
        .run()
        .fails(
            78,
            str![[r#"
cogtools-call: error[INVALID_TOOL]: add: `cogtools-js` is not installed
hint: install it in the folder of the other programs of cogtools

"#]],
        );
}

/// It needs no approval, neither in a project nor in a package.
#[test]
fn nothing_needs_to_be_approved() {
    let project = Project::untrusted();
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [node_modules, {local: tools}]\n",
        )
        .file("package.json", r#"{"dependencies": {"pk": "1"}}"#)
        .file("tools/add.yaml", ADD)
        .file(
            "node_modules/pk/package.json",
            r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#,
        )
        .file(
            "node_modules/pk/tools/t.yaml",
            tool("return 'of a package'"),
        );
    call(&project, "add", r#"{"a": 1}"#).outputs("2");
    call(&project, "t", "").outputs("of a package");
    run("cogtools-trust", &project)
        .arg("--list")
        .run()
        .succeeds();
    run("cogtools-list", &project).run().outputs(str![[r#"
NAME  TOOLSET  SOURCE  FILE                          TOKENS  NOTES
t     pk       pk      node_modules/pk/tools/t.yaml      31
add            tools   tools/add.yaml                    72

2 tools, about 103 tokens with every request

"#]]);
}

#[test]
fn expand_shows_its_parameters() {
    let project = Project::untrusted();
    project.file("tools/add.yaml", ADD);
    run("cogtools-expand", &project)
        .arg("tools/add.yaml")
        .run()
        .outputs(str![[r#"
{
  "name": "add",
  "description": "Add two numbers",
  "parameters": {
    "type": "object",
    "properties": {
      "a": {
        "type": "number",
        "description": "The first"
      },
      "b": {
        "type": "number",
        "default": 1,
        "description": "The second"
      }
    },
    "required": [
      "a"
    ]
  },
  "parametersJsonSchema": {
    "type": "object",
    "properties": {
      "a": {
        "type": "number",
        "description": "The first"
      },
      "b": {
        "type": "number",
        "default": 1,
        "description": "The second"
      }
    },
    "required": [
      "a"
    ]
  }
}

"#]]);
}

#[test]
fn every_program_runs_it() {
    let project = Project::untrusted();
    project.file("tools/add.yaml", ADD);
    run("cogtools-yaml", &project)
        .arg("tools/add.yaml")
        .stdin(r#"{"a": 1}"#)
        .run()
        .outputs("2");
    run("cogtools-run", &project)
        .args(["add", "a=1", "b=5"])
        .run()
        .outputs("6");
    run("cogtools-test", &project)
        .arg("--update")
        .run()
        .outputs(str![[r#"
ok add (1 example)
  wrote tools/add.1.golden

1 tool, 1 example: all passed; 1 golden file written

"#]]);
    run("cogtools-test", &project).run().outputs(str![[r#"
ok add (1 example)

1 tool, 1 example: all passed

"#]]);
    run("cogtools-discover", &project).run().outputs(str![[r#"
[
{"name":"add","description":"Add two numbers","parameters":{"type":"object","properties":{"a":{"type":"number","description":"The first"},"b":{"type":"number","default":1,"description":"The second"}},"required":["a"]},"parametersJsonSchema":{"type":"object","properties":{"a":{"type":"number","description":"The first"},"b":{"type":"number","default":1,"description":"The second"}},"required":["a"]}}
]

"#]]);
    run("cogtools-docs", &project)
        .arg("GEMINI.md")
        .run()
        .succeeds();
    assert_text(
        project.read("GEMINI.md"),
        str![[r#"
<!-- cogtools:begin (`cogtools docs` writes this table) -->

| Tool | What it is for | Arguments |
|---|---|---|
| `add` | Add two numbers | `a`, `b` (optional) |

<!-- cogtools:end -->

"#]],
    );
}

#[test]
fn a_lock_pins_the_code() {
    let project = Project::untrusted();
    project.file("tools/add.yaml", ADD);
    run("cogtools-lock", &project).run().succeeds();
    let locked = || {
        run("cogtools-call", &project)
            .args(["add", "--locked"])
            .stdin(r#"{"a": 1}"#)
            .run()
    };
    locked().outputs("2");
    project.file("tools/add.yaml", ADD.replace("return sum", "return -sum"));
    locked().fails(77, str![[r#"
cogtools-call: error[DENIED]: add: it differs from the tool pinned in `cogtools.lock`: the implementation has changed
hint: review what has changed; to accept it, run cogtools lock

"#]]);
}

#[test]
fn over_mcp() {
    let project = Project::untrusted();
    project.file("tools/add.yaml", ADD);
    let request = |id: u32, method: &str, params: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
    };
    let initialize = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#;
    let input = [
        request(1, "initialize", initialize),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n".to_owned(),
        request(2, "tools/call", r#"{"name":"add","arguments":{"a":1}}"#),
    ]
    .concat();
    let text = run("cogtools-mcp", &project).stdin(input).run().text();
    let answer = text.lines().find(|line| line.contains("\"id\":2"));
    assert_eq!(
        answer,
        Some(
            r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"2"}],"isError":false}}"#
        )
    );
}

#[test]
fn output_is_checked() {
    let project = Project::untrusted();
    let typed = |code: &str| {
        let schema = "output: {type: json, schema: {type: object}}\n";
        project.file("tools/t.yaml", format!("{}{schema}", tool(code)));
        call(&project, "t", "")
    };
    typed("return {a: 1}").outputs("{\"a\":1}");
    typed("return [1]").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the result does not match the schema in `output`
  | expected object, got array [1]
hint: the tool's author has to fix it: the result must match `output`

"#]],
    );
    typed("return 'text'").fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the result is not JSON, as `output` declares: expected ident at line 1 column 2
  | text
hint: the tool's author has to fix it: the result must match `output`

"#]]);
    typed("return '{\"a\":1}'").outputs("{\"a\":1}");
}
