//! Gemini CLI in front of all servers: over MCP, and by its commands for discovery and calls.
//!
//! The Gemini API takes 512 functions in a request, so the project's tools have a budget here: the
//! model finds and calls the others by two tools.

use std::collections::BTreeSet;

use cogtools_test_support::{FakeGemini, Turn, assert_text, str};
use serde_json::json;

use super::{CODE_MODE, CODE_TOOLS, PROGRAM, RESULT, Scene};

/// The budget that fits into a request with the host's own tools.
const BUDGET: &str = "120000";

/// Plays three calls with these settings: the model sees everything that is declared, with this
/// prefix, and reads the answers.
fn converse(settings: &str, prefix: &str, format: &str) -> String {
    let scene = Scene::shared();
    let project = &scene.project;
    let settings = settings.replace("BUDGET", BUDGET);
    project.file(".gemini/settings.json", settings);
    let file = project.path("hello.txt").display().to_string();
    let call = |name: &str, arguments| Turn::call(format!("{prefix}{name}"), arguments);
    let through = json!({"name": "everything_echo", "arguments": {"message": "hi"}});
    let fake = FakeGemini::for_host([
        call("filesystem_read_text_file", json!({"path": file})),
        call(
            "find_tool",
            json!({"query": "echo back the input", "limit": 1}),
        ),
        call("call_tool", through),
        Turn::text("All done."),
    ]);
    let conversation = crate::clients::converse(project, fake);
    let steps = conversation.main();
    let expected = scene.declared_with(&["--format", format, "--budget", BUDGET]);
    assert!(expected.len() > 250 && !expected.contains("mongodb_export"));
    for step in &steps {
        let declared = step.declarations();
        let declared = declared.iter().filter_map(|tool| tool["name"].as_str());
        let ours = declared.filter_map(|name| name.strip_prefix(prefix));
        let ours = ours.filter(|name| !super::ASKS.contains(name));
        super::assert_same(&ours.map(str::to_owned).collect::<BTreeSet<_>>(), &expected);
    }
    let results = steps.iter().skip(1).map(|request| {
        let response = &request.responses()[0]["response"]["output"];
        format!("{}\n", response.as_str().unwrap_or_default())
    });
    results.collect()
}

/// One after the other: both are settings of the same project.
#[test]
fn gemini_cli_gets_every_tool_and_calls() {
    // A tool that is only for hosts with roots would take the place of another in the budget.
    let settings = r#"{"mcpServers": {"cogtools": {
        "command": "cogtools",
        "args": ["mcp", "--budget", "BUDGET", "--exclude", "everything_get-roots-list"]}}}"#;
    assert_text(
        converse(settings, "mcp_cogtools_", "mcp"),
        str![[r#"
<untrusted_context>
Good day

</untrusted_context>
<untrusted_context>
{"query": "echo back the input", "tools": [
{"name":"everything_echo","description":"Echoes back the input string","parameters":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}
], "hint": "5 more match; use a higher limit or a more specific query"}

</untrusted_context>
<untrusted_context>
Echo: hi
</untrusted_context>

"#]],
    );
    let settings = r#"{"tools": {
        "discoveryCommand": "cogtools-discover --budget BUDGET", "callCommand": "cogtools-call"}}"#;
    assert_text(
        converse(settings, "discovered_tool_", "gemini"),
        str![[r#"
Good day

{"query": "echo back the input", "tools": [
{"name":"everything_echo","description":"Echoes back the input string","parameters":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}
], "hint": "5 more match; use a higher limit or a more specific query"}

Echo: hi

"#]],
    );
    runs_a_program();
}

/// One program instead of the calls.
fn runs_a_program() {
    let scene = Scene::shared();
    let project = &scene.project;
    let server = json!({"command": "cogtools", "args": CODE_MODE});
    let settings = json!({"mcpServers": {"cogtools": server}});
    project.file(".gemini/settings.json", settings.to_string());
    let file = project.path("hello.txt").display().to_string();
    let arguments = json!({"code": PROGRAM, "args": {"path": file}});
    let fake = FakeGemini::for_host([
        Turn::call("mcp_cogtools_run_code", arguments),
        Turn::text("All done."),
    ]);
    let conversation = crate::clients::converse(project, fake);
    let steps = conversation.main();
    let declared = steps[0].declarations();
    let declared = declared.iter().filter_map(|tool| tool["name"].as_str());
    let ours = declared.filter_map(|name| name.strip_prefix("mcp_cogtools_"));
    let ours: BTreeSet<&str> = ours.collect();
    assert_eq!(ours, CODE_TOOLS.into());
    let response = &steps[1].responses()[0]["response"]["output"];
    assert!(
        response.as_str().is_some_and(|text| text.contains(RESULT)),
        "{response}"
    );
}
