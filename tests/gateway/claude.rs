//! Claude Code in front of all servers.

use std::collections::BTreeSet;

use cogtools_test_support::{Run, assert_text, str};
use serde_json::{Value, json};

use super::model::{LAST, Model};
use super::{ASKS, CODE_MODE, CODE_TOOLS, PROGRAM, RESULT, Scene};
use crate::clients::claude_code;

const PREFIX: &str = "mcp__cogtools__";

#[test]
fn claude_code_gets_every_tool_and_calls() {
    let scene = Scene::shared();
    let file = scene.project.path("hello.txt").display().to_string();
    let entity =
        json!({"name": "Ada", "entityType": "person", "observations": ["writes programs"]});
    let calls = [
        ("filesystem_read_text_file", json!({"path": file})),
        ("memory_create_entities", json!({"entities": [entity]})),
        ("memory_read_graph", json!({})),
        ("everything_echo", json!({"message": "hi"})),
        ("playwright_browser_navigate", json!({"url": "{here}/page"})),
        ("playwright_browser_snapshot", json!({})),
    ];
    let calls = calls.map(|(name, arguments)| json!([format!("{PREFIX}{name}"), arguments]));
    let model = Model::start("anthropic", &json!(calls));
    let outcome = claude(&scene, &model, &["mcp"]).run();
    outcome.outputs(format!("{LAST}\n"));
    let asked = model.asked();
    assert_eq!(asked.len(), calls.len() + 1);
    let declared = scene.declared("anthropic");
    for request in &asked {
        let tools = request["tools"].as_array().expect("tools").iter();
        let ours = tools.filter(|tool| {
            tool["name"]
                .as_str()
                .is_some_and(|it| it.starts_with(PREFIX))
        });
        let ours: Value = ours.cloned().collect();
        let mut received = super::names(&ours);
        // As soon as the server knows that the host shows questions.
        for name in ASKS {
            received.remove(&format!("{PREFIX}{name}"));
        }
        let expected = declared.iter().map(|name| format!("{PREFIX}{name}"));
        super::assert_same(&received, &expected.collect());
    }
    let results = asked.iter().skip(1).map(result);
    let results = results.collect::<String>().replace(model.url(), "[HERE]");
    // Its snapshots are named by the time.
    let results = cut(&results, "(data/page-", ".yml)");
    assert_text(
        results,
        str![[r####"
"{\"content\":\"Good day\\n\"}"
"{\"entities\":[{\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"writes programs\"]}]}"
"{\"entities\":[{\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"writes programs\"]}],\"relations\":[]}"
[{"type":"text","text":"Echo: hi"}]
[{"type":"text","text":"### Ran Playwright code\n```js\nawait page.goto('[HERE]/page');\n```\n### Page\n- Page URL: [HERE]/page\n- Page Title: A page\n### Snapshot\n- [Snapshot](data/page-….yml)"}]
[{"type":"text","text":"### Page\n- Page URL: [HERE]/page\n- Page Title: A page\n### Snapshot\n```yaml\n- heading \"Good day\" [level=1] [ref=e2]\n```"}]

"####]],
    );
}

#[test]
fn claude_code_runs_a_program() {
    let scene = Scene::shared();
    let path = scene.project.path("hello.txt").display().to_string();
    let arguments = json!({"code": PROGRAM, "args": {"path": path}});
    let calls = json!([[format!("{PREFIX}run_code"), arguments]]);
    let model = Model::start("anthropic", &calls);
    claude(&scene, &model, &CODE_MODE)
        .run()
        .outputs(format!("{LAST}\n"));
    let asked = model.asked();
    assert_eq!(asked.len(), 2);
    for request in &asked {
        let tools = request["tools"].as_array().expect("tools").iter();
        let names = tools.filter_map(|tool| tool["name"].as_str()?.strip_prefix(PREFIX));
        assert_eq!(names.collect::<BTreeSet<_>>(), CODE_TOOLS.into());
    }
    let result = result(&asked[1]);
    assert!(result.contains(RESULT), "{result}");
}

/// Claude Code with one prompt, in front of our server with these arguments.
fn claude(scene: &Scene, model: &Model, args: &[&str]) -> Run {
    let servers = json!({"mcpServers": {"cogtools": {"command": "cogtools", "args": args}}});
    let file = format!("claude-{}.json", args.len());
    scene.project.file(&file, servers.to_string());
    model
        .in_claude_code(scene.host(claude_code()))
        .args(["--mcp-config", &file, "--strict-mcp-config"])
        .args(["--allowedTools", "mcp__cogtools"])
}

/// The result of the last call.
fn result(request: &Value) -> String {
    let last = request["messages"].as_array().and_then(|all| all.last());
    let content = last.map(|it| it["content"][0]["content"].clone());
    format!("{}\n", content.unwrap_or_default())
}

/// `text` with three dots between the first `begin` and the `end` after it.
fn cut(text: &str, begin: &str, end: &str) -> String {
    let (before, rest) = text.split_once(begin).expect("it begins");
    let (_, after) = rest.split_once(end).expect("it ends");
    format!("{before}{begin}…{end}{after}")
}
