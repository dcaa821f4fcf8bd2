//! What headless use of the newest version needs, as `cogtools init` tells it.
//!
//! Its own rules name `discovered_tool_*`, which nothing matches: a user's rule
//! has to name each tool.

use cogtools_testing::Version;
use serde_json::json;

use super::facepalm;
use super::host::{Host, responses};

const POLICY: &str = "../home/.gemini/policies/cogtools.toml";

fn rule(tools: &str) -> String {
    format!("[[rule]]\ntoolName = {tools}\ndecision = \"allow\"\npriority = 100\n")
}

#[test]
fn policy_allows_tools_by_name() {
    let host = Host::new(Version::NEWEST);
    let tools = r#"["discovered_tool_hello", "discovered_tool_facepalm"]"#;
    host.project.file(POLICY, rule(tools));
    let call = host.call("facepalm", facepalm::arguments());
    let conversation = host.play_with(&[], [call]);
    assert_eq!(
        responses(&conversation),
        [[json!({ "output": facepalm::RENDERED })]]
    );
}

#[test]
fn policy_with_a_wildcard_hides_tools() {
    let host = Host::new(Version::NEWEST);
    host.project.file(POLICY, rule(r#""discovered_tool_*""#));
    let conversation = host.play_with(&[], []);
    let names: Vec<_> = conversation.main()[0]
        .declarations()
        .iter()
        .filter_map(|entry| entry["name"].as_str())
        .filter(|name| name.starts_with("discovered_tool_"))
        .map(str::to_owned)
        .collect();
    assert!(names.is_empty(), "{names:?}");
}
