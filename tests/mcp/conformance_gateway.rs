//! The official conformance suite: a server with all its fixtures passes every scenario of the
//! revision 2025-11-25, directly and behind ours, whichever transport leads to it. Behind ours it also
//! passes the scenarios of 2026-07-28 that concern no extension.

use std::path::Path;
use std::time::Duration;

use cogtools_test_support::{Project, Run, install};
use serde_json::json;

use super::cache;
use super::http::Service;
use super::peer::{Site, peer};

const OLDER: (&str, &str) = ("2025-11-25", "Total: 73 passed, 0 failed");
/// The server itself does not speak it.
const NEWER: (&str, &str) = ("2026-07-28", "Total: 41 passed, 0 failed");

/// Runs all scenarios of a revision against the server at `url`; the report ends as expected when
/// every check has passed.
#[track_caller]
fn check(node: &Path, project: &Project, url: &str, (revision, report): (&str, &str)) {
    let package = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
    let place = install::npm(&cache(), "mcp-conformance-0.2.0-alpha.12", &[package]);
    let outcome = Run::new(node)
        .arg(place.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--url", url, "--spec-version", revision, "-o"])
        .arg(project.path("results"))
        .limit(Duration::from_mins(2))
        .run();
    let text = outcome.text();
    assert!(text.contains(report), "{url}:\n{text}");
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
    check(&node, &project, &fixtures.url, OLDER);
    for server in [
        json!({"command": [node, script, sdk], "name": "fixtures", "wait": 30}),
        json!({"url": fixtures.url, "name": "fixtures", "wait": 30}),
    ] {
        let sources = json!([{"mcp": server}]).to_string();
        let service = Service::start(&project, &[("COGTOOLS_TOOL_SOURCES", &sources)]);
        for revision in [OLDER, NEWER] {
            check(&node, &project, &service.url, revision);
        }
    }
}
