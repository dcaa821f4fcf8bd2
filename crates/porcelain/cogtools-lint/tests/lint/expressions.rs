//! Expressions that are no templates, examples and code, in the language server.

use serde_json::{Value, json};

use crate::server::{Client, offered_in, project, text_at};

/// A tool with expressions that are no templates.
const RUNS: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: greet
description: Greets people
parameters:
  mood: {enum: [glad, sad], description: How they are}
  people: {type: array, items: string, description: The guests}
examples:
  - mood: glad
    people: [Ada]
implementation:
  exec:
    - echo
    - {when: \"mood == 'sad'\", args: ['{{ mood }}']}
    - for: person in people
      when: mood
      args: ['{{ person }}']
";

#[test]
fn expressions_are_read_like_templates() {
    let asked = |method: &str, needle: &str, more: &Value| {
        let project = project();
        let mut client = Client::new(&project);
        client.open("tools/greet.yaml", RUNS);
        client.ask_at(method, "tools/greet.yaml", RUNS, needle, more);
        client.last_result()
    };
    let renamed = asked("rename", "when: \"mo", &json!({"newName": "way"}));
    let edits = renamed["changes"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap();
    let places = edits.as_array().unwrap().iter().map(|edit| {
        assert_eq!(text_at(RUNS, &edit["range"]), "mood");
        edit["range"]["start"]["line"].as_u64().unwrap()
    });
    assert_eq!(places.collect::<Vec<_>>(), [4, 7, 12, 12, 14]);
    let renamed = asked("rename", "in peo", &json!({"newName": "guests"}));
    assert_eq!(
        renamed.to_string().matches("newText").count(),
        3,
        "{renamed}"
    );
    let hovered = asked("hover", "when: mo", &json!({}));
    assert_eq!(
        hovered["contents"]["value"],
        "`mood`: \"glad\" | \"sad\"\n\nHow they are"
    );
}

#[test]
fn completion_of_expressions_examples_and_code() {
    let with = |from: &str, to: &str| {
        assert!(RUNS.contains(from), "{from}");
        RUNS.replace(from, to)
    };
    let has = |text: &str, needle: &str, expected: &[&str]| {
        let found = offered_in(RUNS, text, needle);
        for name in expected {
            assert!(found.iter().any(|it| it == name), "{name}: {found:?}");
        }
    };
    has(
        &with("when: mood\n", "when: \n"),
        "      when: ",
        &["mood", "people"],
    );
    has(
        &with("person in people", "person in "),
        "person in ",
        &["people"],
    );
    has(
        &with("when: mood\n", "when: mood == '\n"),
        "when: mood == '",
        &["glad", "sad"],
    );
    has(
        &with("  - mood: glad", "  - mood: "),
        "  - mood: ",
        &["glad", "sad"],
    );
    has(
        &with("    people: [Ada]", "    peo"),
        "    peo",
        &["people"],
    );
    let code = |code: &str| {
        let start = RUNS.find("implementation:").unwrap();
        format!(
            "{}implementation:\n  js: |\n    {code}\n  tools: [gr]\n",
            &RUNS[..start]
        )
    };
    has(&code("if (args.mood === '') {}"), "=== '", &["glad", "sad"]);
    has(&code("return 1"), "tools: [gr", &["greet"]);
}
