//! Configurations that `cogtools init` writes, read by the hosts themselves.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_test_support::{
    Conversation, FakeGemini, Gemini, Outcome, Project, Run, Turn, Version, assert_text, install,
    str,
};
use serde_json::{Value, json};

use crate::gateway::model::{LAST, Model};
use crate::run;

/// Where hosts are installed.
pub(crate) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts")
}

/// The conversation of the newest Gemini CLI and a model in `project`, until
/// the model is done.
#[track_caller]
pub(crate) fn converse(project: &Project, fake: FakeGemini) -> Conversation {
    let gemini = Gemini::install(Version::NEWEST, &cache());
    let outcome = gemini.ask(project, crate::programs(), &fake, &["--yolo"]);
    let conversation = fake
        .try_finish()
        .unwrap_or_else(|wrong| panic!("{wrong}\n{outcome}"));
    outcome.status(0).stdout_is("All done.\n");
    conversation
}

fn init(project: &Project, args: &[&str]) {
    let outcome = run("cogtools-init", project).args(args).run();
    outcome.succeeds();
}

/// The versions of hosts other than Gemini CLI.
pub(crate) const CLAUDE_CODE: &str = "2.1.197";
pub(crate) const CODEX: &str = "0.169.0";
const OPENCODE: &str = "1.18.33";

/// Claude Code: the program that the install script of its package would put in place.
pub(crate) fn claude_code() -> PathBuf {
    let package = "@anthropic-ai/claude-code";
    let program = format!("{package}-{}/claude", install::platform());
    host(package, CLAUDE_CODE, &program)
}

pub(crate) fn codex() -> PathBuf {
    host("@openai/codex", CODEX, ".bin/codex")
}

/// The folder of ripgrep in the package of Codex.
pub(crate) fn codex_programs() -> PathBuf {
    let package = format!("../@openai/codex-{}/vendor", install::platform());
    let vendor = codex().parent().expect("a folder").join(package);
    let mut targets = vendor.read_dir().expect("the programs of Codex");
    let target = targets.next().expect("a target").expect("a target");
    target.path().join("codex-path")
}

/// opencode, without the package that chooses this one.
pub(crate) fn opencode() -> PathBuf {
    let package = format!("opencode-{}", install::platform());
    host(&package, OPENCODE, &format!("{package}/bin/opencode"))
}

/// The program of a host in an npm package.
fn host(package: &str, version: &str, program: &str) -> PathBuf {
    let plain = package.trim_start_matches('@').replace('/', "-");
    let name = format!("host-{plain}-{version}");
    let place = install::npm(&cache(), &name, &[&format!("{package}@{version}")]);
    place.join("node_modules").join(program)
}

/// A run of a host without a model.
pub(crate) fn run_host(program: PathBuf, project: &Project, args: &[&str]) -> Outcome {
    Run::new(program)
        .project(project)
        .path(install::node(&cache()))
        .args(args)
        .limit(Duration::from_mins(1))
        .run()
}

#[test]
fn codex_reads_its_table() {
    let project = Project::new();
    project.file(
        "../home/.codex/config.toml",
        "model = \"m\" # mine\r\n[mcp_servers.other]\r\ncommand = 'x'",
    );
    init(&project, &["--host", "codex"]);
    let outcome = run_host(codex(), &project, &["mcp", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}\n{outcome}"));
    let ours = &listed[0];
    assert_eq!(ours["name"], "cogtools");
    assert_eq!(ours["enabled"], true);
    assert_eq!(ours["transport"]["command"], "cogtools");
    assert_eq!(ours["transport"]["args"], json!(["mcp"]));
    assert_eq!(listed[1]["name"], "other");
}

/// Codex starts the server in the directory of the session, so that one entry serves all projects;
/// elsewhere it has no tools, and starts nevertheless.
#[test]
fn codex_finds_each_project_by_one_entry() {
    const CONFIG: &str = "../home/.codex/config.toml";
    let project = Project::untrusted();
    let mut written = Vec::new();
    for name in ["north", "south"] {
        let tool = format!("name: {name}\ndescription: Says where\nimplementation: Go {name}.\n");
        project.file(format!("{name}/tools/{name}.yaml"), tool);
        let init = run("cogtools-init", &project).args(["--host", "codex"]);
        init.cwd(project.path(name)).run().succeeds();
        written.push(project.read(CONFIG));
    }
    assert_eq!(written[0], written[1]);
    project.dir("elsewhere");
    for (name, expected) in [("north", true), ("south", true), ("elsewhere", false)] {
        let calls = json!([[format!("mcp__cogtools {name}"), {}]]);
        let calls = if expected { calls } else { json!([]) };
        let model = Model::start("openai", &calls);
        let config = format!("{}\n{}", model.in_codex(), written[0]);
        project.file(CONFIG, config);
        let outcome = Run::new(codex())
            .project(&project)
            .path(install::node(&cache()))
            .path(crate::programs())
            .limit(Duration::from_mins(1))
            .cwd(project.path(name))
            .args(["exec", "--skip-git-repo-check"])
            .args(["--dangerously-bypass-approvals-and-sandbox", "Go on."])
            .run();
        outcome.status(0).stdout_is(format!("{LAST}\n"));
        let asked = model.asked();
        let tools = asked[0]["tools"].to_string();
        assert_eq!(tools.contains(&format!("\"{name}\"")), expected, "{tools}");
        let last = asked.last().expect("a request")["input"].to_string();
        assert_eq!(last.contains(&format!("Go {name}.")), expected, "{last}");
    }
}

#[test]
fn claude_code_reads_its_file() {
    let project = Project::new();
    project.file(
        ".mcp.json",
        "{\"mcpServers\":{\"other\":{\"command\":\"x\"}}}",
    );
    init(&project, &["--host", "claude-code"]);
    let outcome = run_host(claude_code(), &project, &["mcp", "get", "cogtools"]);
    // Its other lines are about its own state.
    let text = String::from_utf8_lossy(&outcome.stdout);
    let server: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| {
            ["Type:", "Command:", "Args:"]
                .iter()
                .any(|key| line.starts_with(key))
        })
        .collect();
    let expected = ["Type: stdio", "Command: cogtools", "Args: mcp"];
    assert_eq!(server, expected, "{outcome}");
}

