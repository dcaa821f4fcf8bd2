//! Three hosts at once on one daemon, with a browser, a memory and a database: nothing crosses.

use std::thread;

use cogtools_test_support::{FakeGemini, Project, Turn};
use serde_json::{Value, json};

use super::model::{LAST, Model};
use super::servers::{SERVERS, install};
use super::{host, outputs};
use crate::clients;

/// The hosts, each with a prefix of its own for the names of tools.
const HOSTS: [&str; 3] = ["claude", "codex", "gemini"];

/// A project with the three servers; all hosts share the memory.
fn scene() -> Project {
    let project = Project::new();
    let modules = install();
    let source = |name: &str| {
        let server = SERVERS.iter().find(|server| server.name == name);
        server.expect("a server").source(&modules)
    };
    let mut memory = source("memory");
    memory["mcp"]["shared"] = true.into();
    let script = crate::repository().join("tests/gateway/peers/database.py");
    let database = json!({"mcp": {
        "command": ["python3", script, "data/app.db"],
        "name": "database", "prefix": "database_", "sandbox": {"write": ["data"]},
    }});
    let sources = json!({"tool_sources": [source("playwright"), memory, database]});
    project
        .file(".cogtoolrc.yaml", sources.to_string())
        .file("data/app.db", "")
        .dir("../home/.cache/ms-playwright")
        .dir("../home/run");
    for name in ["playwright", "memory", "database"] {
        let trust = host(&project, crate::programs().join("cogtools-trust"));
        trust.args(["--yes", name]).run().succeeds();
    }
    project
}

/// Returns the calls of the host `name`. It changes a page, a table and the memory, waits for the
/// other hosts, and reads all three again.
fn calls(name: &str, page: &str) -> [(&'static str, Value); 8] {
    let entity = json!({"name": name, "entityType": "host", "observations": []});
    let insert = format!("insert into mine values ('{name}')");
    [
        (
            "playwright_browser_navigate",
            json!({"url": format!("{page}?{name}")}),
        ),
        (
            "database_execute",
            json!({"sql": "create temp table mine (name)"}),
        ),
        ("database_execute", json!({"sql": insert})),
        ("memory_create_entities", json!({"entities": [entity]})),
        ("database_meet", json!({"name": name})),
        ("playwright_browser_snapshot", json!({})),
        ("database_execute", json!({"sql": "select name from mine"})),
        ("memory_read_graph", json!({})),
    ]
}

/// Fails unless the texts of the last calls show the host `name` alone.
#[track_caller]
fn assert_alone(name: &str, texts: &[String]) {
    let [met, page, rows, graph] = &texts[texts.len() - 4..] else {
        panic!("{name}: {texts:?}");
    };
    for (text, shows_all) in [(met, true), (page, false), (rows, false), (graph, true)] {
        let shown = HOSTS.map(|host| text.contains(host));
        let expected = HOSTS.map(|host| shows_all || host == name);
        assert_eq!(shown, expected, "{name}: {text}");
    }
}

/// The command of the server, the same for all hosts.
fn command(project: &Project) -> (&'static str, Vec<String>) {
    let runtime = format!("XDG_RUNTIME_DIR={}", project.home().join("run").display());
    let args = [runtime.as_str(), "cogtools", "mcp", "--daemon=5"];
    ("/usr/bin/env", args.map(str::to_owned).to_vec())
}

#[test]
fn three_hosts_on_a_daemon_mix_nothing() {
    let project = scene();
    let (program, args) = command(&project);
    let prefixed = |name: &str, prefix: &str, page: &str| {
        let calls =
            calls(name, page).map(|(tool, value)| json!([format!("{prefix}{tool}"), value]));
        json!(calls)
    };
    let claude = Model::start(
        "anthropic",
        &prefixed("claude", "mcp__cogtools__", "{here}/page"),
    );
    let codex = Model::start(
        "openai",
        &prefixed("codex", "mcp__cogtools ", "{here}/page"),
    );
    let server = json!({"mcpServers": {"cogtools": {"command": program, "args": args}}});
    project
        .file("claude.json", server.to_string())
        .file(".gemini/settings.json", server.to_string());
    let config = codex.in_codex();
    let config = format!(
        "{config}\n[mcp_servers.cogtools]\ncommand = \"{program}\"\nargs = {args:?}\nrequired = true\n\
         startup_timeout_sec = 60\ntool_timeout_sec = 120\n"
    );
    project.file("../home/.codex/config.toml", config);
    let page = format!("{}/page", claude.url());
    let turns = calls("gemini", &page)
        .map(|(name, value)| Turn::call(format!("mcp_cogtools_{name}"), value));
    let fake = FakeGemini::for_host(turns.into_iter().chain([Turn::text(LAST)]));
    let (in_claude, in_codex, in_gemini) = thread::scope(|scope| {
        let in_claude = scope.spawn(|| {
            let run = claude.in_claude_code(host(&project, clients::claude_code()));
            run.args(["--mcp-config", "claude.json", "--strict-mcp-config"])
                .args(["--allowedTools", "mcp__cogtools"])
                .run()
                .outputs(format!("{LAST}\n"));
            outputs(&claude.asked(), "messages", "content")
        });
        let in_codex = scope.spawn(|| {
            let run = host(&project, clients::codex());
            run.args(["exec", "--skip-git-repo-check"])
                .args(["--dangerously-bypass-approvals-and-sandbox", "Go on."])
                .run()
                .status(0);
            outputs(&codex.asked(), "input", "output")
        });
        let in_gemini = scope.spawn(|| {
            let conversation = clients::converse(&project, fake);
            let steps = conversation.main();
            let output = |request: &cogtools_test_support::Request| {
                request.responses()[0]["response"].to_string()
            };
            steps
                .into_iter()
                .skip(1)
                .map(output)
                .collect::<Vec<String>>()
        });
        let joined = [in_claude, in_codex, in_gemini].map(|it| it.join().expect("it passes"));
        joined.into()
    });
    for (name, texts) in HOSTS.into_iter().zip([in_claude, in_codex, in_gemini]) {
        assert_alone(name, &texts);
    }
}
