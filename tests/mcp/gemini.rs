//! The real Gemini CLI, over `mcpServers` instead of its own protocol.

use cogtools_test_support::{FakeGemini, Turn, assert_text, str};
use serde_json::json;

use super::project;

const SETTINGS: &str = r#"{"mcpServers": {"cogtools": {"command": "cogtools", "args": ["mcp"]}}}"#;

#[test]
fn gemini_cli_calls_tools_and_reads_what_was_wrong() {
    let project = project();
    project.file(".gemini/settings.json", SETTINGS);
    let fake = FakeGemini::for_host([
        Turn::call("mcp_cogtools_greet", json!({"person": "Ada"})),
        Turn::call(
            "mcp_cogtools_greet",
            json!({"person": "Ada", "mood": "good", "wait_for_previous": true}),
        ),
        Turn::text("All done."),
    ]);
    let conversation = crate::clients::converse(&project, fake);
    let steps = conversation.main();
    let responses: Vec<String> = steps
        .iter()
        .skip(1)
        .map(|request| request.responses()[0]["response"].to_string())
        .collect();
    assert_eq!(responses.len(), 2, "{responses:?}");
    // The CLI's own text around the server's output.
    let text = "<untrusted_context>\nGood day, Ada!\n</untrusted_context>";
    assert_eq!(responses[0], json!({"output": text}).to_string());
    assert_text(
        &responses[1],
        str![[
            r#"{"error":"MCP tool 'greet' reported tool error for function call: {\"name\":\"greet\",\"args\":{\"person\":\"Ada\",\"mood\":\"good\",\"wait_for_previous\":true}} with response: [{\"functionResponse\":{\"name\":\"greet\",\"response\":{\"content\":[{\"type\":\"text\",\"text\":\"cogtools-mcp: error[SCHEMA_VIOLATION]: greet: /mood: not a parameter of this tool\\nhint: the parameters are `person`\\n\"}],\"isError\":true}}}]"}"#
        ]],
    );
}
