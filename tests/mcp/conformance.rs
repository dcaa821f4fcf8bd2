//! The official conformance suite: its scenarios for servers with tools, in both
//! protocols. The tools have the names that it requires, and those that no file can
//! implement come from a server behind ours.

use std::time::Duration;

use cogtools_test_support::{Project, Run, install};
use serde_json::json;

use super::cache;
use super::http::Service;

const OLDER: &str = "2025-11-25";
const NEWER: &str = "2026-07-28";

/// The scenarios, and the revisions that they are for. The newer revision requires an
/// `allOf` at the root of a schema, which the API behind some clients rejects.
const SCENARIOS: [(&str, &[&str]); 16] = [
    ("server-initialize", &[OLDER]),
    ("ping", &[OLDER]),
    ("tools-list", &[OLDER, NEWER]),
    ("tools-call-simple-text", &[OLDER, NEWER]),
    ("tools-call-error", &[OLDER, NEWER]),
    ("tools-call-image", &[OLDER, NEWER]),
    ("tools-call-audio", &[OLDER, NEWER]),
    ("tools-call-embedded-resource", &[OLDER, NEWER]),
    ("tools-call-mixed-content", &[OLDER, NEWER]),
    ("json-schema-2020-12", &[OLDER]),
    ("prompts-list", &[OLDER, NEWER]),
    ("prompts-get-simple", &[OLDER, NEWER]),
    ("prompts-get-with-args", &[OLDER, NEWER]),
    ("dns-rebinding-protection", &[OLDER, NEWER]),
    ("caching", &[NEWER]),
    ("http-header-validation", &[NEWER]),
];

/// The tools of the scenarios that are files; the others come from a
/// server behind ours.
const TOOLS: [(&str, &str); 4] = [
    (
        "test_simple_text",
        "implementation: This is a simple text response for testing.\n",
    ),
    (
        "test_error_handling",
        "implementation: '{{ nothing.there.at.all() }}'\n",
    ),
    (
        "test_simple_prompt",
        "examples: [{}]\nimplementation: This is a simple prompt for testing.\n",
    ),
    (
        "test_prompt_with_arguments",
        "parameters: {arg1: {type: string}, arg2: {type: string}}\n\
         examples: [{arg1: a, arg2: b}]\n\
         implementation: \"Prompt with arguments: arg1='{{ arg1 }}', arg2='{{ arg2 }}'\"\n",
    ),
];

#[test]
fn every_scenario_passes() {
    let package = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
    let place = install::npm(&cache(), "mcp-conformance-0.2.0-alpha.12", &[package]);
    let node = install::node(&cache());
    let project = Project::new();
    let config = "hosts: {mcp: {menus: [prompts, resources]}}\n";
    project.file(".cogtoolrc.yaml", config);
    for (name, rest) in TOOLS {
        let tool = format!("name: {name}\ndescription: What the suite asks for\n{rest}");
        project.file(format!("tools/{name}.yaml"), tool);
    }
    let script = crate::repository().join("tests/mcp/peers/kinds.py");
    let sources = json!([{"local": "./tools"}, {"mcp": {"command": ["python3", script]}}]);
    let path = std::env::var("PATH").expect("there is a PATH");
    let vars = [
        ("COGTOOLS_TOOL_SOURCES", &*sources.to_string()),
        ("PATH", &path),
    ];
    let service = Service::start(&project, &vars);
    let runs = SCENARIOS
        .iter()
        .flat_map(|(name, revisions)| revisions.iter().map(move |revision| (*name, *revision)));
    let runs: Vec<(&str, &str)> = runs.collect();
    let check = |(scenario, revision): (&str, &str)| {
        let outcome = Run::new(node.join("node"))
            .arg(place.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
            .args(["server", "--url", &service.url, "--scenario", scenario])
            .args(["--spec-version", revision])
            .limit(Duration::from_mins(1))
            .run();
        let text = outcome.text();
        let passed = text.contains(", 0 failed, 0 warnings") && !text.contains("Passed: 0/0");
        assert!(passed, "{scenario} of {revision}:\n{text}");
    };
    std::thread::scope(|scope| {
        for half in runs.chunks(runs.len().div_ceil(2)) {
            scope.spawn(|| half.iter().copied().for_each(check));
        }
    });
}
