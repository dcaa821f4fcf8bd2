//! The official SDK for JavaScript.

use std::time::Duration;

use cogtools_test_support::{
    Conversation, FakeGemini, Options, Outcome, Project, Run, Turn, install, str,
};
use serde_json::json;

use super::{cache, script};
use crate::repository;

const PACKAGE: &str = "@google/genai@3.1.0";

/// Plays `turns` to a case of the SDK.
fn play(case: &str, options: Options, turns: Vec<Turn>) -> (Outcome, Conversation) {
    let place = install::npm(&cache(), "genai-npm-3.1.0", &[PACKAGE]);
    let project = Project::new();
    project
        .link("node_modules", place.join("node_modules"))
        .copy("sdk.mjs", repository().join("tests/genai/sdk.mjs"));
    let count = turns.len().to_string();
    let fake = FakeGemini::with(options, turns);
    let outcome = Run::new(install::node(&cache()).join("node"))
        .project(&project)
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .env("GEMINI_API_KEY", "dummy")
        .args(["sdk.mjs", case, &count])
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
[{"a":1,"b":2},{"a":3,"b":4}]
[{"a":3,"b":7}]
"3, 7 and 10" "STOP"
"You are welcome."

"#]]);
    assert_eq!(conversation.main().len(), 4);
}

#[test]
fn functions_are_called_by_the_sdk() {
    let (outcome, conversation) = play("automatic", script::strict(), script::automatic());
    outcome.outputs(str![[r#"
"3" 5

"#]]);
    assert_eq!(conversation.main().len(), 3);
}

#[test]
fn mode_is_obeyed() {
    let turns = vec![Turn::call("add", json!({ "a": 1, "b": 2 }))];
    let (outcome, conversation) = play("modes", script::strict(), turns);
    outcome.outputs(str![[r#"
[{"id":"call-1-1","name":"add","args":{"a":1,"b":2}}]

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
["Grüße ","👋","!"]
[{"id":"call-2-1","name":"add","args":{"a":1,"b":2}}]
["It is ","3."]
[null,"a","b"]

"#]]);
}

#[test]
fn caches_are_kept() {
    let (outcome, _) = play("caches", script::strict(), vec![Turn::text("hello")]);
    outcome.outputs(str![[r#"
"cachedContents/cache-1" "models/gemini-3-flash-preview" {"totalTokenCount":2500}
"hello" 2501 2500
true
["cachedContents/cache-1"] "cachedContents/cache-1"
"ApiError" 403 "{\"error\":{\"code\":403,\"message\":\"CachedContent not found (or permission denied)\",\"status\":\"PERMISSION_DENIED\"}}"
"ApiError" 400 "{\"error\":{\"code\":400,\"message\":\"Cached content is too small. total_token_count=2, min_total_token_count=2048\",\"status\":\""

"#]]);
}

#[test]
fn models_are_listed() {
    let (outcome, _) = play("models", script::strict(), vec![]);
    outcome.outputs(str![[r#"
1048576
["models/gemini-flash-latest","models/gemini-flash-lite-latest","models/gemini-pro-latest","models/gemini-3-flash-preview","models/gemini-3-pro-preview","models/gemini-2.5-flash","models/gemini-2.5-flash-lite","models/gemini-2.5-pro"]
3

"#]]);
}

#[test]
fn every_answer_is_understood() {
    let (outcome, _) = play("answers", script::strict(), script::answers());
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
"ApiError" 429 "{\"error\":{\"code\":429,\"message\":\"Resource has been exhausted (e.g. check quota).\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\""
"ApiError" 500 "{\"error\":{\"code\":500,\"message\":\"An internal error has occurred. Please retry or report.\",\"status\":\"INTERNAL\"}}"
"ApiError" 503 "{\"error\":{\"code\":503,\"message\":\"The model is overloaded. Please try again later.\",\"status\":\"UNAVAILABLE\"}}"
"ApiError" 504 "{\"error\":{\"code\":504,\"message\":\"Deadline expired before operation could complete.\",\"status\":\"DEADLINE_EXCEEDED\"}}"
"ApiError" 502 "{\"error\":{\"message\":\"<html><title>502 Bad Gateway</title></html>\",\"code\":502,\"status\":\"Error\"}}"
"ApiError" 500 "{\"error\":{\"message\":\"\",\"code\":500,\"status\":\"Error\"}}"
"TypeError" null "fetch failed"
"ApiError" 404 "{\"error\":{\"code\":404,\"message\":\"models/gemini-0 is not found for API version v1, or is not supported for generateContent"

"#]]);
    let (outcome, _) = play("errors", Options::default().key("other"), vec![]);
    outcome.outputs(str![[r#"
"ApiError" 400 "{\"error\":{\"code\":400,\"message\":\"API key not valid. Please pass a valid API key.\",\"status\":\"INVALID_ARGUMENT\",\"details\":["

"#]]);
}

#[test]
fn broken_streams_are_noticed() {
    let (outcome, _) = play("breaks", script::strict(), script::breaks());
    outcome.outputs(str![[r#"
"ApiError" 503 "got status: UNAVAILABLE. {\"error\":{\"code\":503,\"message\":\"The model is overloaded. Please try again later.\",\"status\":\"UNA"
"TypeError" null "terminated"
"TypeError" null "terminated"

"#]]);
}
