//! Answers that have to match a schema.

use super::*;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {"lines": {"type": "integer"}},
  "required": ["lines"],
  "additionalProperties": false
}"#;

/// Asks for an answer that matches [`SCHEMA`].
fn ask_for(project: &Project, fake: &FakeGemini, args: &[&str]) -> Outcome {
    project.file("answer.json", SCHEMA);
    let args = [&["--session", "s.jsonl", "--schema", "answer.json"], args].concat();
    quietly(project, fake, &args)
}

#[test]
fn an_answer_that_matches_is_printed() {
    let project = project();
    let fake = FakeGemini::start([
        Turn::call("greet", json!({"person": "Ada"})).saying("Wait."),
        Turn::texts(["{\"lines\":", " 7}"]),
    ]);
    ask_for(&project, &fake, &["How long?"]).outputs("{\"lines\": 7}\n");
    let conversation = fake.finish();
    let config = &conversation.main()[0].body["generationConfig"];
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    assert_eq!(config["responseJsonSchema"], schema);
}

#[test]
fn an_answer_that_does_not_match_goes_back_once() {
    let project = project();
    let fake = FakeGemini::start([
        Turn::text("{\"lines\": \"seven\", \"words\": 40}"),
        Turn::text("{\"lines\": 7}"),
    ]);
    ask_for(&project, &fake, &["How long?"]).outputs("{\"lines\": 7}\n");
    let conversation = fake.finish();
    let contents = &conversation.main()[1].body["contents"];
    let text = contents[3]["parts"][0]["text"].as_str().expect("a text");
    assert_text(
        text,
        str![[r#"
Your answer does not match the schema:

- /lines: expected integer, got string "seven"
- /words: not in the schema

Answer again with the corrected JSON alone.
"#]],
    );
}

#[test]
fn an_answer_that_does_not_match_again_is_a_failure() {
    let project = project();
    let answers = ["seven", "{}", "no", "{}"];
    let fake = FakeGemini::start(answers.map(Turn::text));
    ask_for(&project, &fake, &["How long?"]).fails(
        1,
        str![[r#"
cogtools-ask: error[INVALID_ANSWER]: gemini-flash-latest: the answer does not match the schema
  | /lines: required but missing
hint: change the task or the schema, or use another model
hint: cogtools session show s.jsonl shows the answer

"#]],
    );
    // The answer is in the session.
    let shown = run("cogtools-session", &project)
        .args(["show", "s.jsonl"])
        .run();
    let shown = shown.succeeds().stdout_contains("\n  {}\n");
    shown.stdout_contains("error[INVALID_ANSWER]: the answer does not match the schema");
    let outcome = ask_for(&project, &fake, &["--json", "How long?"]);
    outcome
        .status(1)
        .stdout_contains("{\"text\":\"{}\",\"session\":\"s.jsonl\",\"status\":\"failed\"");
    fake.finish();
}

#[test]
fn an_answer_that_was_cut_off_does_not_go_back() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("{\"lines\":").finish("MAX_TOKENS")]);
    let outcome = ask_for(&project, &fake, &["How long?"]);
    outcome
        .status(1)
        .stdout_is("")
        .stderr_contains("raise --max-tokens");
    fake.finish();
}

#[test]
fn what_is_no_schema_is_reported_before_anything_is_sent() {
    let fake = FakeGemini::start([]);
    for (schema, message) in [
        ("[1]", "this is not a JSON Schema: it must be an object"),
        ("{", "this is not a JSON Schema: EOF"),
        (r#"{"type": 7}"#, "this is not a JSON Schema: /type: "),
        (
            r#"{"$ref": "https://example.com/x"}"#,
            "this is not a JSON Schema: ",
        ),
    ] {
        let project = project();
        project.file("s.json", schema);
        let outcome = quietly(&project, &fake, &["--schema", "s.json", "Go"]);
        outcome.status(2).stdout_is("").stderr_contains(message);
    }
    fake.finish();
}

#[test]
fn a_file_in_an_answer_is_named() {
    let project = project();
    let image = json!({"candidates": [{
        "content": {"role": "model", "parts": [{"inlineData": {
            "mimeType": "image/png", "data": "aGk=",
        }}]},
        "finishReason": "STOP",
    }]});
    let fake = FakeGemini::start([Turn::raw([image.clone()]), Turn::raw([image])]);
    let outcome = quietly(&project, &fake, &["Draw"]);
    outcome.status(0).stdout_is("").stderr_is(str![[r#"
cogtools-ask: [image: image/png, 2 bytes, omitted]

"#]]);
    let outcome = quietly(&project, &fake, &["--json", "Draw"]);
    let summary: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    assert_eq!(summary["files"], json!([{"type": "image/png", "bytes": 2}]));
    fake.finish();
}

#[test]
fn calls_have_their_names_and_the_order_of_their_begin() {
    let project = project();
    for (name, seconds) in [("slow", "0.5"), ("fast", "0")] {
        let tool = format!(
            "name: {name}\ndescription: d\nannotations: {{read_only: true}}\n\
             implementation: {{exec: [sleep, '{seconds}']}}\n"
        );
        project.file(format!("tools/{name}.yaml"), tool);
    }
    let calls = Turn::calls([("slow", json!({})), ("fast", json!({}))]);
    let fake = FakeGemini::start([calls, Turn::text("done")]);
    let summary = quietly(&project, &fake, &["--json", "--allow", "*", "Go"]).json();
    fake.finish();
    let found = summary["calls"].as_array().expect("calls").iter();
    let found: Vec<(&Value, &Value)> = found.map(|call| (&call["id"], &call["tool"])).collect();
    assert_eq!(
        found,
        [
            (&json!("call-1-1"), &json!("slow")),
            (&json!("call-1-2"), &json!("fast"))
        ]
    );
}
