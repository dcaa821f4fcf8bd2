//! A model on the user's own machine: any server with the API of OpenAI, without a key.

use cogtools_test_support::str;

use super::*;
use crate::mcp::peer::Site;

/// A running model on this machine.
fn model(project: &Project) -> Site {
    let script = crate::repository().join("tests/ask/peers/openai.py");
    Site::start(project, "python3", [script])
}

fn local(project: &Project, site: &Site) -> Run {
    run("cogtools-ask", project)
        .env("OPENAI_BASE_URL", format!("{}/v1", site.url))
        .arg("--provider=openai")
}

#[test]
fn a_tool_is_called_without_a_key() {
    let project = project();
    let site = model(&project);
    local(&project, &site)
        .args(["-q", "--model=small", "Greet Ada"])
        .run()
        .outputs("It said: Hello Ada!\n");
    let asked = project.read("asked");
    let requests: Vec<&str> = asked.lines().collect();
    assert_eq!(requests.len(), 2, "{asked}");
    let line = "/v1/chat/completions no key ";
    let body = requests[1].strip_prefix(line).expect("a request");
    let body: Value = serde_json::from_str(body).expect("JSON");
    let messages = body["messages"].as_array().expect("messages");
    let [.., call, result] = &messages[..] else {
        panic!("{body:#}");
    };
    assert_eq!(
        call,
        &json!({"role": "assistant", "reasoning_content": "A greeting.", "content": null,
            "tool_calls": [{
            "id": "call_a", "type": "function",
            "function": {"name": "greet", "arguments": "{\"person\": \"Ada\"}"},
        }]}),
    );
    assert_eq!(
        result,
        &json!({"role": "tool", "tool_call_id": "call_a", "content": "Hello Ada!"}),
    );
}

#[test]
fn a_key_is_not_sent_in_plain_text_to_another_machine() {
    let project = project();
    let ask = || {
        run("cogtools-ask", &project)
            .env("OPENAI_BASE_URL", "http://models.invalid/v1")
            .env("OPENAI_API_KEY", "a-key")
            .args(["-q", "--provider=openai", "--model=small", "hi"])
    };
    ask().run().fails(
        2,
        str![[r#"
cogtools-ask: error[USAGE]: OPENAI_BASE_URL: the key would be sent without encryption, to another machine
hint: use https://; --insecure sends it over a network that you trust

"#]],
    );
    // It is tried, and nothing is there.
    let outcome = ask().args(["--insecure", "--budget=seconds=1"]).run();
    assert!(!String::from_utf8_lossy(&outcome.stderr).contains("without encryption"));
}

#[test]
fn a_google_key_is_never_sent_in_plain_text_to_another_machine() {
    run("cogtools-ask", &project())
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", "http://models.example")
        .args(["-q", "--session", "s.jsonl", "Hi"])
        .run()
        .fails(69, str![[r#"
cogtools-ask: error[UNAVAILABLE]: gemini-flash-latest: `models.example` cannot be reached: over http, anyone on the network can read what is sent
hint: use https://; no option sends a Google key without encryption
hint: cogtools ask --session s.jsonl --continue goes on

"#]]);
}

#[test]
fn its_models_are_listed() {
    let project = project();
    let site = model(&project);
    local(&project, &site)
        .arg("--models")
        .run()
        .outputs("large\nsmall\n");
}

#[test]
fn a_model_is_named() {
    let project = project();
    let site = model(&project);
    local(&project, &site).arg("Hi").run().fails(
        2,
        str![[r#"
cogtools-ask: error[USAGE]: no model is named
hint: name one with --model; cogtools ask --provider openai --models lists them

"#]],
    );
    assert!(!project.path("asked").exists());
}

#[test]
fn another_machine_wants_a_key() {
    let project = project();
    run("cogtools-ask", &project)
        .env("OPENAI_BASE_URL", "https://models.example/v1")
        .args(["--provider=openai", "--model=m", "Hi"])
        .run()
        .fails(78, str![[r#"
cogtools-ask: error[INVALID_CONFIG]: openai: no API key: OPENAI_API_KEY is not set
hint: set OPENAI_API_KEY to a key of the server; one on this machine, at OPENAI_BASE_URL, needs no key

"#]]);
}
