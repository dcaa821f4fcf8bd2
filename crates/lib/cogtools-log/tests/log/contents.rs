//! The contents that a model has seen, from the entries of a session.

use cogtools_log::{
    Approval, CallId, Decision, Event, Id, Log, Outcome, ProgramStep, Why, contents,
};
use serde_json::{Value, json};

use crate::scene::{Scene, response, task};

fn call(name: &str) -> Event {
    Event::Call {
        call: CallId::new(name),
        tool: "t".to_owned(),
        arguments: json!({}),
        resolved: None,
        approval: Approval::new(Decision::Allowed, Why::Pure),
        place: ProgramStep::default(),
    }
}

fn result(name: &str, content: Value) -> Event {
    Event::Result {
        call: CallId::new(name),
        outcome: Outcome::Succeeded,
        content,
        blob: None,
        ms: 1,
        files: Vec::new(),
        masked: false,
        place: ProgramStep::default(),
    }
}

fn user(text: &str) -> Value {
    json!({"role": "user", "parts": [{"text": text}]})
}

fn calls() -> Value {
    json!({"role": "model", "parts": [
        {"thought": true, "text": "hm"},
        {"functionCall": {"id": "x", "name": "a", "args": {}}, "thoughtSignature": "AA=="},
        {"functionCall": {"name": "b"}},
    ]})
}

fn answers(first: &Value, second: &Value) -> Value {
    json!({"role": "user", "parts": [
        {"functionResponse": {"id": "x", "name": "a", "response": first}},
        {"functionResponse": {"name": "b", "response": second}},
    ]})
}

/// The contents of a session with these events, one after the other.
#[track_caller]
fn check(events: Vec<Event>, expected: &[Value]) {
    let scene = Scene::new();
    let mut log: Log = scene.create();
    for event in events {
        log.append(log.head(), event).expect("appended");
    }
    let session = scene.read().expect("a session");
    let path = session.path_to(session.head().expect("a leaf"));
    assert_eq!(contents(&path), expected);
}

#[test]
fn results_follow_their_calls_in_one_turn_and_in_order() {
    let done = response(json!({"role": "model", "parts": [{"text": "done"}]}));
    let events = vec![
        task("go"),
        response(calls()),
        call("1"),
        call("2"),
        result("2", json!("second")),
        result("1", json!({"output": "first"})),
        done,
    ];
    let first = json!({"output": "first"});
    let second = json!({"output": "second"});
    let expected = [
        user("go"),
        calls(),
        answers(&first, &second),
        json!({"role": "model", "parts": [{"text": "done"}]}),
    ];
    check(events, &expected);
}

#[test]
fn a_call_that_never_ended_has_an_answer_all_the_same() {
    let events = vec![
        task("go"),
        response(calls()),
        call("1"),
        result("1", json!({"output": 1})),
        task("again"),
    ];
    let missing = json!({"error": "the run ended before the call did"});
    let expected = [
        user("go"),
        calls(),
        answers(&json!({"output": 1}), &missing),
        user("again"),
    ];
    check(events, &expected);
    let expected = [user("go"), calls(), answers(&missing, &missing)];
    check(vec![task("go"), response(calls())], &expected);
}

#[test]
fn a_result_finds_its_call_by_the_names_of_the_provider() {
    // Neither call was logged, since neither ran.
    let events = vec![
        task("go"),
        response(calls()),
        result("call-1", json!({"error": "second"})),
        result("x", json!({"error": "first"})),
    ];
    let first = json!({"error": "first"});
    let second = json!({"error": "second"});
    // The one without a name takes the first place that waits, unless it is another's.
    check(events, &[user("go"), calls(), answers(&first, &second)]);
}

#[test]
fn an_answer_without_parts_is_left_out() {
    let blocked = json!({"role": "model"});
    let events = vec![
        task("go"),
        response(blocked),
        response(Value::Null),
        task("more"),
    ];
    check(events, &[user("go"), user("more")]);
}

#[test]
fn expired_results_and_old_turns_are_replaced() {
    let id = |number: u64| -> Id { number.to_string().parse().expect("a number") };
    let mut events = vec![
        task("go"),
        response(calls()),
        call("1"),
        call("2"),
        result("1", json!({"output": 1})),
        result("2", json!({"output": 2})),
        task("more"),
        Event::Expired {
            results: vec![id(6)],
        },
    ];
    let expired = json!({"output": "expired; call the tool again if you need it"});
    let turns = [
        user("go"),
        calls(),
        answers(&json!({"output": 1}), &expired),
        user("more"),
    ];
    check(events.clone(), &turns);
    events.push(Event::Compaction {
        up_to: id(6),
        summary: json!("so far"),
    });
    check(events.clone(), &[user("so far"), user("more")]);
    events.push(Event::Compaction {
        up_to: id(9),
        summary: user("all of it"),
    });
    check(events, &[user("all of it")]);
}

#[test]
fn messages_of_other_providers_become_contents() {
    let message = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "x", "type": "function", "function": {"name": "a", "arguments": "{\"n\": 1}"}},
        {"id": "y", "type": "function", "function": {"name": "b", "arguments": "{broken"}},
    ]});
    let text = json!({"role": "assistant", "content": "done"});
    let events = vec![
        task("go"),
        response(message),
        call("x"),
        result("x", json!({"output": 1})),
        response(text),
    ];
    let expected = [
        user("go"),
        json!({"role": "model", "parts": [
            {"functionCall": {"id": "x", "name": "a", "args": {"n": 1}}},
            {"functionCall": {"id": "y", "name": "b", "args": {}}},
        ]}),
        json!({"role": "user", "parts": [
            {"functionResponse": {"id": "x", "name": "a", "response": {"output": 1}}},
            {"functionResponse": {"id": "y", "name": "b", "response": {"error": "the run ended before the call did"}}},
        ]}),
        json!({"role": "model", "parts": [{"text": "done"}]}),
    ];
    check(events, &expected);
}
