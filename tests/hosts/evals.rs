//! `cogtools eval --host`: hosts as a whole run the tasks of cases, with the calls in our log.

use std::path::Path;
use std::time::Duration;

use cogtools_test_support::{FakeGemini, Gemini, Project, Run, Turn, Version, install};
use serde_json::{Value, json};

use crate::clients::{CLAUDE_CODE, CODEX, cache, claude_code, codex};
use crate::eval::CONVERT;
use crate::gateway::model::Model;
use crate::run;

const CASES: &str = "\
trials: 1
cases:
  - name: miles
    task: TASK
    files: {notes.txt: nothing}
    with: {convert: [{args: {unit: miles}, result: from a fixture}]}
    expect:
      calls: [{tool: convert, args: {amount: 5, unit: miles}}]
      order: exact
      first_try: true
      answer: {contains: All done}
";

/// A run with the host on PATH. A folder of packages would not do: a project could have put it there.
fn eval(project: &Project, host: &Path) -> Run {
    let bin = project.home().join("bin");
    let link = bin.join(host.file_name().expect("a program"));
    std::fs::create_dir_all(&bin).expect("a folder");
    if !link.is_symlink() {
        std::os::unix::fs::symlink(host, link).expect("a link");
    }
    run("cogtools-eval", project)
        .path(install::node(&cache()))
        .path(bin)
        .limit(Duration::from_mins(2))
}

/// A project with a case.
fn project() -> Project {
    let project = Project::new();
    project
        .file("tools/convert.yaml", CONVERT)
        .file("tools/convert.evals.yaml", CASES);
    project
}

/// The run of a host, with one call and then an answer. Returns the figures of the only trial, and
/// checks that the model got `expected` as the result of the call.
fn evaluate(run: Run, host: &str, status: u8) -> Value {
    let outcome = run.args(["--host", host, "--json", "--record"]).run();
    let report: Value = serde_json::from_slice(&outcome.status(status).stdout).expect("JSON");
    let case = &report["cases"][0];
    json!([
        case["model"],
        case["results"][0]["verdict"],
        case["results"][0]["failures"],
        case["mean"]["turns"],
        case["mean"]["calls"],
        case["mean"]["tokens"],
    ])
}

/// Two trials: the call of the first is right.
fn check(call: impl Fn(&Project, Value, u8) -> (Value, String), turns: &Value, tokens: &Value) {
    let project = project();
    let (figures, asked) = call(&project, json!({"amount": 5, "unit": "miles"}), 0);
    let model = figures[0].clone();
    assert_eq!(figures, json!([model, "pass", [], turns, 1.0, tokens]));
    assert!(asked.contains("from a fixture"), "{asked}");
    // What a host has recorded is judged without it.
    let replay = run("cogtools-eval", &project).args(["--replay", "--json"]);
    assert_eq!(replay.run().json()["cases"][0]["model"], model);
    project.file("tools/convert.evals.yaml", CASES.replace("TASK", "another"));
    let (figures, asked) = call(&project, json!({"amount": 5, "unit": "km"}), 1);
    assert_eq!(figures[1], "fail");
    assert_eq!(figures[2][0]["expect"], "/calls/0/args/unit", "{figures}");
    assert!(asked.contains("no fixture"), "{asked}");
    // The host has worked in a folder of its own.
    assert!(!project.path("notes.txt").exists());
}

#[test]
fn claude_code_is_measured() {
    let call = |project: &Project, arguments: Value, status| {
        let calls = json!([["mcp__project__convert", arguments]]);
        let model = Model::start("anthropic", &calls);
        let run = eval(project, &claude_code())
            .env("ANTHROPIC_BASE_URL", model.url())
            .env("ANTHROPIC_API_KEY", "x")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        let figures = evaluate(run, "claude-code:claude-sonnet-4-5", status);
        let column = format!("claude-code@{CLAUDE_CODE}:claude-sonnet-4-5");
        assert_eq!(figures[0], column);
        let last = model.asked().pop().unwrap_or_default();
        (figures, last["messages"].to_string())
    };
    check(call, &json!(2.0), &json!(4.0));
}

#[test]
fn codex_is_measured() {
    let call = |project: &Project, arguments: Value, status| {
        let model = Model::start("openai", &json!([["mcp__project convert", arguments]]));
        // The user's own configuration, with a server that the trial does not disturb.
        let config = model.in_codex();
        project.file("../home/.codex/config.toml", &config);
        let run = eval(project, &codex());
        let figures = evaluate(run, "codex", status);
        assert_eq!(figures[0], format!("codex@{CODEX}"));
        assert_eq!(project.read("../home/.codex/config.toml"), config);
        let last = model.asked().pop().unwrap_or_default();
        (figures, last["input"].to_string())
    };
    check(call, &Value::Null, &json!(4.0));
}

#[test]
fn gemini_cli_is_measured() {
    let gemini = Gemini::install(Version::NEWEST, &cache());
    let call = |project: &Project, arguments: Value, status| {
        let fake = FakeGemini::for_host([
            Turn::call("mcp_project_convert", arguments),
            Turn::text("All done."),
        ]);
        let mut run = eval(project, &gemini.bin().join("gemini")).path(gemini.node());
        for (name, value) in Gemini::environment(project, &fake) {
            run = run.env(name, value);
        }
        let mut figures = evaluate(run, "gemini:gemini-2.5-flash", status);
        // As many as the requests of the host have, which depend on the machine.
        figures[5] = json!(figures[5].as_f64().is_some_and(|tokens| tokens > 0.0));
        let column = format!("gemini@{}:gemini-2.5-flash", gemini.version().number);
        assert_eq!(figures[0], column);
        let conversation = fake.try_finish().unwrap_or_else(|wrong| panic!("{wrong}"));
        let results = conversation.main()[1].responses()[0].to_string();
        (figures, results)
    };
    check(call, &json!(2.0), &json!(true));
}
