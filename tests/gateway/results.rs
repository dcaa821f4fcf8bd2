//! Every kind of result and of resource of a server reaches the model of each host as it does
//! without us.

use cogtools_test_support::{FakeGemini, Project, Request, Turn};
use serde_json::json;

use super::model::{LAST, Model};
use super::{host, outputs};
use crate::clients;

/// The tools of the server, each for one kind of result.
const KINDS: [&str; 28] = [
    "plain",
    "empty_text",
    "nothing",
    "number",
    "null",
    "list",
    "object",
    "quoted",
    "lines",
    "signs",
    "two",
    "annotated",
    "picture",
    "sound",
    "file",
    "blob",
    "link",
    "all",
    "structured",
    "only_structured",
    "structured_beside",
    "with_meta",
    "failed",
    "failed_list",
    "failed_structured",
    "failed_picture",
    "failed_empty",
    "long",
];
/// The resources of the server, and after them two of its templates, two that it does not list, one
/// that fails and one that does not exist.
const RESOURCES: [&str; 31] = [
    "test://plain",
    "test://json",
    "test://list",
    "test://without-type",
    "test://empty",
    "test://nothing",
    "test://picture",
    "test://bytes",
    "test://bytes-without-type",
    "test://page",
    "test://two",
    "test://other",
    "test://same",
    "test://meta",
    "test://signs",
    "test://long",
    "test://a%20b?c=1&d=%2F#e",
    "test://a b",
    "test://é",
    "TEST://Upper/../b",
    "urn:test:1",
    "file:///nowhere/a.txt",
    "https://127.0.0.1:1/a",
    "ui://app",
    "words",
    "test://item/7",
    "test://all/a/b?c=d",
    "test://unlisted",
    "other:unlisted",
    "test://broken",
    "test://none",
];
/// The response of Gemini CLI for a text without words.
const NO_TEXT: &str = r#"{"output":"<untrusted_context>\n\n</untrusted_context>"}"#;
/// The tools of Codex that list resources and templates.
const CODEX_LISTS: [&str; 2] = ["list_mcp_resources", "list_mcp_resource_templates"];
/// The name of the server for hosts, whichever it is.
const SERVER: &str = "s";

/// A project with the server as a source, and the command line that starts it alone, or behind us.
fn scene() -> (Project, [Vec<String>; 2]) {
    let project = Project::new();
    let script = crate::repository().join("tests/gateway/peers/results.py");
    let alone = ["python3".to_owned(), script.display().to_string()];
    let source = json!({"mcp": {"command": alone, "name": "s", "wait": 30}});
    let sources = json!({"tool_sources": [source]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let discover = host(&project, crate::programs().join("cogtools-discover"));
    discover.run().status(0);
    let ours = ["cogtools", "mcp"].map(str::to_owned);
    (project, [alone.to_vec(), ours.to_vec()])
}

/// Returns the names of lists of resources, and the resources.
fn with_lists<'n>(lists: &[&'n str]) -> Vec<&'n str> {
    [lists, &RESOURCES].concat()
}

/// Fails unless both ways gave the same for [`KINDS`] and `others`, except for the `mended` ones,
/// each with a text that the model gets through us alone.
#[track_caller]
fn assert_same(found: &[Vec<String>; 2], others: &[&str], mended: &[(&str, &str)]) {
    let [alone, ours] = found;
    let kinds = [&KINDS, others].concat();
    assert_eq!([alone.len(), ours.len()], [kinds.len(); 2]);
    for ((kind, alone), ours) in kinds.iter().zip(alone).zip(ours) {
        match mended.iter().find(|(name, _)| name == kind) {
            Some((_, text)) => {
                assert!(!alone.contains(text), "{kind}: {alone}");
                assert!(ours.contains(text), "{kind}: {ours}");
            }
            None => assert_eq!(plain(ours), plain(alone), "{kind}"),
        }
    }
}

