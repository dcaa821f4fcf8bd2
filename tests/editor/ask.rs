//! The whole road: a prompt, a call of a function, the editor's data, an answer.

use cogtools_test_support::{FakeGemini, Project, Turn};
use serde_json::{Value, json};

use super::peer::Peer;
use super::vscode::Window;
use crate::run;

/// Asks with `--editor` in the terminal of an editor.
fn ask(project: &Project, fake: &FakeGemini, socket: &std::path::Path, prompt: &[&str]) {
    run("cogtools-ask", project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .env("COGTOOLS_EDITOR", socket)
        .args(["-q", "--editor"])
        .args(prompt)
        .run()
        .outputs("It is a comment.\n");
}

#[test]
fn a_model_that_asks_for_the_selection_gets_it() {
    let project = Project::new();
    project.file("src/main.rs", "fn main() {}\n");
    let window = Window::open(&project, &json!({}));
    let fake = FakeGemini::start([
        Turn::call("get_selected_text", json!({})),
        Turn::text("It is a comment."),
    ]);
    ask(&project, &fake, &window.socket(), &["Explain", "this"]);
    let conversation = fake.finish();
    let requests = conversation.main();
    let declared = &requests[0].body["tools"][0]["functionDeclarations"];
    let names: Vec<&Value> = declared
        .as_array()
        .expect("a list")
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(
        names,
        [
            "get_current_file",
            "get_diagnostics",
            "get_open_files",
            "get_selected_text",
            "propose_edit",
        ]
    );
    let response = requests[1].responses()[0];
    assert_eq!(response["name"], "get_selected_text");
    assert_eq!(
        response["response"]["output"],
        json!({
            "path": "src/main.rs",
            "language": "rust",
            "text": "🦀 ",
            "start": {"line": 2, "column": 8},
            "end": {"line": 2, "column": 10},
            "dirty": true,
            "hash": "65f8767369d9d8098c1c284432c70a470497548db45cec52223ff922d7289abc",
            "source": "VS Code",
        })
    );
}

/// A question without a text is answered without the editor.
#[test]
fn another_prompt_asks_no_editor() {
    let project = Project::new();
    let peer = Peer::start(|_| json!({"result": {"text": "x"}}));
    let fake = FakeGemini::start([Turn::text("It is a comment.")]);
    ask(&project, &fake, &peer.socket(), &["What is a comment?"]);
    fake.finish();
    assert_eq!(peer.last(), Value::Null);
}

#[test]
fn a_proposal_needs_an_approval() {
    let project = Project::new();
    project.file("src/main.rs", "fn main() {}\n");
    let propose = json!({"path": "src/main.rs", "content": "new\n"});
    for (args, accepted) in [
        (&["Change it"][..], false),
        (&["--allow", "propose_edit", "Change it"], true),
    ] {
        let peer = Peer::start(|_| json!({"result": {"accepted": true}}));
        let fake = FakeGemini::start([
            Turn::call("propose_edit", propose.clone()),
            Turn::text("It is a comment."),
        ]);
        ask(&project, &fake, &peer.socket(), args);
        let conversation = fake.finish();
        let response = &conversation.main()[1].responses()[0]["response"];
        assert_eq!(
            response["output"]["outcome"] == "accepted",
            accepted,
            "{response}"
        );
        assert_eq!(peer.last().is_null(), !accepted);
    }
}
