//! The real Gemini CLI, over `mcpServers` instead of its own protocol.

use cogtools_test_support::{FakeGemini, Turn, assert_text, str};
use serde_json::json;

use super::project;

const SETTINGS: &str = r#"{"mcpServers": {"cogtools": {"command": "cogtools", "args": ["mcp"]}}}"#;

#[test]
fn gemini_cli_calls_tools_and_reads_what_was_wrong() {
    let project = project();
    let fails = "name: fails\ndescription: d\nimplementation: \"{{ nothing() }}\"\n";
    project
        .file(".gemini/settings.json", SETTINGS)
        .file("tools/fails.yaml", fails);
    let fake = FakeGemini::for_host([
        Turn::call("mcp_cogtools_greet", json!({"person": "Ada"})),
        Turn::call(
            "mcp_cogtools_greet",
            json!({"person": "Ada", "mood": "good", "wait_for_previous": true}),
        ),
        Turn::call("mcp_cogtools_fails", json!({})),
        Turn::text("All done."),
    ]);
    let conversation = crate::clients::converse(&project, fake);
    let steps = conversation.main();
    let responses: Vec<String> = steps
        .iter()
        .skip(1)
        .map(|request| request.responses()[0]["response"].to_string())
        .collect();
    assert_eq!(responses.len(), 3, "{responses:?}");
    // The CLI's own text around the server's output.
    let text = "<untrusted_context>\nGood day, Ada!\n</untrusted_context>";
    assert_eq!(responses[0], json!({"output": text}).to_string());
    // The CLI checks what the declaration says.
    let unknown = json!({"error": "params must NOT have additional properties"});
    assert_eq!(responses[1], unknown.to_string());
    assert_text(
        &responses[2],
        str![[
            r#"{"error":"MCP tool 'fails' reported tool error for function call: {\"name\":\"fails\",\"args\":{}} with response: [{\"functionResponse\":{\"name\":\"fails\",\"response\":{\"content\":[{\"type\":\"text\",\"text\":\"cogtools-mcp: error[TEMPLATE_FAILED]: tools/fails.yaml:3:21: `nothing` is undefined and cannot be called\\n   |\\n 3 | implementation: \\\"{{ nothing() }}\\\"\\n   |                     ^^^^^^^\\n\"}],\"isError\":true}}}]"}"#
        ]],
    );
}