/// The newest Gemini CLI without a model.
pub(crate) fn gemini(project: &Project, args: &[&str]) -> Outcome {
    let gemini = Gemini::install(Version::NEWEST, &cache());
    Run::new(gemini.bin().join("gemini"))
        .project(project)
        .path(install::node(&cache()))
        .path(crate::programs())
        .env("GEMINI_API_KEY", "x")
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .env("TERM", "xterm-256color")
        .args(args)
        .limit(Duration::from_mins(1))
        .run()
}

#[test]
fn gemini_cli_lists_the_server() {
    let project = Project::new();
    init(&project, &["--host", "gemini-mcp"]);
    let outcome = gemini(&project, &["mcp", "list"]);
    outcome.stderr_contains("cogtools: cogtools mcp (stdio)");
}

#[test]
fn gemini_cli_installs_the_extension() {
    for verb in ["install", "link"] {
        let project = Project::new();
        project.file("brought/tools/hi.yaml", HI);
        let args = ["--host", "gemini-extension", "--name", "brought-tools"];
        init(&project, &[&["-C", "brought"], &args[..]].concat());
        let installed = gemini(&project, &["extensions", verb, "brought", "--consent"]);
        installed.status(0);
        gemini(&project, &["extensions", "list"])
            .stderr_contains("brought-tools (0.1.0)")
            .stderr_contains("COGTOOLS.md");
        // The project around it has no tools.
        let called = call(&project, "mcp_brought-tools_hi", json!({"whom": "Ada"}));
        assert_text(
            called,
            str![[r#"
<untrusted_context>
Hi, Ada!
</untrusted_context>
"#]],
        );
    }
}

#[test]
fn gemini_cli_calls_through_the_server() {
    let project = Project::new();
    project.file("tools/hi.yaml", HI);
    init(&project, &["--host", "gemini-mcp", "--name", "mine"]);
    let called = call(&project, "mcp_mine_hi", json!({"whom": "Ada"}));
    assert_text(
        called,
        str![[r#"
<untrusted_context>
Hi, Ada!
</untrusted_context>
"#]],
    );
}

const HI: &str = "name: hi\ndescription: Says hi\nparameters: {whom: string}\nimplementation: \"Hi, {{ whom }}!\"\n";

/// The text that the model reads when it calls `tool`.
pub(crate) fn call(project: &Project, tool: &str, arguments: Value) -> String {
    let fake = FakeGemini::for_host([Turn::call(tool, arguments), Turn::text("All done.")]);
    let gemini = Gemini::install(Version::NEWEST, &cache());
    let outcome = gemini.ask(project, crate::programs(), &fake, &["--yolo"]);
    let conversation = fake
        .try_finish()
        .unwrap_or_else(|wrong| panic!("{wrong}\n{outcome}"));
    let request = conversation.main()[1];
    let response = &request.responses()[0]["response"]["output"];
    response
        .as_str()
        .unwrap_or_else(|| panic!("{response}\n{outcome}"))
        .to_owned()
}
