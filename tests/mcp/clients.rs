//! Clients on the official SDKs, of both languages and both generations, and the
//! Inspector: what they receive, asserted whole.

use std::path::Path;
use std::time::Duration;

use cogtools_test_support::{Run, install};
use serde_json::{Value, json};

use super::{GREET, cache, project, server};

/// The tools that every client receives in this project.
fn expected() -> Value {
    json!({
        "tools": ["greet", "sum"],
        "prompts": ["greet"],
        "good": {"text": "Good day, Ada!", "isError": false, "structured": null},
        "bad": {
            "text": "cogtools-mcp: error[SCHEMA_VIOLATION]: greet: /persom: not a parameter of \
                     this tool\nhint: did you mean `person`?\n\
                     cogtools-mcp: error[SCHEMA_VIOLATION]: greet: /person: required but \
                     missing\nhint: send person (string): Who is greeted\n",
            "isError": true,
            "structured": null,
        },
        "unknown": {"code": -32602},
        "json": {"text": "{\"sum\": 3}", "isError": false, "structured": {"sum": 3}},
        "prompt": "Good day, Ada!",
        "changed": ["greet", "later", "sum"],
    })
}

/// Runs a client in its own project.
#[track_caller]
fn check(client: impl FnOnce(&Path) -> Run) {
    let project = project();
    project.file("later.yaml", GREET.replace("greet", "later"));
    let run = client(&project.path("later.yaml"));
    let outcome = run.project(&project).limit(Duration::from_mins(1)).run();
    outcome.outputs_json(&expected());
}

fn script(name: &str) -> std::path::PathBuf {
    crate::repository().join("tests/mcp/peers").join(name)
}

#[track_caller]
fn typescript(generation: &str, name: &str, package: &str) {
    let place = install::npm(&cache(), name, &[package]);
    let node = install::node(&cache()).join("node");
    check(|later| {
        Run::new(node)
            .arg(script("client.mjs"))
            .arg(generation)
            .arg(&place)
            .arg(server())
            .arg(later)
    });
}

#[track_caller]
fn python(generation: &str, name: &str, package: &str) {
    let python = install::python(&cache(), name, &[package]);
    check(|later| {
        Run::new(python)
            .arg(script("client.py"))
            .arg(generation)
            .arg(server())
            .arg(later)
    });
}

#[test]
fn typescript_1() {
    typescript("1", "mcp-sdk-1.32.2", "@modelcontextprotocol/sdk@1.32.2");
}

#[test]
fn typescript_2() {
    typescript(
        "2",
        "mcp-client-2.4.0",
        "@modelcontextprotocol/client@2.4.0",
    );
}

#[test]
fn python_1() {
    python("1", "mcp-python-1.30.0", "mcp==1.30.0");
}

#[test]
fn python_2() {
    python("2", "mcp-python-2.3.0", "mcp==2.3.0");
}

#[test]
fn inspector() {
    let package = "@modelcontextprotocol/inspector@2.12.0";
    let place = install::npm(&cache(), "mcp-inspector-2.12.0", &[package]);
    let project = project();
    let inspect = |args: &[&str]| {
        Run::new(place.join("node_modules/.bin/mcp-inspector"))
            .project(&project)
            .path(install::node(&cache()))
            .arg("--cli")
            .arg(server())
            .args(args)
            .limit(Duration::from_mins(1))
            .run()
    };
    let tools = inspect(&["--method", "tools/list", "--strict"]).json();
    let closed = json!({
        "name": "greet",
        "description": "Greets a person",
        "inputSchema": {
            "type": "object",
            "properties": {"person": {"type": "string", "description": "Who is greeted"}},
            "required": ["person"],
            "additionalProperties": false,
            "examples": [{"person": "Grace"}],
        },
    });
    assert_eq!(tools["tools"][0], closed);
    let call = [
        "--method",
        "tools/call",
        "--tool-name",
        "greet",
        "--tool-arg",
        "person=Ada",
    ];
    inspect(&call).outputs_json(&json!({
        "content": [{"type": "text", "text": "Good day, Ada!"}],
        "isError": false,
    }));
}
