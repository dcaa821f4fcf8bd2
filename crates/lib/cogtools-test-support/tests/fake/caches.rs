//! Caches: their life, their size, and what a request that uses one must not have.

use std::time::Duration;

use cogtools_test_support::{Clock, FakeGemini, Model, Options, Turn, Unfinished, Usage};
use serde_json::{Value, json};

use super::client::{Client, GENERATE, Response, hi, request, said};

const CACHES: &str = "/v1beta/cachedContents";

/// A cache of 2,500 tokens of text, and a function `f`.
fn cache() -> Value {
    let mut body = request(&json!([said(
        "user",
        &json!({ "text": "x".repeat(10_000) })
    )]));
    body["model"] = json!("models/gemini-2.5-flash");
    body["ttl"] = json!("900s");
    body
}

fn message(response: &Response) -> (u16, String) {
    let body = response.json();
    let message = body["error"]["message"].as_str().unwrap_or_default();
    (response.status, message.to_owned())
}

fn absent() -> (u16, String) {
    (
        403,
        "CachedContent not found (or permission denied)".to_owned(),
    )
}

#[test]
fn cache_lives_until_it_expires() {
    let clock = Clock::fixed(1_767_225_600);
    let fake = FakeGemini::with(Options::default().clock(&clock), []);
    let mut client = Client::new(&fake);
    let mut expected = json!({
        "name": "cachedContents/cache-1",
        "model": "models/gemini-2.5-flash",
        "createTime": "2026-01-01T00:00:00.000000Z",
        "updateTime": "2026-01-01T00:00:00.000000Z",
        "expireTime": "2026-01-01T00:15:00.000000Z",
        "usageMetadata": { "totalTokenCount": 2_515 },
    });
    assert_eq!(client.post(CACHES, &cache()).json(), expected);
    let one = format!("{CACHES}/cache-1");
    assert_eq!(client.get(&one).json(), expected);
    let list = json!({ "cachedContents": [expected] });
    assert_eq!(client.get(CACHES).json(), list);

    clock.advance(Duration::from_mins(10));
    let ttl = json!({ "ttl": "1200s" });
    expected["updateTime"] = json!("2026-01-01T00:10:00.000000Z");
    expected["expireTime"] = json!("2026-01-01T00:30:00.000000Z");
    assert_eq!(client.request("PATCH", &one, &ttl).json(), expected);
    let time = json!({ "expire_time": "2026-01-01T00:20:00Z" });
    expected["expireTime"] = json!("2026-01-01T00:20:00.000000Z");
    assert_eq!(client.request("PATCH", &one, &time).json(), expected);

    clock.advance(Duration::from_mins(10));
    assert_eq!(message(&client.get(&one)), absent());
    assert_eq!(client.get(CACHES).json(), json!({}));
    assert_eq!(message(&client.request("PATCH", &one, &ttl)), absent());
    let using = json!({ "contents": [hi()], "cachedContent": "cachedContents/cache-1" });
    assert_eq!(message(&client.post(GENERATE, &using)), absent());
    fake.finish();
}

#[test]
fn cache_is_deleted() {
    let fake = FakeGemini::start([]);
    let mut client = Client::new(&fake);
    assert_eq!(client.post(CACHES, &cache()).status, 200);
    let one = format!("{CACHES}/cache-1");
    assert_eq!(client.request("DELETE", &one, &json!({})).json(), json!({}));
    assert_eq!(
        message(&client.request("DELETE", &one, &json!({}))),
        absent()
    );
    fake.finish();
}

#[test]
fn cache_has_a_minimum_size() {
    let model = Model::new("gemini-2.5-flash").min_cache_tokens(2_516);
    let fake = FakeGemini::with(Options::default().model(model), []);
    let mut client = Client::new(&fake);
    let small = "Cached content is too small. total_token_count=2515, min_total_token_count=2516";
    assert_eq!(
        message(&client.post(CACHES, &cache())),
        (400, small.to_owned())
    );
    let mut wrong = cache();
    wrong["ttl"] = json!("soon");
    wrong["contents"][0]["parts"][0]["text"] = json!("x".repeat(20_000));
    let ttl = (400, "Invalid value at 'ttl'".to_owned());
    assert_eq!(message(&client.post(CACHES, &wrong)), ttl);
    wrong["model"] = json!("models/gemini-0");
    assert_eq!(client.post(CACHES, &wrong).status, 404);
    fake.finish();
}

#[test]
fn cache_is_part_of_the_prompt() {
    let fake = FakeGemini::start([Turn::call("f", json!({}))]);
    let mut client = Client::new(&fake);
    let mut body = cache();
    let contents = body["contents"].as_array_mut().expect("contents");
    contents.push(said("model", &json!({ "text": "ok" })));
    client.post(CACHES, &body);
    let using = json!({ "contents": [hi()], "cachedContent": "cachedContents/cache-1" });
    let response = client.post(GENERATE, &using);
    let usage = &response.json()["usageMetadata"];
    assert_eq!(usage["promptTokenCount"], 2_517);
    assert_eq!(usage["cachedContentTokenCount"], 2_516);
    let conversation = fake.finish();
    let expected = Usage {
        prompt: 2_517,
        cached: 2_516,
        thoughts: 0,
        answer: 10,
    };
    assert_eq!(conversation.usage(), expected);
}

#[test]
fn request_must_not_repeat_the_cache() {
    let refused = |target: &str, change: &dyn Fn(&mut Value), reason: &str| {
        let fake = FakeGemini::start([]);
        let mut client = Client::new(&fake);
        client.post(CACHES, &cache());
        let mut using = json!({ "contents": [hi()], "cachedContent": "cachedContents/cache-1" });
        change(&mut using);
        assert_eq!(
            message(&client.post(target, &using)),
            (400, reason.to_owned())
        );
        let expected = Unfinished::Refused(vec![reason.to_owned()]);
        assert_eq!(fake.try_finish().err(), Some(expected));
    };
    let both = "CachedContent can not be used with GenerateContent request setting \
        system_instruction, tools or tool_config.";
    let system = json!({ "parts": [{ "text": "a" }] });
    refused(
        GENERATE,
        &|body| body["system_instruction"] = system.clone(),
        both,
    );
    let tools = json!([{ "functionDeclarations": [{ "name": "g" }] }]);
    refused(GENERATE, &|body| body["tools"] = tools.clone(), both);
    let config = json!({ "functionCallingConfig": { "mode": "AUTO" } });
    refused(GENERATE, &|body| body["toolConfig"] = config.clone(), both);
    refused(
        "/v1beta/models/gemini-2.5-pro:generateContent",
        &|_| {},
        "Model used by GenerateContent request (models/gemini-2.5-pro) and CachedContent \
         (models/gemini-2.5-flash) has to be the same.",
    );
}
