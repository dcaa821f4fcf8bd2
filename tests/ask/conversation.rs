//! Conversations with calls, over several turns and runs.

use std::time::Duration;

use cogtools_test_support::Options;

use super::*;

fn greet(person: &str) -> (&'static str, Value) {
    ("greet", json!({ "person": person }))
}

/// The responses to the calls of request `index`.
fn responses(fake: FakeGemini, index: usize) -> Vec<Value> {
    let conversation = fake.finish();
    let main = conversation.main();
    let responses = main[index].responses().into_iter();
    responses
        .map(|response| response["response"].clone())
        .collect()
}

#[test]
fn calls_thoughts_and_signatures_go_back_as_they_came() {
    let project = project();
    let fake = FakeGemini::with(
        Options::default().check_all_turns(),
        [
            Turn::calls([greet("Ada"), greet("Bob"), greet("Eve")])
                .thinking("Three of them.")
                .saying("Wait."),
            Turn::calls([greet("Dan")]).calls_apart(),
            Turn::calls([greet("Kim"), greet("Lea")]).without_ids(),
            Turn::texts(["All ", "greeted."]).signed_apart(),
            Turn::calls([greet("Max"), greet("Zoe")]).calls_apart(),
            Turn::text("Again."),
        ],
    );
    let first = quietly(&project, &fake, &["--session", "s.jsonl", "Greet all"]);
    first.outputs("Wait.\nAll greeted.\n");
    quietly(&project, &fake, &["--session", "s.jsonl", "Greet Max"]).outputs("Again.\n");
    let results = responses(fake, 5);
    assert_eq!(
        results,
        [
            json!({"output": "Hello Max!"}),
            json!({"output": "Hello Zoe!"})
        ]
    );
}

#[test]
fn fifty_calls_at_once_are_answered_in_one_turn() {
    let project = project();
    let names: Vec<String> = (0..50).map(|index| format!("P{index}")).collect();
    let fake = FakeGemini::start([
        Turn::calls(names.iter().map(|name| greet(name))),
        Turn::text("done"),
    ]);
    quietly(&project, &fake, &["Greet all"]).outputs("done\n");
    let expected: Vec<Value> = names
        .iter()
        .map(|name| json!({"output": format!("Hello {name}!")}))
        .collect();
    assert_eq!(responses(fake, 1), expected);
}

#[test]
fn violations_tell_the_model_how_to_repair_the_call() {
    let project = project();
    let fake = FakeGemini::start([
        Turn::call("greet", json!({"person": 7})),
        Turn::call("greet", json!({"persona": "Ada"})),
        Turn::call("greeet", json!({"person": "Ada"})).mistaken(),
        Turn::text("done"),
    ]);
    quietly(&project, &fake, &["Greet"]).outputs("done\n");
    let conversation = fake.finish();
    let main = conversation.main();
    let errors: Vec<(Value, String)> = main[1..]
        .iter()
        .map(|request| {
            let response = &request.responses()[0]["response"];
            (response["code"].clone(), response["error"].to_string())
        })
        .collect();
    let [wrong, unknown, missing] = &errors[..] else {
        panic!("{errors:?}");
    };
    assert_eq!(
        (&wrong.0, &unknown.0),
        (&json!("SCHEMA_VIOLATION"), &json!("SCHEMA_VIOLATION"))
    );
    assert!(
        wrong.1.contains("person") && wrong.1.contains("string"),
        "{wrong:?}"
    );
    assert!(unknown.1.contains("persona"), "{unknown:?}");
    assert_eq!(missing.0, "TOOL_NOT_FOUND");
    assert!(missing.1.contains("`greet`"), "{missing:?}");
}

#[test]
fn a_tool_that_vanishes_before_its_call_is_data() {
    let project = project();
    let file = project.path("tools/greet.yaml");
    let fake = FakeGemini::start([
        Turn::calls([greet("Ada")]).meanwhile(move || std::fs::remove_file(file).expect("removed")),
        Turn::text("done"),
    ]);
    quietly(&project, &fake, &["Greet"]).outputs("done\n");
    let response = &responses(fake, 1)[0];
    assert_eq!(response["code"], "TOOL_NOT_FOUND", "{response}");
}

#[test]
fn a_tool_that_fails_or_hangs_is_data() {
    let project = project();
    project
        .file(
            "tools/fail.yaml",
            "name: fail\ndescription: d\nimplementation: {exec: [sh, -c, 'echo why >&2; exit 3']}\n",
        )
        .file(
            "tools/hang.yaml",
            "name: hang\ndescription: d\ntimeout: 1\nimplementation: {exec: [sleep, '60']}\n",
        );
    let fake = FakeGemini::start([
        Turn::calls([("fail", json!({})), ("hang", json!({}))]),
        Turn::text("done"),
    ]);
    quietly(&project, &fake, &["--allow", "*", "Go"]).outputs("done\n");
    let results = responses(fake, 1);
    assert!(
        results[0]["error"].to_string().contains("why"),
        "{results:?}"
    );
    assert_eq!(results[1]["code"], "TIMEOUT", "{results:?}");
}

#[test]
fn streams_arrive_in_any_pieces() {
    for separator in ["\n\n", "\r\r", "\r\n\r\n"] {
        let project = project();
        let turn = Turn::texts(["Größe 🙂", " – gut"])
            .separated_by(separator)
            .in_pieces(1, Duration::ZERO);
        let fake = FakeGemini::start([turn]);
        quietly(&project, &fake, &["Go"]).outputs("Größe 🙂 – gut\n");
        fake.finish();
    }
}
