//! The script: what is played, what is recorded, and when it is not what was written.

use cogtools_test_support::{FakeGemini, Kind, Options, Turn, Unfinished, Usage};
use serde_json::{Value, json};

use super::client::{Client, GENERATE, STREAM, answer, hi, request, said};

#[test]
fn script_is_played_on_one_connection() {
    let fake = FakeGemini::start([
        Turn::call("f", json!({ "a": 1 })),
        Turn::text("größer"),
        Turn::error(503),
    ]);
    let mut client = Client::new(&fake);
    let mut contents = vec![hi()];
    let first = client.post(GENERATE, &request(&json!(contents)));
    assert_eq!(first.status, 200);
    let expected = json!({
        "candidates": [{
            "content": {
                "role": "model",
                "parts": [{ "functionCall": { "id": "call-1-1", "name": "f", "args": { "a": 1 } } }],
            },
            "index": 0,
            "finishReason": "STOP",
            "finishMessage": "Model generated function call(s).",
        }],
        "usageMetadata": {
            "promptTokenCount": 16,
            "totalTokenCount": 27,
            "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": 16 }],
            "candidatesTokenCount": 11,
        },
        "modelVersion": "gemini-2.5-flash",
        "responseId": "response-1",
    });
    assert_eq!(first.json(), expected);

    contents.push(said("model", &first.parts()[0]));
    contents.push(said("user", &answer("call-1-1", "f")));
    let text = request(&json!(contents)).to_string();
    let (head, tail) = text.split_at(20);
    let chunks = format!("14\r\n{head}\r\n{:x}\r\n{tail}\r\n0\r\n\r\n", tail.len());
    let chunked = format!("X-Goog-Api-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
    let second = client.send(&format!("POST {STREAM}"), &chunked);
    assert_eq!(second.kind, "text/event-stream");
    let events = second.events("\r\n\r\n");
    let part = &events[0]["candidates"][0]["content"]["parts"];
    assert_eq!(*part, json!([{ "text": "größer" }]));

    let third = client.post(GENERATE, &request(&json!(contents)));
    let error = json!({ "error": {
        "code": 503,
        "message": "The model is overloaded. Please try again later.",
        "status": "UNAVAILABLE",
    } });
    assert_eq!((third.status, third.json()), (503, error));

    let conversation = fake.finish();
    let main = conversation.main();
    let statuses: Vec<u16> = main.iter().map(|request| request.status).collect();
    assert_eq!(statuses, [200, 200, 503]);
    let response = answer("call-1-1", "f");
    assert_eq!(main[1].responses(), [&response["functionResponse"]]);
}

#[test]
fn requests_are_recorded_without_their_key() {
    let fake = FakeGemini::start([Turn::text("a")]);
    let mut client = Client::new(&fake);
    client.post(
        &format!("{GENERATE}?key=secret&x=1"),
        &request(&json!([hi()])),
    );
    let recorded = &fake.requests()[0];
    assert_eq!(recorded.method, "POST");
    assert_eq!(recorded.target, format!("{GENERATE}?key=…&x=1"));
    assert_eq!(recorded.header("x-goog-api-key"), Some("…"));
    assert_eq!(recorded.header("host"), Some("x"));
    assert_eq!(recorded.body, request(&json!([hi()])));
    assert_eq!(recorded.declaration("f")["description"], "F");
    fake.finish();
}

#[test]
fn side_requests_do_not_advance_the_script() {
    let fake = FakeGemini::for_host([]);
    let mut client = Client::new(&fake);
    let side = json!({
        "contents": [said("user", &json!({ "text": "who speaks next?" }))],
        "generationConfig": {
            "responseMimeType": "application/json",
            "responseJsonSchema": { "type": "object", "properties": {
                "why": { "type": "string" },
                "next_speaker": { "type": "string", "enum": ["model", "user"] },
                "confidence": { "type": "number" },
            } },
        },
    });
    let parts = client.post(GENERATE, &side).parts();
    let text = json!({ "why": "", "next_speaker": "user", "confidence": 0 }).to_string();
    assert_eq!(parts, json!([{ "text": text }]));
    let count = "/v1beta/models/gemini-2.5-flash:countTokens";
    let counted = client.post(count, &json!({ "contents": [hi()] }));
    let details = json!([{ "modality": "TEXT", "tokenCount": 1 }]);
    assert_eq!(
        counted.json(),
        json!({ "totalTokens": 1, "promptTokensDetails": details })
    );
    assert_eq!(client.get("/v1beta/models").status, 200);
    let kinds: Vec<Kind> = fake.finish().requests.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [Kind::Side, Kind::Count, Kind::Models]);
}