/// `text` without the times and the names of files, which differ from run to run.
fn plain(text: &str) -> String {
    let is_varied = |word: &str| word.contains("/tool-results/") || word.parse::<f64>().is_ok();
    let words = text.split(' ').filter(|word| !is_varied(word));
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn claude_code() {
    let (project, lines) = scene();
    let found = lines.map(|line| {
        let calls = KINDS.map(|kind| json!([format!("mcp__{SERVER}__{kind}"), {}]));
        let list = json!(["ListMcpResourcesTool", {"server": SERVER}]);
        let read = |uri| json!(["ReadMcpResourceTool", {"server": SERVER, "uri": uri}]);
        let calls = [&calls[..], &[list], &RESOURCES.map(read)].concat();
        let model = Model::start("anthropic", &json!(calls));
        let server = json!({"command": line[0], "args": line[1..]});
        let servers = json!({"mcpServers": {SERVER: server}});
        project.file("claude.json", servers.to_string());
        let run = model.in_claude_code(host(&project, clients::claude_code()));
        run.args(["--mcp-config", "claude.json", "--strict-mcp-config"])
            .args(["--allowedTools", "mcp__s"])
            .run()
            .outputs(format!("{LAST}\n"));
        outputs(&model.asked(), "messages", "content")
    });
    assert_same(&found, &with_lists(&["ListMcpResourcesTool"]), &[]);
}

#[test]
fn codex() {
    let (project, lines) = scene();
    let found = lines.map(|line| {
        let calls = KINDS.map(|kind| json!([format!("mcp__{SERVER} {kind}"), {}]));
        let lists = CODEX_LISTS.map(|list| json!([list, {"server": SERVER}]));
        let read = |uri| json!(["read_mcp_resource", {"server": SERVER, "uri": uri}]);
        let calls = [&calls[..], &lists, &RESOURCES.map(read)].concat();
        let model = Model::start("openai", &json!(calls));
        let config = model.in_codex();
        let (program, args) = (&line[0], &line[1..]);
        let config = format!(
            "{config}\n[mcp_servers.{SERVER}]\ncommand = {program:?}\nargs = {args:?}\nrequired = true\nstartup_timeout_sec = 60\n"
        );
        project.file("../home/.codex/config.toml", config);
        let run = host(&project, clients::codex());
        run.args(["exec", "--skip-git-repo-check"])
            .args(["--dangerously-bypass-approvals-and-sandbox", "Go on."])
            .run()
            .status(0);
        outputs(&model.asked(), "input", "output")
    });
    assert_same(&found, &with_lists(&CODEX_LISTS), &[]);
}

#[test]
fn opencode() {
    let (project, lines) = scene();
    let found = lines.map(|line| {
        let calls = KINDS.map(|kind| json!([format!("{SERVER}_{kind}"), {}]));
        let model = Model::start("anthropic", &json!(calls));
        let server = json!({"type": "local", "command": line, "enabled": true});
        let config = json!({"mcp": {SERVER: server}});
        let run = model.in_opencode(host(&project, clients::opencode()), config);
        run.run().status(0).stdout_contains(LAST);
        outputs(&model.asked(), "messages", "content")
    });
    assert_same(&found, &[], &[]);
}

#[test]
fn gemini_cli() {
    let (project, lines) = scene();
    let found: [Vec<String>; 2] = lines.map(|line| {
        let server = json!({"command": line[0], "args": line[1..]});
        let settings = json!({"mcpServers": {SERVER: server}});
        project.file(".gemini/settings.json", settings.to_string());
        let calls = KINDS.map(|kind| Turn::call(format!("mcp_{SERVER}_{kind}"), json!({})));
        let list = Turn::call("list_mcp_resources", json!({}));
        let read = RESOURCES.map(|uri| Turn::call("read_mcp_resource", json!({"uri": uri})));
        let turns = calls.into_iter().chain([list]).chain(read);
        let turns = turns.chain([Turn::text(LAST)]);
        let conversation = clients::converse(&project, FakeGemini::for_host(turns));
        let steps = conversation.main();
        let output = |request: &&Request| request.responses()[0]["response"].to_string();
        // It gives nothing for a result without content, which we give as a text without words.
        let outputs = steps.iter().skip(1).map(output);
        outputs.map(|it| it.replace(NO_TEXT, "{}")).collect()
    });
    let mended = [
        ("number", "42"),
        ("null", "\\nnull\\n"),
        ("list", "[1, 2]"),
        ("quoted", r#"\"a\""#),
        ("only_structured", "count"),
        ("failed_list", "it failed"),
    ];
    assert_same(&found, &with_lists(&["list_mcp_resources"]), &mended);
}
