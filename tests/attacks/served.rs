//! The MCP server in a cloned repository: it denies what a call denies, and says so.

use cogtools_test_support::{Outcome, Project};
use serde_json::{Value, json};

use super::folder_trust::{DENIED, call, clone, ran_nothing};
use crate::run;

/// A session of the MCP server in which the client sends one request.
pub(super) fn serve(project: &Project, method: &str, params: &Value) -> Outcome {
    let initialize = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    });
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params}),
    ];
    let input = lines.map(|line| line.to_string()).join("\n");
    run("cogtools-mcp", project)
        .stdin(format!("{input}\n"))
        .run()
}

#[test]
fn an_mcp_server_says_so_and_denies() {
    let project = clone();
    let serve = || {
        let outcome = serve(
            &project,
            "tools/call",
            &json!({"name": "go", "arguments": {}}),
        );
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let answers = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("it is JSON"));
        answers.collect::<Vec<Value>>()
    };
    let answers = serve();
    assert_eq!(
        answers[0]["result"]["instructions"],
        "2 tools of this project run programs or make requests that the user has not approved, so \
         calls are denied. Only the user can approve them, in a terminal, after a review: cogtools trust ."
    );
    assert_eq!(answers[1]["result"]["isError"], true);
    let text = answers[1]["result"]["content"][0]["text"].as_str();
    assert_eq!(
        text,
        Some(&*DENIED.replace("cogtools-call", "cogtools-mcp"))
    );
    ran_nothing(&project, "the server");
    project.trust(".");
    let answers = serve();
    assert_eq!(answers[0]["result"]["instructions"], Value::Null);
    assert_eq!(answers[1]["result"]["content"][0]["text"], "went\n");
}

/// Before, the server denied what a call allowed.
#[test]
fn an_mcp_server_leaves_an_invalid_layer_of_the_project_out() {
    let project = clone();
    project
        .trust(".")
        .file(".cogtoolrc.yaml", "unknown: true\n");
    call(&project).outputs("went\n");
    let outcome = serve(
        &project,
        "tools/call",
        &json!({"name": "go", "arguments": {}}),
    );
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let answer: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        answer["result"],
        json!({"content": [{"type": "text", "text": "went\n"}], "isError": false})
    );
}