#[test]
fn script_must_be_played_to_its_end() {
    let fake = FakeGemini::start([Turn::text("never said")]);
    let Err(Unfinished::Unplayed { requests, turns }) = fake.try_finish() else {
        panic!("the turn was not played")
    };
    assert_eq!((requests, turns.len()), (0, 1));
    assert!(turns[0].contains("never said"), "{turns:?}");
}

#[test]
fn requests_beyond_the_script_are_refused() {
    let fake = FakeGemini::start([]);
    let refused = Client::new(&fake).post(GENERATE, &request(&json!([hi()])));
    let error = json!({ "error": {
        "code": 400, "message": "the script has ended", "status": "INVALID_ARGUMENT",
    } });
    assert_eq!((refused.status, refused.json()), (400, error));
    assert_eq!(fake.try_finish().err(), Some(Unfinished::Beyond(vec![1])));
}

#[test]
fn model_is_at_its_word_unless_it_errs() {
    let undeclared = FakeGemini::start([Turn::call("g", json!({}))]);
    Client::new(&undeclared).post(GENERATE, &request(&json!([hi()])));
    let reason = "request 1: the script calls g, which is not declared".to_owned();
    assert_eq!(
        undeclared.try_finish().err(),
        Some(Unfinished::Impossible(vec![reason]))
    );

    let mistaken = FakeGemini::start([Turn::call("g", json!({})).mistaken()]);
    let response = Client::new(&mistaken).post(GENERATE, &request(&json!([hi()])));
    assert_eq!(response.parts()[0]["functionCall"]["name"], "g");
    mistaken.finish();
}

#[test]
fn work_is_done_before_the_answer() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let fake = FakeGemini::start([Turn::text("a").meanwhile(move || {
        sender.send(()).expect("a receiver");
    })]);
    Client::new(&fake).post(GENERATE, &request(&json!([hi()])));
    assert_eq!(receiver.try_recv(), Ok(()));
    fake.finish();
}

#[test]
fn every_reason_to_stop_is_said() {
    for reason in [
        "STOP",
        "MAX_TOKENS",
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "OTHER",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "NOT_INVENTED_YET",
    ] {
        let fake = FakeGemini::start([Turn::text("a").finish(reason), Turn::empty(reason)]);
        let mut client = Client::new(&fake);
        let with_text = client.post(GENERATE, &request(&json!([hi()]))).json();
        let parts = json!({ "role": "model", "parts": [{ "text": "a" }] });
        let expected = json!([{ "content": parts, "index": 0, "finishReason": reason }]);
        assert_eq!(with_text["candidates"], expected);
        let without = client.post(GENERATE, &request(&json!([hi()]))).json();
        let role = json!({ "role": "model" });
        let expected = json!([{ "content": role, "index": 0, "finishReason": reason }]);
        assert_eq!(without["candidates"], expected);
        fake.finish();
    }
}

#[test]
fn blocked_prompt_has_no_candidates() {
    let fake = FakeGemini::start([Turn::blocked("SAFETY"), Turn::raw([json!({ "x": 1 })])]);
    let mut client = Client::new(&fake);
    let blocked = client.post(GENERATE, &request(&json!([hi()]))).json();
    assert_eq!(
        blocked["promptFeedback"],
        json!({ "blockReason": "SAFETY" })
    );
    assert_eq!(blocked["candidates"], Value::Null);
    assert_eq!(blocked["usageMetadata"]["promptTokenCount"], 16);
    let raw = client.post(GENERATE, &request(&json!([hi()]))).json();
    assert_eq!(raw, json!({ "x": 1 }));
    fake.finish();
}

#[test]
fn beginnings_that_repeat_are_cached_on_demand() {
    let long = said("user", &json!({ "text": "x".repeat(9_000) }));
    let fake = FakeGemini::with(
        Options::default().cache_prefixes(),
        [Turn::text("a"), Turn::text("b"), Turn::text("c")],
    );
    let mut client = Client::new(&fake);
    client.post(GENERATE, &json!({ "contents": [long] }));
    let a = said("model", &json!({ "text": "a" }));
    client.post(GENERATE, &json!({ "contents": [long, a, hi()] }));
    client.post(GENERATE, &json!({ "contents": [hi(), long] }));
    let conversation = fake.finish();
    let cached: Vec<(u64, u64)> = conversation
        .main()
        .iter()
        .map(|request| (request.usage.prompt, request.usage.cached))
        .collect();
    assert_eq!(cached, [(2_250, 0), (2_252, 2_250), (2_251, 0)]);
    let usage = Usage {
        prompt: 6_753,
        cached: 2_250,
        thoughts: 0,
        answer: 3,
    };
    assert_eq!(conversation.usage(), usage);
}
