//! Tools that the API behind a host rejects: each is left out for that host alone.

use cogtools_test_support::{Expected, Outcome, Project, str};
use serde_json::json;

use crate::{project_with, run};

const ASK: &str = "\
name: ask
description: Ask
parameters:
  who?: string
  max-size: integer
implementation: asked
";

fn project() -> Project {
    let project = project_with("plain", "name: plain\ndescription: d\nimplementation: ok\n");
    project.file("tools/ask.yaml", ASK);
    project
}

fn discover(args: &[&str]) -> Outcome {
    run("cogtools-discover", &project()).args(args).run()
}

/// The other tool is declared, and `stderr` says why this one is not.
#[track_caller]
fn check(host: &str, level: &str, status: i32, stderr: impl Into<Expected>) {
    let format = format!("--format={host}");
    let args = if level == "error" {
        vec![format.as_str(), "--strict"]
    } else {
        vec![format.as_str()]
    };
    let only = project_with("plain", "name: plain\ndescription: d\nimplementation: ok\n");
    let healthy = run("cogtools-discover", &only).arg(&format).run().text();
    discover(&args).expect(status, healthy, stderr);
}

#[test]
fn a_tool_that_gemini_rejects_is_left_out_and_named() {
    check(
        "gemini",
        "warning",
        0,
        str![[r#"
cogtools-discover: warning[INVALID_TOOL]: tools/ask.yaml:4:3: not declared for gemini: the Gemini API rejects the parameter name "who?"
   |
 4 |   who?: string
   |   ^^^^
hint: use letters from a to z, digits and `_`, at most 64, and no digit first
cogtools-discover: warning[INVALID_TOOL]: tools/ask.yaml:5:3: not declared for gemini: the Gemini API rejects the parameter name "max-size"
   |
 5 |   max-size: integer
   |   ^^^^^^^^
hint: use letters from a to z, digits and `_`, at most 64, and no digit first

"#]],
    );
    check(
        "gemini",
        "error",
        78,
        str![[r#"
cogtools-discover: error[INVALID_TOOL]: tools/ask.yaml:4:3: not declared for gemini: the Gemini API rejects the parameter name "who?"
   |
 4 |   who?: string
   |   ^^^^
hint: use letters from a to z, digits and `_`, at most 64, and no digit first
cogtools-discover: error[INVALID_TOOL]: tools/ask.yaml:5:3: not declared for gemini: the Gemini API rejects the parameter name "max-size"
   |
 5 |   max-size: integer
   |   ^^^^^^^^
hint: use letters from a to z, digits and `_`, at most 64, and no digit first

"#]],
    );
}

#[test]
fn each_host_has_its_own_rules() {
    check(
        "anthropic",
        "warning",
        0,
        str![[r#"
cogtools-discover: warning[INVALID_TOOL]: tools/ask.yaml:4:3: not declared for anthropic: Anthropic's API rejects the parameter name "who?"
   |
 4 |   who?: string
   |   ^^^^
hint: use letters from a to z, digits, `_`, `.` and `-`, at most 64

"#]],
    );
    check(
        "mcp",
        "warning",
        0,
        str![[r#"
cogtools-discover: warning[INVALID_TOOL]: tools/ask.yaml:4:3: not declared for mcp: the Gemini API, which the client may use, rejects the parameter name "who?"
   |
 4 |   who?: string
   |   ^^^^
hint: use letters from a to z, digits and `_`, at most 64, and no digit first
cogtools-discover: warning[INVALID_TOOL]: tools/ask.yaml:5:3: not declared for mcp: the Gemini API, which the client may use, rejects the parameter name "max-size"
   |
 5 |   max-size: integer
   |   ^^^^^^^^
hint: use letters from a to z, digits and `_`, at most 64, and no digit first

"#]],
    );
    let names: Vec<String> = discover(&["--format=openai", "--strict"])
        .json()
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| tool["function"]["name"].to_string())
        .collect();
    assert_eq!(names, ["\"ask\"", "\"plain\""]);
}

#[test]
fn it_can_be_called_all_the_same() {
    run("cogtools-call", &project())
        .arg("ask")
        .stdin(json!({"who?": "a", "max-size": 1}))
        .run()
        .outputs("asked");
}
