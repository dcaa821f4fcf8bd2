//! A packaged plugin in the newest hosts: the model calls its tool in the project of the user.
//!
//! Claude Code and Gemini CLI start the server of the plugin in that project. Codex starts it
//! elsewhere, as the standard says, and opencode has no such plugins: both have its skill.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_test_support::{FakeGemini, Project, Run, Turn, install};
use serde_json::{Value, json};

use crate::clients::{cache, claude_code, codex, converse, gemini, opencode, run_host};
use crate::gateway::model::{LAST, Model};
use crate::{programs, repository, run};

/// The first line of the user's file, and the arguments for it.
const RESULT: &str = "Good day\n";
const FILE: &str = "{\"file\": \"notes.txt\"}";

/// The project of an author, with its plugin in `dist/plugin`, and a list of plugins that hosts add.
fn author() -> Project {
    let project = Project::new();
    project
        .file(
            "package.json",
            r#"{"name": "headlines", "version": "1.2.0", "description": "First lines of files"}"#,
        )
        .file(
            "tools/headline.yaml",
            "name: headline\ndescription: Prints the first line of a file\n\
             parameters: {file: string}\nimplementation: {exec: [./headline.sh, '{{ file }}']}\n",
        )
        .program("tools/headline.sh", "#!/bin/sh\nhead -n 1 -- \"$1\"\n")
        .file(
            ".claude-plugin/marketplace.json",
            r#"{"name": "team", "owner": {"name": "Ada"}, "plugins": [
                {"name": "headlines", "source": "./dist/plugin"}]}"#,
        );
    let package = run("cogtools-package", &project);
    package.arg("dist/plugin").run().status(0);
    project
}

/// The project of a user, who has approved nothing in it.
fn user() -> Project {
    let project = Project::untrusted();
    project.file("notes.txt", format!("{RESULT}The rest\n"));
    project
}

/// A run of a host, which finds our programs.
fn host(program: PathBuf, user: &Project) -> Run {
    Run::new(program)
        .project(user)
        .path(install::node(&cache()))
        .path(programs())
        .limit(Duration::from_mins(3))
}

/// The command for a shell that the skill of the plugin at `plugin` tells a model to write.
fn command(plugin: &Path) -> String {
    let skill = std::fs::read_to_string(skill(plugin)).expect("a skill");
    let sources = skill.lines().find(|line| line.starts_with("export "));
    let sources = sources.expect("the sources of the plugin");
    format!(
        "PLUGIN='{}'\n{sources}\ncogtools-call headline <<'JSON'\n{FILE}\nJSON\n",
        plugin.display()
    )
}

fn skill(plugin: &Path) -> PathBuf {
    plugin.join("skills/headlines/SKILL.md")
}

fn file() -> Value {
    serde_json::from_str(FILE).expect("JSON")
}

#[test]
fn claude_code_calls_the_tool_of_a_plugin() {
    let (author, user) = (author(), user());
    let plugin = author.path("dist/plugin").display().to_string();
    let market = author.root().display().to_string();
    let tell = |args: &[&str]| {
        run_host(claude_code(), &user, args).status(0);
    };
    tell(&["plugin", "validate", &plugin]);
    tell(&["plugin", "marketplace", "add", &market]);
    let calls = json!([["mcp__plugin_headlines_headlines__headline", file()]]);
    // The folder for one session, and then a plugin that is installed.
    for option in [["--plugin-dir", &plugin], ["--debug-file", "/dev/null"]] {
        let model = Model::start("anthropic", &calls);
        model
            .in_claude_code(host(claude_code(), &user))
            .args(option)
            .args(["--allowedTools", "mcp__plugin_headlines_headlines"])
            .run()
            .outputs(format!("{LAST}\n"));
        let asked = model.asked();
        let first = asked[0]["messages"].to_string();
        assert!(
            first.contains("headlines:headlines: Tools of headlines."),
            "{first}"
        );
        let last = asked[1]["messages"].as_array().and_then(|all| all.last());
        let result = &last.expect("a result")["content"][0]["content"];
        assert_eq!(*result, json!([{"type": "text", "text": RESULT}]));
        tell(&["plugin", "install", "headlines@team"]);
    }
}

