//! The modes of function calling.

use cogtools_test_support::{FakeGemini, Turn, Unfinished};
use serde_json::{Value, json};

use super::client::{Client, GENERATE, hi, request};

fn request_in(mode: &str, allowed: &[&str]) -> Value {
    let mut body = request(&json!([hi()]));
    let mut config = json!({ "mode": mode });
    if !allowed.is_empty() {
        config["allowedFunctionNames"] = json!(allowed);
    }
    body["toolConfig"] = json!({ "functionCallingConfig": config });
    body
}

/// The fault after a request in this mode is answered with `turn`.
fn after(turn: Turn, body: &Value) -> Option<Unfinished> {
    let fake = FakeGemini::start([turn]);
    Client::new(&fake).post(GENERATE, body);
    fake.try_finish().err()
}

#[test]
fn model_obeys() {
    let call = || Turn::call("f", json!({}));
    let text = || Turn::text("a");
    let impossible = |reason: &str| {
        let reason = format!("request 1: the script {reason}");
        Some(Unfinished::Impossible(vec![reason]))
    };
    for (turn, mode, allowed, expected) in [
        (call(), "AUTO", &[][..], None),
        (text(), "AUTO", &[], None),
        (call(), "ANY", &[], None),
        (call(), "ANY", &["f"], None),
        (text(), "ANY", &[], impossible("calls nothing in mode ANY")),
        (call(), "NONE", &[], impossible("calls f in mode NONE")),
        (text(), "NONE", &[], None),
        (call(), "VALIDATED", &["f"], None),
        (text(), "VALIDATED", &["f"], None),
        (call().mistaken(), "NONE", &[], None),
    ] {
        assert_eq!(
            after(turn, &request_in(mode, allowed)),
            expected,
            "{mode} {allowed:?}"
        );
    }
}

#[test]
fn model_calls_only_what_is_allowed() {
    let mut body = request_in("ANY", &["f"]);
    let more = json!({ "functionDeclarations": [{ "name": "g" }] });
    body["tools"].as_array_mut().expect("tools").push(more);
    let reason = "request 1: the script calls g, which is not allowed".to_owned();
    assert_eq!(
        after(Turn::call("g", json!({})), &body),
        Some(Unfinished::Impossible(vec![reason]))
    );
}

#[test]
fn impossible_modes_are_refused() {
    let refused = |body: &Value, reason: &str| {
        let fake = FakeGemini::start([]);
        assert_eq!(Client::new(&fake).post(GENERATE, body).status, 400);
        let expected = Unfinished::Refused(vec![reason.to_owned()]);
        assert_eq!(fake.try_finish().err(), Some(expected));
    };
    refused(
        &request_in("MAYBE", &[]),
        "Invalid value at 'tool_config.function_calling_config.mode': \"MAYBE\"",
    );
    refused(
        &request_in("AUTO", &["f"]),
        "allowed_function_names should only be set when the mode is ANY or VALIDATED.",
    );
    refused(
        &request_in("ANY", &["g"]),
        "allowed_function_names contains g, which is not declared.",
    );
    let mut without_tools = request_in("ANY", &[]);
    without_tools["tools"] = json!([]);
    refused(
        &without_tools,
        "Function calling mode is ANY, but no function declarations are provided.",
    );
}
