//! The official conformance suite: its scenarios for clients, in both protocols. Each is a server
//! that checks what our client sends, and most are with an authorization server.

use std::time::Duration;

use cogtools_test_support::{Project, Run, install};

use super::cache;
use super::peer::peer;

const OLDER: &str = "2025-11-25";
const NEWER: &str = "2026-07-28";
const BOTH: &[&str] = &[OLDER, NEWER];

/// The scenarios, and the revisions that they are for.
const SCENARIOS: [(&str, &[&str]); 37] = [
    ("initialize", &[OLDER]),
    ("tools_call", BOTH),
    ("sse-retry", &[OLDER]),
    ("request-metadata", &[NEWER]),
    ("http-standard-headers", &[NEWER]),
    ("http-custom-headers", &[NEWER]),
    ("http-invalid-tool-headers", &[NEWER]),
    ("json-schema-ref-no-deref", &[NEWER]),
    ("json-schema-2020-12-preservation", BOTH),
    ("auth/metadata-default", BOTH),
    ("auth/metadata-var1", BOTH),
    ("auth/metadata-var2", BOTH),
    ("auth/metadata-var3", BOTH),
    ("auth/basic-cimd", BOTH),
    ("auth/scope-from-www-authenticate", BOTH),
    ("auth/scope-from-scopes-supported", BOTH),
    ("auth/scope-omitted-when-undefined", BOTH),
    ("auth/scope-step-up", BOTH),
    ("auth/scope-retry-limit", BOTH),
    ("auth/token-endpoint-auth-basic", BOTH),
    ("auth/token-endpoint-auth-post", BOTH),
    ("auth/token-endpoint-auth-none", BOTH),
    ("auth/pre-registration", BOTH),
    ("auth/resource-mismatch", &[NEWER]),
    ("auth/offline-access-scope", &[NEWER]),
    ("auth/offline-access-not-supported", &[NEWER]),
    ("auth/authorization-server-migration", &[NEWER]),
    ("auth/iss-supported", &[NEWER]),
    ("auth/iss-not-advertised", &[NEWER]),
    ("auth/iss-supported-missing", &[NEWER]),
    ("auth/iss-wrong-issuer", &[NEWER]),
    ("auth/iss-unexpected", &[NEWER]),
    ("auth/iss-normalized", &[NEWER]),
    ("auth/metadata-issuer-mismatch", &[NEWER]),
    ("sep-2322-client-request-state", &[NEWER]),
    ("elicitation-sep1034-client-defaults", &[OLDER]),
    ("auth/2025-03-26-oauth-metadata-backcompat", &["2025-03-26"]),
];

#[test]
fn every_scenario_for_clients_passes() {
    let package = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
    let place = install::npm(&cache(), "mcp-conformance-0.2.0-alpha.12", &[package]);
    let suite = place.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let node = install::node(&cache()).join("node");
    let program = crate::programs().join("cogtools-mcp-client");
    let client = format!(
        "python3 {} {}",
        peer("suite.py").display(),
        program.display()
    );
    let project = Project::new();
    let path = std::env::var("PATH").expect("there is a PATH");
    let check = |(scenario, revision): (&str, &str)| {
        let outcome = Run::new(&node)
            .arg(&suite)
            .args(["client", "--command", &client, "--scenario", scenario])
            .args(["--spec-version", revision])
            .arg("-o")
            .arg(project.root())
            .env("PATH", &path)
            .limit(Duration::from_mins(1))
            .run();
        // It reports on standard error.
        let text = String::from_utf8_lossy(&outcome.stderr);
        let passed = text.contains(", 0 failed, 0 warnings") && text.contains("OVERALL: PASSED");
        assert!(passed, "{scenario} of {revision}:\n{text}");
    };
    let runs: Vec<(&str, &str)> = SCENARIOS
        .iter()
        .flat_map(|(name, revisions)| revisions.iter().map(move |revision| (*name, *revision)))
        .collect();
    std::thread::scope(|scope| {
        for half in runs.chunks(runs.len().div_ceil(2)) {
            scope.spawn(|| half.iter().copied().for_each(check));
        }
    });
}