#[test]
fn gemini_cli_calls_the_tool_of_an_extension() {
    let (author, user) = (author(), user());
    let plugin = author.path("dist/plugin").display().to_string();
    gemini(&user, &["extensions", "install", &plugin, "--consent"]).status(0);
    gemini(&user, &["skills", "list"]).stdout_contains("headlines [Enabled]");
    let called = Turn::call("mcp_headlines_headline", file());
    let fake = FakeGemini::for_host([called, Turn::text(LAST)]);
    let conversation = converse(&user, fake);
    let response = &conversation.main()[1].responses()[0]["response"]["output"];
    let expected = format!("<untrusted_context>\n{RESULT}\n</untrusted_context>");
    assert_eq!(*response, json!(expected));
}

/// Where a client follows the standard and has roots, the server learns where its user works.
#[test]
fn the_server_of_a_plugin_works_in_the_roots_of_its_client() {
    let python = install::python(&cache(), "mcp-python-1.30.0", &["mcp==1.30.0"]);
    let (author, user) = (author(), user());
    user.dir("data")
        .file("other/notes.txt", "Good night\nThe rest\n");
    Run::new(python)
        .project(&user)
        .arg(repository().join("tests/mcp/peers/roots.py"))
        .args([author.path("dist/plugin"), user.path("data")])
        .arg(programs())
        .args([user.path(""), user.path("other")])
        .run()
        .outputs(format!("{RESULT}Good night\n"));
}

#[test]
fn codex_calls_the_tool_of_a_plugin() {
    let (author, user) = (author(), user());
    let market = author.root().display().to_string();
    let tell = |args: &[&str]| {
        run_host(codex(), &user, args).status(0);
    };
    tell(&["plugin", "marketplace", "add", &market]);
    tell(&["plugin", "add", "headlines@team"]);
    let plugin = user
        .home()
        .join(".codex/plugins/cache/team/headlines/1.2.0");
    let read = format!("cat '{}'", skill(&plugin).display());
    // Its server is elsewhere, so that only a whole path leads to the user's file.
    let path = user.path("notes.txt").display().to_string();
    let model = Model::start(
        "openai",
        &json!([
            ["exec_command", {"cmd": read}],
            ["exec_command", {"cmd": command(&plugin)}],
            ["mcp__headlines headline", {"file": path}],
        ]),
    );
    let config = "../home/.codex/config.toml";
    let installed = user.read(config);
    // It starts login shells, whose profile sets PATH.
    let path = format!("PATH='{}':$PATH\n", programs().display());
    user.file(config, format!("{}\n{installed}", model.in_codex()))
        .file("../home/.profile", path);
    host(codex(), &user)
        .args(["exec", "--skip-git-repo-check"])
        .args(["--dangerously-bypass-approvals-and-sandbox", "Go on."])
        .run()
        .status(0)
        .stdout_is(format!("{LAST}\n"));
    let asked = model.asked();
    let first = asked[0]["input"].to_string();
    assert!(
        first.contains("headlines:headlines: Tools of headlines."),
        "{first}"
    );
    for (request, expected) in asked[1..].iter().zip(["`headline`", RESULT, RESULT]) {
        let last = request["input"].as_array().and_then(|all| all.last());
        let output = &last.expect("a result")["output"];
        let text = output.as_str().or_else(|| output[1]["text"].as_str());
        let text = text.unwrap_or_default();
        assert!(text.contains(expected), "{output}");
    }
    assert_eq!(asked.len(), 4);
}

#[test]
fn opencode_calls_by_a_skill_and_over_mcp() {
    let (author, user) = (author(), user());
    let plugin = author.path("dist/plugin");
    let model = Model::start(
        "anthropic",
        &json!([
            ["skill", {"name": "headlines"}],
            ["bash", {"command": command(&plugin), "description": "Reads a headline"}],
            ["cogtools_hello", {"person": "Ada"}],
        ]),
    );
    let init = run("cogtools-init", &user).args(["--defaults", "--host", "opencode"]);
    init.run().status(0);
    let mut config: Value = serde_json::from_str(&user.read("opencode.json")).expect("JSON");
    config["skills"] = json!({"paths": [plugin.join("skills")]});
    let outcome = model.in_opencode(host(opencode(), &user), config).run();
    outcome.status(0).stdout_contains(LAST);
    let asked = model.asked();
    let results = asked[1..].iter().map(|request| {
        let last = request["messages"].as_array().and_then(|all| all.last());
        let content = &last.expect("a result")["content"][0];
        assert_ne!(content["is_error"], json!(true), "{content}");
        content["content"].as_str().unwrap_or_default().to_owned()
    });
    let results: Vec<String> = results.collect();
    assert!(results[0].contains("`headline`"), "{results:?}");
    assert_eq!(results[1..], [RESULT, "Hello, Ada!\n"]);
}
