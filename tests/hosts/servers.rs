//! A tool of an MCP server, called by a host that does not know about MCP.

use cogtools_test_support::Version;
use serde_json::json;

use super::host::{Host, assert_responses, output};

#[test]
fn tool_of_a_server() {
    let host = Host::new(Version::NEWEST);
    let script = crate::repository().join("tests/mcp/peers/server.py");
    let server =
        json!({"mcp": {"command": "python3", "args": [script, "older"], "name": "s", "wait": 30}});
    let sources = json!({"tool_sources": [{"local": "./tools"}, server]});
    let file = "../home/.gemini/cogtoolrc.yaml";
    host.project.file(
        file,
        sources
            .to_string()
            .replace("./tools", &host.project.path("tools").display().to_string()),
    );
    let printed = host.directly("t", &json!({}));
    let printed = printed.text();
    let conversation = host.play([host.call("t", json!({"wait_for_previous": true}))]);
    assert_responses(&conversation, &[&[output(&printed)]]);
}
