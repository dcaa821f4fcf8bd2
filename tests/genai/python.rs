//! The official SDK for Python.

use std::time::Duration;

use cogtools_test_support::{
    Conversation, FakeGemini, Options, Outcome, Project, Run, Turn, install, str,
};
use serde_json::json;

use super::{cache, script};
use crate::repository;

const PACKAGE: &str = "google-genai==3.4.0";

/// Plays `turns` to a case of the SDK.
fn play(case: &str, options: Options, turns: Vec<Turn>) -> (Outcome, Conversation) {
    let python = install::python(&cache(), "genai-python-3.4.0", &[PACKAGE]);
    let project = Project::new();
    let count = turns.len().to_string();
    let fake = FakeGemini::with(options, turns);
    let outcome = Run::new(&python)
        .project(&project)
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .env("GEMINI_API_KEY", "dummy")
        // It warns about what it does not know, but must keep it.
        .env("PYTHONWARNINGS", "ignore")
        .arg(repository().join("tests/genai/sdk.py"))
        .args([case, &count])
        .limit(Duration::from_mins(1))
        .run();
    let finished = fake.try_finish();
    let conversation = finished.unwrap_or_else(|wrong| panic!("{wrong}\n{outcome}"));
    (outcome, conversation)
}

#[test]
fn functions_are_called() {
    let (outcome, conversation) = play("functions", script::strict(), script::functions());
    outcome.outputs(str![[r#"
[{"a": 1, "b": 2}, {"a": 3, "b": 4}]
[{"a": 3, "b": 7}]
"3, 7 and 10" "STOP"
"You are welcome."

"#]]);
    assert_eq!(conversation.main().len(), 4);
}

#[test]
fn functions_are_called_by_the_sdk() {
    let (outcome, conversation) = play("automatic", script::strict(), script::automatic());
    outcome.outputs(str![[r#"
"3" 6

"#]]);
    assert_eq!(conversation.main().len(), 3);
}

#[test]
fn mode_is_obeyed() {
    let turns = vec![Turn::call("add", json!({ "a": 1, "b": 2 }))];
    let (outcome, conversation) = play("modes", script::strict(), turns);
    outcome.outputs(str![[r#"
[{"id": "call-1-1", "args": {"a": 1, "b": 2}, "name": "add"}]

"#]]);
    let config = &conversation.main()[0].body["toolConfig"]["functionCallingConfig"];
    assert_eq!(
        *config,
        json!({ "mode": "ANY", "allowedFunctionNames": ["add"] })
    );
}

#[test]
fn streams_are_read() {
    let (outcome, _) = play("streams", script::strict(), script::streams());
    outcome.outputs(str![[r#"
["Grüße ", "👋", "!"]
[{"a": 1, "b": 2}]
["It is ", "3."]
[null, "a", "b"]

"#]]);
}

#[test]
fn caches_are_kept() {
    let (outcome, _) = play("caches", script::strict(), vec![Turn::text("hello")]);
    outcome.outputs(str![[r#"
"cachedContents/cache-1" "models/gemini-3-flash-preview" 2500
"hello" 2501 2500
true
["cachedContents/cache-1"] "cachedContents/cache-1"
"ClientError" 403 "403 PERMISSION_DENIED. {'error': {'code': 403, 'message': 'CachedContent not found (or permission denied)', 'status': 'P"
"ClientError" 400 "400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': 'Cached content is too small. total_token_count=2, min_total_to"

"#]]);
}

#[test]
fn models_are_listed() {
    let (outcome, _) = play("models", script::strict(), vec![]);
    outcome.outputs(str![[r#"
1048576
["models/gemini-flash-latest", "models/gemini-flash-lite-latest", "models/gemini-pro-latest", "models/gemini-3-flash-preview", "models/gemini-3-pro-preview", "models/gemini-2.5-flash", "models/gemini-2.5-flash-lite", "models/gemini-2.5-pro"]
3

"#]]);
}

#[test]
fn every_answer_is_understood() {
    let (outcome, _) = play("outcomes", script::strict(), script::answers());
    outcome.outputs(str![[r#"
"one" "MAX_TOKENS" null
"two" "NOT_INVENTED_YET" null
null "MALFORMED_FUNCTION_CALL" null
null null "SAFETY"

"#]]);
}

#[test]
fn errors_are_understood() {
    let (outcome, _) = play("errors", script::strict(), script::errors());
    outcome.outputs(str![[r#"
"ClientError" 429 "429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'message': 'Resource has been exhausted (e.g. check quota).', 'status': "
"ServerError" 500 "500 INTERNAL. {'error': {'code': 500, 'message': 'An internal error has occurred. Please retry or report.', 'status': 'I"
"ServerError" 503 "503 UNAVAILABLE. {'error': {'code': 503, 'message': 'The model is overloaded. Please try again later.', 'status': 'UNAVA"
"ServerError" 504 "504 DEADLINE_EXCEEDED. {'error': {'code': 504, 'message': 'Deadline expired before operation could complete.', 'status':"
"ServerError" 502 "502 Error. {'message': '<html><title>502 Bad Gateway</title></html>', 'status': 'Error'}"
"ServerError" 500 "500 Error. {'message': '', 'status': 'Error'}"
"ReadError" null "[Errno 104] Connection reset by peer"
"ClientError" 404 "404 NOT_FOUND. {'error': {'code': 404, 'message': 'models/gemini-0 is not found for API version v1, or is not supported "

"#]]);
    let (outcome, _) = play("errors", Options::default().key("other"), vec![]);
    outcome.outputs(str![[r#"
"ClientError" 400 "400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': 'API key not valid. Please pass a valid API key.', 'status': 'I"

"#]]);
}

#[test]
fn broken_streams_are_noticed() {
    let (outcome, _) = play("breaks", script::strict(), script::breaks());
    outcome.outputs(str![[r#"
"ServerError" 503 "503 UNAVAILABLE. {'error': {'code': 503, 'message': 'The model is overloaded. Please try again later.', 'status': 'UNAVA"
"RemoteProtocolError" null "peer closed connection without sending complete message body (incomplete chunked read)"
"ReadError" null "[Errno 104] Connection reset by peer"

"#]]);
}

#[test]
fn vertex_is_called_with_a_token() {
    let turns = vec![Turn::text("hello"), Turn::texts(["a", "b"])];
    let (outcome, conversation) = play("vertex", script::strict(), turns);
    outcome.outputs(str![[r#"
"hello"
["a", "b"]
3

"#]]);
    let request = &conversation.requests[0];
    assert_eq!(request.header("authorization"), Some("…"));
    assert_eq!(
        request.target,
        "/v1beta1/projects/p/locations/l/publishers/google/models/\
         gemini-3-flash-preview:generateContent"
    );
}
