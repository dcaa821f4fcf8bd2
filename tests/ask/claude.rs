//! A model behind the Messages API of Anthropic.

use cogtools_test_support::str;

use super::*;
use crate::mcp::peer::Site;

/// A running server.
fn server(project: &Project) -> Site {
    let script = crate::repository().join("tests/ask/peers/anthropic.py");
    Site::start(project, "python3", [script])
}

fn claude(project: &Project, site: &Site) -> Run {
    run("cogtools-ask", project)
        .env("ANTHROPIC_BASE_URL", &site.url)
        .args(["--provider=anthropic", "-q"])
}

/// The bodies of the requests that the server got.
fn bodies(project: &Project, before: &str) -> Vec<Value> {
    let asked = project.read("asked");
    let bodies = asked.lines().map(|line| {
        let body = line
            .strip_prefix(before)
            .unwrap_or_else(|| panic!("{line}"));
        serde_json::from_str(body).expect("JSON")
    });
    bodies.collect()
}

#[test]
fn a_tool_is_called_and_signed_thoughts_go_back_as_they_came() {
    let project = project();
    let site = server(&project);
    claude(&project, &site)
        .env("ANTHROPIC_API_KEY", "a-key-for-tests")
        .args([
            "--model=claude-small",
            "--session=s.jsonl",
            "--option=thinking=high",
            "Greet Ada",
        ])
        .run()
        .outputs("It said: Hello Ada!\n");
    let bodies = bodies(&project, "/v1/messages 2023-06-01 a-key-for-tests ");
    assert_eq!(bodies.len(), 2, "{bodies:?}");
    assert_eq!(bodies[0]["thinking"], json!({"type": "adaptive"}));
    assert_eq!(bodies[0]["output_config"], json!({"effort": "high"}));
    let messages = bodies[1]["messages"].as_array().expect("messages");
    let [.., call, result] = &messages[..] else {
        panic!("{:#}", bodies[1]);
    };
    let blocks = json!([
        {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="},
        {"type": "tool_use", "id": "toolu_a", "name": "greet", "input": {"person": "Ada"}},
    ]);
    assert_eq!(call["content"].to_string(), blocks.to_string());
    assert_eq!(result["content"][0]["content"], "Hello Ada!");
    let log = project.read("s.jsonl");
    assert!(log.contains(&blocks.to_string()), "{log}");
    assert!(!log.contains("a-key-for-tests"), "{log}");
}

#[test]
fn a_session_goes_on_with_another_provider() {
    let project = project();
    let site = server(&project);
    let ask = |args: &[&str]| claude(&project, &site).args(args).run();
    ask(&["--model=claude-small", "--session=s.jsonl", "Greet Ada"]).status(0);
    let fake = FakeGemini::start([Turn::text("Yes.")]);
    run("cogtools-ask", &project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .args(["-q", "--session=s.jsonl", "--continue", "Really?"])
        .run()
        .outputs("Yes.\n");
    let conversation = fake.finish();
    let sent = format!("{:?}", conversation.main()[0]);
    assert!(!sent.contains("c2lnbmVk"), "{sent}");
}

#[test]
fn what_is_written_to_a_cache_is_paid_for() {
    let project = project();
    let config = "ask: {provider: anthropic, prices: prices.yaml}\n";
    project.file("../home/.gemini/cogtoolrc.yaml", config);
    project.file(
        "../home/.gemini/prices.yaml",
        "date: 2026-11-01\ncurrency: USD\nmodels:\n  claude-*: {input: 4, output: 20}\n",
    );
    let site = server(&project);
    let outcome = claude(&project, &site)
        .args(["--model=claude-small", "--json", "Greet Ada"])
        .run();
    outcome.status(0);
    let json: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    // Twice 10 tokens sent, 20 written at 1.25 of their price, and 5 received.
    let cost = json["cost"]["amount"].as_f64().expect("a price");
    assert!((cost - 0.00048).abs() < 1e-9, "{json}");
    assert_eq!(json["usage"]["written"], 40, "{json}");
}

#[test]
fn a_refusal_is_not_an_answer() {
    let project = project();
    let site = server(&project);
    let outcome = claude(&project, &site)
        .args(["--model=claude-small", "--json", "Refuse"])
        .run();
    outcome.status(3);
}

#[test]
fn its_models_are_listed_and_one_is_named() {
    let project = project();
    let site = server(&project);
    claude(&project, &site)
        .arg("--models")
        .run()
        .outputs("claude-large\nclaude-small\n");
    claude(&project, &site).arg("Hi").run().fails(
        2,
        str![[r#"
cogtools-ask: error[USAGE]: no model is named
hint: name one with --model; cogtools ask --provider anthropic --models lists them

"#]],
    );
}

#[test]
fn a_key_is_needed_and_not_sent_in_plain_text_to_another_machine() {
    let project = project();
    let ask = |url: &str| {
        run("cogtools-ask", &project)
            .env("ANTHROPIC_BASE_URL", url)
            .args(["-q", "--provider=anthropic", "--model=m", "Hi"])
    };
    ask("https://models.example").run().fails(78, str![[r#"
cogtools-ask: error[INVALID_CONFIG]: anthropic: no API key: ANTHROPIC_API_KEY is not set
hint: set ANTHROPIC_API_KEY to a key of the server; one on this machine, at ANTHROPIC_BASE_URL, needs no key

"#]]);
    ask("http://models.invalid")
        .env("ANTHROPIC_API_KEY", "a-key")
        .run()
        .fails(2, str![[r#"
cogtools-ask: error[USAGE]: ANTHROPIC_BASE_URL: the key would be sent without encryption, to another machine
hint: use https://; --insecure sends it over a network that you trust

"#]]);
}

#[test]
fn a_tool_that_the_api_rejects_is_left_out() {
    let project = project();
    project.file(
        "tools/a.b.yaml",
        "name: a.b\ndescription: Says hi\nimplementation: hi\n",
    );
    let site = server(&project);
    claude(&project, &site)
        .args(["--model=claude-small", "Greet Ada"])
        .run()
        .outputs("It said: Hello Ada!\n");
    let bodies = bodies(&project, "/v1/messages 2023-06-01 no key ");
    let tools = bodies[0]["tools"].to_string();
    assert!(tools.contains("greet") && !tools.contains("a.b"), "{tools}");
}
