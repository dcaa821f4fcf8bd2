//! Codex in front of all servers.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cogtools_test_support::{Outcome, assert_text, str};
use serde_json::{Value, json};

use super::model::{LAST, Model};
use super::{ASKS, CODE_MODE, CODE_TOOLS, PROGRAM, RESULT, Scene};
use crate::clients;

/// The namespace of the server's tools.
const SPACE: &str = "mcp__cogtools";

/// The entry that `cogtools init` writes, with other arguments.
fn config(model: &Model, args: &[&str]) -> String {
    let model = model.in_codex();
    format!(
        "{model}\n[mcp_servers.cogtools]\ncommand = \"cogtools\"\nargs = {args:?}\nrequired = true\nstartup_timeout_sec = 60\n"
    )
}

/// Codex with one prompt, in front of our server with these arguments.
fn codex(scene: &Scene, model: &Model, args: &[&str]) -> Outcome {
    scene
        .project
        .file("../home/.codex/config.toml", config(model, args));
    scene
        .host(clients::codex())
        .args(["exec", "--skip-git-repo-check"])
        .arg("--dangerously-bypass-approvals-and-sandbox")
        .arg("Go on.")
        .run()
}

#[test]
fn codex_gets_every_tool_and_calls() {
    let scene = Scene::shared();
    let file = scene.project.path("hello.txt").display().to_string();
    let calls = [
        ("filesystem_read_text_file", json!({"path": file})),
        ("everything_echo", json!({"message": "hi"})),
    ];
    let calls = calls.map(|(name, arguments)| json!([format!("{SPACE} {name}"), arguments]));
    let model = Model::start("openai", &json!(calls));
    let outcome = codex(&scene, &model, &["mcp"]);
    // What it prints on standard error describes its own state.
    outcome.status(0).stdout_is(format!("{LAST}\n"));
    let asked = model.asked();
    assert_eq!(asked.len(), calls.len() + 1);
    // It replaces what not every model accepts in a name.
    let plain = |name: &str| name.replace('-', "_");
    let expected: BTreeSet<String> = scene
        .declared("openai")
        .iter()
        .map(|it| plain(it))
        .collect();
    for request in &asked {
        let tools = request["tools"].as_array().expect("tools");
        let ours = tools.iter().find(|tool| tool["name"] == SPACE);
        let mut received = super::names(&ours.expect("our tools")["tools"]);
        // As soon as the server knows that the host shows questions.
        for name in ASKS {
            received.remove(&plain(name));
        }
        super::assert_same(&received, &expected);
    }
    let results = asked
        .iter()
        .skip(1)
        .fold(String::new(), |mut all, request| {
            let last = request["input"].as_array().and_then(|all| all.last());
            let _ = writeln!(all, "{}", last.unwrap_or(&Value::Null)["output"]);
            all
        });
    assert_text(
        without_times(&results),
        str![[r#"
"Wall time: N seconds\nOutput:\n{\"content\":\"Good day\\n\"}"
[{"type":"input_text","text":"Wall time: N seconds\nOutput:"},{"type":"input_text","text":"Echo: hi"}]

"#]],
    );
    codex_runs_a_program(&scene, &file);
}

/// One program instead of the calls. Its configuration is in the same file as before.
fn codex_runs_a_program(scene: &Scene, path: &str) {
    let arguments = json!({"code": PROGRAM, "args": {"path": path}});
    let model = Model::start("openai", &json!([[format!("{SPACE} run_code"), arguments]]));
    let outcome = codex(scene, &model, &CODE_MODE);
    outcome.status(0).stdout_is(format!("{LAST}\n"));
    let asked = model.asked();
    let tools = asked[0]["tools"].as_array().expect("tools");
    let ours = tools.iter().find(|tool| tool["name"] == SPACE);
    let received = super::names(&ours.expect("our tools")["tools"]);
    assert_eq!(received, CODE_TOOLS.map(str::to_owned).into());
    let last = asked[1]["input"].as_array().and_then(|all| all.last());
    let output = last.unwrap_or(&Value::Null)["output"].to_string();
    assert!(output.contains(RESULT), "{output}");
}

/// `text` with an `N` for each number with a point.
fn without_times(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.parse::<f64>() {
        Ok(_) if word.contains('.') => "N",
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}
