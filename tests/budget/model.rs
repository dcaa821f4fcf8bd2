//! A model that sees only a few declarations, in the real Gemini CLI.

use std::fmt::Write as _;

use cogtools_test_support::{FakeGemini, Turn, difference};
use serde_json::json;

use super::{call, many, names};

#[test]
fn a_model_finds_and_calls_what_is_not_declared() {
    let settings =
        r#"{"tools": {"discoveryCommand": "cogtools-discover", "callCommand": "cogtools-call"}}"#;
    conversation(settings, "discovered_tool_", str::to_owned);
}

#[test]
fn a_model_finds_and_calls_over_mcp() {
    let settings = r#"{"mcpServers": {"cogtools": {"command": "cogtools", "args": ["mcp"]}}}"#;
    let wrap = |text: &str| format!("<untrusted_context>\n{text}\n</untrusted_context>");
    conversation(settings, "mcp_cogtools_", wrap);
}

/// Plays a search and a call in a project with 200 tools, whose names begin with
/// `prefix` there; the model reads results as `wrap`.
fn conversation(settings: &str, prefix: &str, wrap: impl Fn(&str) -> String) {
    let project = many(200);
    project
        .file(".cogtoolrc.yaml", "budget: 1000\n")
        .file(".gemini/settings.json", settings);
    let query = json!({"query": "fact 150", "limit": 1});
    let fake = FakeGemini::for_host([
        Turn::call(format!("{prefix}find_tool"), query.clone()),
        Turn::call(
            format!("{prefix}call_tool"),
            json!({"name": "tool_150", "arguments": {"tone": "warm"}}),
        ),
        Turn::text("All done."),
    ]);
    let mut expected = names(&project, &[]);
    let conversation = crate::clients::converse(&project, fake);
    let steps = conversation.main();
    let declared = steps[0].declarations();
    let declared = declared.iter().filter_map(|tool| tool["name"].as_str());
    let mut ours: Vec<&str> = declared
        .filter_map(|name| name.strip_prefix(prefix))
        .collect();
    ours.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ours, expected);
    assert!(ours.len() < 40 && !ours.contains(&"tool_150"), "{ours:?}");
    // The next session has what this one has called.
    assert!(names(&project, &[]).contains(&"tool_150".to_owned()));
    let found = call(&project, "find_tool", &query).text();
    assert!(found.contains("\"name\":\"tool_150\""), "{found}");
    let mut read = String::new();
    for request in steps.iter().skip(1) {
        let response = request.responses()[0]["response"]["output"]
            .as_str()
            .unwrap_or_default();
        let _ = writeln!(read, "{response}");
    }
    let expected = format!("{}\n{}\n", wrap(&found), wrap("Fact 150, warm."));
    if let Some(difference) = difference(expected, read) {
        panic!("{difference}");
    }
}
