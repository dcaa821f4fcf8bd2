//! Servers of the official SDKs, and ours over HTTP, as sources of tools.

use std::time::Duration;

use cogtools_test_support::{Outcome, Project, install, str};
use serde_json::{Value, json};

use super::cache;
use super::http::Service;
use super::peer::peer;
use crate::run;

/// Discovery, and then one call to a tool of `server`.
#[track_caller]
fn call(server: &Value, vars: &[(&str, &str)], tool: &str, arguments: &Value) -> Outcome {
    let project = Project::new();
    let program = run("cogtools-call", &project).env(
        "COGTOOLS_TOOL_SOURCES",
        json!([{"mcp": server}]).to_string(),
    );
    let program = vars
        .iter()
        .fold(program, |run, (name, value)| run.env(name, value));
    let program = program.limit(Duration::from_mins(1)).arg(tool);
    program.stdin(arguments).run()
}

#[test]
fn everything_becomes_text() {
    let package = "@modelcontextprotocol/server-everything@2026.8.31";
    let place = install::npm(&cache(), "mcp-everything-2026.8.31", &[package]);
    let node = install::node(&cache()).join("node");
    let script = place.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let server = json!({"command": node, "args": [script]});
    for (tool, arguments, expected) in [
        ("echo", json!({"message": "hi"}), str!["Echo: hi"]),
        (
            "get-tiny-image",
            json!({}),
            str![[r#"
Here's the image you requested:

[image: image/png, 4033 bytes, omitted: results are text only]

The image above is the MCP logo.
"#]],
        ),
        (
            "get-resource-links",
            json!({"count": 1}),
            str![[r#"
Here are 1 resource links to resources available in this server:

Blob Resource 1: demo://resource/dynamic/blob/1
"#]],
        ),
        (
            "get-structured-content",
            json!({"location": "New York"}),
            str![[r#"{"temperature":33,"conditions":"Cloudy","humidity":82}"#]],
        ),
    ] {
        call(&server, &[], tool, &arguments).outputs(expected);
    }
    // It runs only as a task.
    let report = call(
        &server,
        &[],
        "simulate-research-query",
        &json!({"topic": "moths"}),
    );
    report
        .succeeds()
        .stdout_contains("# Research Report: moths");
}

#[test]
fn a_server_on_the_sdk_of_python() {
    let python = install::python(&cache(), "mcp-python-1.30.0", &["mcp==1.30.0"]);
    let server = json!({"command": [python, peer("fast.py")]});
    call(&server, &[], "add", &json!({"a": 1})).outputs(str!["3"]);
}

#[test]
fn a_server_on_the_second_sdk_of_python() {
    let python = install::python(&cache(), "mcp-python-2.3.0", &["mcp==2.3.0"]);
    let server = json!({"command": [python, peer("served.py"), "stdio"], "name": "p"});
    call(&server, &[], "t", &json!({"a": 1})).outputs(str!["3"]);
    call(&server, &[], "t", &json!({"a": -1})).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the tool reported an error
  | Error executing tool t

"#]],
    );
}

#[test]
fn a_server_on_the_sdk_of_typescript() {
    let package = "@modelcontextprotocol/sdk@1.32.2";
    let place = install::npm(&cache(), "mcp-sdk-1.32.2", &[package]);
    let node = install::node(&cache()).join("node");
    let server = json!({"command": [node, peer("plain.mjs"), place], "name": "t"});
    call(&server, &[], "add", &json!({"a": 1})).outputs(str!["3"]);
    call(&server, &[], "add", &json!({"a": -1})).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: add: the tool reported an error
  | a is negative

"#]],
    );
}

#[test]
fn over_http_with_a_token() {
    let project = super::project();
    let service = Service::start(&project, &[("MCP_SERVER_TOKEN", "secret")]);
    let server = json!({
        "url": service.url,
        "name": "h",
        "headers": {"Authorization": "Bearer ${TOKEN}"},
        "env": ["TOKEN"],
    });
    let ada = json!({"person": "Ada"});
    call(&server, &[("TOKEN", "secret")], "greet", &ada).outputs(str!["Good day, Ada!"]);
    call(&server, &[("TOKEN", "other")], "greet", &ada).fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: greet: no such tool
hint: cogtools-discover lists all tools
cogtools-call: error[TOOL_FAILED]: the MCP server `h` responded with HTTP 401 Unauthorized
hint: check `headers` of the source, and the variables that they refer to

"#]],
    );
}
