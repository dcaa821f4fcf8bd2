//! Every kind of result of a server reaches the model of each host as it does without us.

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
/// The response of Gemini CLI for a text without words.
const NO_TEXT: &str = r#"{"output":"<untrusted_context>\n\n</untrusted_context>"}"#;
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

/// Fails unless both ways gave the same, except for the `mended` kinds, each with a text that the
/// model gets through us alone.
#[track_caller]
fn assert_same(found: &[Vec<String>; 2], mended: &[(&str, &str)]) {
    let [alone, ours] = found;
    assert_eq!([alone.len(), ours.len()], [KINDS.len(); 2]);
    for ((kind, alone), ours) in KINDS.iter().zip(alone).zip(ours) {
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
    assert_same(&found, &[]);
}

#[test]
fn codex() {
    let (project, lines) = scene();
    let found = lines.map(|line| {
        let calls = KINDS.map(|kind| json!([format!("mcp__{SERVER} {kind}"), {}]));
        let model = Model::start("openai", &json!(calls));
        let config = model.in_codex();
        let (program, args) = (&line[0], &line[1..]);
        let config = format!(
            "{config}\n[mcp_servers.{SERVER}]\ncommand = {program:?}\nargs = {args:?}\nrequired = true\n"
        );
        project.file("../home/.codex/config.toml", config);
        let run = host(&project, clients::codex());
        run.args(["exec", "--skip-git-repo-check"])
            .args(["--dangerously-bypass-approvals-and-sandbox", "Go on."])
            .run()
            .status(0);
        outputs(&model.asked(), "input", "output")
    });
    assert_same(&found, &[]);
}

#[test]
fn gemini_cli() {
    let (project, lines) = scene();
    let found: [Vec<String>; 2] = lines.map(|line| {
        let server = json!({"command": line[0], "args": line[1..]});
        let settings = json!({"mcpServers": {SERVER: server}});
        project.file(".gemini/settings.json", settings.to_string());
        let calls = KINDS.map(|kind| Turn::call(format!("mcp_{SERVER}_{kind}"), json!({})));
        let turns = calls.into_iter().chain([Turn::text(LAST)]);
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
    assert_same(&found, &mended);
}
