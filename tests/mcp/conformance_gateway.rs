//! The official conformance suite: a server with all its fixtures passes every scenario of the
//! revision 2025-11-25, directly and behind ours, whichever transport leads to it.

use std::path::Path;
use std::time::Duration;

use cogtools_test_support::{Project, Run, install};
use serde_json::json;

use super::cache;
use super::http::Service;
use super::peer::{Site, peer};

const REVISION: &str = "2025-11-25";
/// The end of the report when every check has passed.
const ALL: &str = "Total: 73 passed, 0 failed";

/// Runs all scenarios against the server at `url`.
#[track_caller]
fn check(node: &Path, project: &Project, url: &str) {
    let package = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
    let place = install::npm(&cache(), "mcp-conformance-0.2.0-alpha.12", &[package]);
    let outcome = Run::new(node)
        .arg(place.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--url", url, "--spec-version", REVISION, "-o"])
        .arg(project.path("results"))
        .limit(Duration::from_mins(2))
        .run();
    let text = outcome.text();
    assert!(text.contains(ALL), "{url}:\n{text}");
}

#[test]
fn a_server_passes_through_the_gateway_as_it_passes_directly() {
    let sdk = install::npm(
        &cache(),
        "mcp-sdk-1.32.2",
        &["@modelcontextprotocol/sdk@1.32.2"],
    );
    let node = install::node(&cache()).join("node");
    let project = Project::new();
    let script = peer("fixtures.mjs");
    let fixtures = Site::start(
        &project,
        &node,
        [script.as_os_str(), sdk.as_os_str(), "http".as_ref()],
    );
    check(&node, &project, &fixtures.url);
    for server in [
        json!({"command": [node, script, sdk], "name": "fixtures", "wait": 30}),
        json!({"url": fixtures.url, "name": "fixtures", "wait": 30}),
    ] {
        let sources = json!([{"mcp": server}]).to_string();
        let service = Service::start(&project, &[("COGTOOLS_TOOL_SOURCES", &sources)]);
        check(&node, &project, &service.url);
    }
}
