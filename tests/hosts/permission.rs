//! Headless use of the newest version, as `cogtools init` explains it.
//!
//! The CLI's own rules name `discovered_tool_*`, which matches nothing, nor would
//! it in a user's rule: every tool has to be named.

use cogtools_test_support::Version;

use super::facepalm;
use super::host::{Host, assert_responses, output};

const RULE: &str = r#"[[rule]]
toolName = ["discovered_tool_hello", "discovered_tool_facepalm"]
decision = "allow"
priority = 100
"#;

#[test]
fn policy_allows_tools_by_name() {
    let host = Host::new(Version::NEWEST);
    let policy = "../home/.gemini/policies/cogtools.toml";
    host.project.file(policy, RULE);
    let call = host.call("facepalm", facepalm::arguments());
    let conversation = host.play_with(&[], [call]);
    assert_responses(&conversation, &[&[output(facepalm::RENDERED)]]);
}
