//! Thought signatures: where a model puts them, and how they must come back.

use cogtools_test_support::{FakeGemini, Options, Turn, Unfinished};
use serde_json::{Value, json};

use super::client::{Client, SIGNING, answer, hi, request, said};

const SENTINEL: &str = "skip_thought_signature_validator";

/// Two parallel calls, and then a text.
fn turns() -> [Turn; 2] {
    let calls = [("f", json!({ "a": 1 })), ("f", json!({ "a": 2 }))];
    [Turn::calls(calls), Turn::text("done")]
}

/// The contents after the first turn, whose parts are `parts`.
fn continued(parts: &Value) -> Value {
    let answers = [answer("call-1-1", "f"), answer("call-1-2", "f")];
    json!([
        hi(),
        { "role": "model", "parts": parts },
        { "role": "user", "parts": answers },
    ])
}

/// The fault when the parts of a first turn come back after `change`.
fn after(change: impl FnOnce(&mut Value)) -> Option<Unfinished> {
    let fake = FakeGemini::start(turns());
    let mut client = Client::new(&fake);
    let mut parts = client.post(SIGNING, &request(&json!([hi()]))).parts();
    change(&mut parts);
    client.post(SIGNING, &request(&continued(&parts)));
    // A refused request leaves its turn unplayed, which is reported later.
    fake.try_finish().err()
}

fn refused(reason: &str) -> Unfinished {
    Unfinished::Refused(vec![reason.to_owned()])
}

#[test]
fn only_the_first_of_parallel_calls_is_signed() {
    let fake = FakeGemini::start(turns());
    let mut client = Client::new(&fake);
    let parts = client.post(SIGNING, &request(&json!([hi()]))).parts();
    assert!(parts[0]["thoughtSignature"].is_string(), "{parts}");
    assert_eq!(parts[1]["thoughtSignature"], Value::Null);
    let text = client.post(SIGNING, &request(&continued(&parts))).parts();
    assert!(text[0]["thoughtSignature"].is_string(), "{text}");
    assert_ne!(text[0]["thoughtSignature"], parts[0]["thoughtSignature"]);
    fake.finish();
}

#[test]
fn each_step_is_signed() {
    let fake = FakeGemini::start([
        Turn::call("f", json!({ "a": 1 })),
        Turn::call("f", json!({ "a": 1 })),
        Turn::text("done"),
    ]);
    let mut client = Client::new(&fake);
    let mut contents = vec![hi()];
    let mut seen = Vec::new();
    for step in 1..=2 {
        let parts = client.post(SIGNING, &request(&json!(contents))).parts();
        seen.push(parts[0]["thoughtSignature"].clone());
        contents.push(said("model", &parts[0]));
        contents.push(said("user", &answer(&format!("call-{step}-1"), "f")));
    }
    assert_ne!(seen[0], seen[1]);
    assert_eq!(client.post(SIGNING, &request(&json!(contents))).status, 200);
    // The second step's signature in the place of the first's is that of an equal part,
    // but one without any is missed.
    let part = contents[1]["parts"][0].as_object_mut().expect("a part");
    part.remove("thoughtSignature");
    assert_eq!(client.post(SIGNING, &request(&json!(contents))).status, 400);
    let missing = "Function call is missing a thought_signature in functionCall parts. \
        (contents[1].parts[0], function call \"f\")";
    assert_eq!(fake.try_finish().err(), Some(refused(missing)));
}

#[test]
fn signature_must_come_back_unchanged() {
    let sign = |parts: &mut Value, index: usize, text: Value| {
        parts[index]["thoughtSignature"] = text;
    };
    assert_eq!(after(|_| {}), None);
    assert_eq!(after(|parts| sign(parts, 0, json!(SENTINEL))), None);
    assert_eq!(
        after(|parts| sign(parts, 0, Value::Null)),
        Some(refused(
            "Function call is missing a thought_signature in functionCall parts. \
             (contents[1].parts[0], function call \"f\")"
        ))
    );
    assert_eq!(
        after(|parts| sign(parts, 0, json!("AAAA"))),
        Some(refused(
            "Corrupted thought signature. (contents[1].parts[0]: never issued)"
        ))
    );
    assert_eq!(
        after(|parts| sign(parts, 0, json!("?"))),
        Some(refused(
            "Corrupted thought signature. (contents[1].parts[0]: not base64)"
        ))
    );
    assert_eq!(
        after(|parts| parts[0]["functionCall"]["args"]["a"] = json!(3)),
        Some(refused(
            "Corrupted thought signature. (contents[1].parts[0]: issued for another part)"
        ))
    );
    let moved = after(|parts| {
        let signature = parts[0]["thoughtSignature"].take();
        sign(parts, 1, signature);
    });
    let Some(Unfinished::Refused(reasons)) = moved else {
        panic!("{moved:?}")
    };
    assert_eq!(
        reasons,
        [
            "Function call is missing a thought_signature in functionCall parts. \
             (contents[1].parts[0], function call \"f\")",
            "Corrupted thought signature. (contents[1].parts[1]: issued for another part)",
        ]
    );
}

#[test]
fn bytes_are_compared_and_not_their_spelling() {
    let spelled = |change: fn(&str) -> String| {
        after(move |parts| {
            let signature = parts[0]["thoughtSignature"].as_str().expect("a signature");
            let other = change(signature);
            assert_ne!(other, signature);
            parts[0]["thoughtSignature"] = other.into();
        })
    };
    assert_eq!(
        spelled(|text| text.replace('+', "-").replace('/', "_")),
        None
    );
    assert_eq!(
        spelled(|text| text.trim_end_matches('=').replace('+', "-")),
        None
    );
    assert_eq!(
        after(|parts| {
            let signature = parts[0]["thoughtSignature"].take();
            parts[0]["thought_signature"] = signature;
        }),
        None
    );
}

#[test]
fn pieces_of_a_stream_are_one_turn() {
    // As the SDK for JavaScript keeps them: each event is a content.
    let fake = FakeGemini::start(turns().map(|turn| turn.calls_apart().saying("so")));
    let mut client = Client::new(&fake);
    let parts = client.post(SIGNING, &request(&json!([hi()]))).parts();
    let parts = parts.as_array().expect("parts");
    let mut contents: Vec<Value> = parts.iter().map(|part| said("model", part)).collect();
    contents.insert(0, hi());
    let answers = [answer("call-1-1", "f"), answer("call-1-2", "f")];
    contents.push(json!({ "role": "user", "parts": answers }));
    assert_eq!(contents.len(), 5);
    assert_eq!(client.post(SIGNING, &request(&json!(contents))).status, 200);
    fake.finish();
}

/// A stream of text whose parts come back after `change`, with the user's next message.
fn text_after(
    turn: Turn,
    options: Options,
    change: impl FnOnce(&mut Vec<Value>),
) -> Option<Unfinished> {
    let fake = FakeGemini::with(options, [turn, Turn::text("b")]);
    let mut client = Client::new(&fake);
    let target = SIGNING.replace("generateContent", "streamGenerateContent?alt=sse");
    let events = client
        .post(&target, &request(&json!([hi()])))
        .events("\r\n\r\n");
    let parts = events.iter().flat_map(|event| {
        let parts = event["candidates"][0]["content"]["parts"].as_array();
        parts.cloned().unwrap_or_default()
    });
    let mut parts: Vec<Value> = parts.collect();
    change(&mut parts);
    let contents = json!([hi(), { "role": "model", "parts": parts }, hi()]);
    client.post(SIGNING, &request(&contents));
    fake.try_finish().err()
}

#[test]
fn end_of_a_text_is_signed() {
    let all = || Options::default().check_all_turns();
    let text = || Turn::texts(["one ", "two"]);
    assert_eq!(text_after(text(), all(), |_| {}), None);
    let merge = |parts: &mut Vec<Value>| {
        let signature = parts[1]["thoughtSignature"].take();
        *parts = vec![json!({ "text": "one two", "thoughtSignature": signature })];
    };
    assert_eq!(
        text_after(text(), all(), merge),
        Some(refused(
            "Corrupted thought signature. (contents[1].parts[0]: issued for another part)"
        ))
    );
    // Earlier turns are not checked unless the test wants it.
    assert_eq!(text_after(text(), Options::default(), merge), None);
    assert_eq!(
        text_after(text(), all(), |parts| parts[1]["thoughtSignature"] =
            Value::Null),
        Some(refused(
            "Corrupted thought signature. (contents[1].parts[1]: missing)"
        ))
    );
    // Pieces without a signature may be merged.
    let three = Turn::texts(["one ", "two ", "three"]);
    assert_eq!(
        text_after(three, all(), |parts| {
            parts.remove(0);
            parts[0] = json!({ "text": "one two " });
        }),
        None
    );
}

#[test]
fn empty_part_can_carry_the_signature() {
    let all = || Options::default().check_all_turns();
    let text = || Turn::texts(["one"]).signed_apart();
    assert_eq!(
        text_after(text(), all(), |parts| {
            assert_eq!(parts[0], json!({ "text": "one" }));
            assert_eq!(parts[1]["text"], "");
            assert!(parts[1]["thoughtSignature"].is_string());
        }),
        None
    );
    assert_eq!(
        text_after(text(), all(), |parts| {
            let signature = parts.remove(1)["thoughtSignature"].take();
            parts[0]["thoughtSignature"] = signature;
        }),
        Some(refused(
            "Corrupted thought signature. (contents[1].parts[0]: issued for another part)"
        ))
    );
}

#[test]
fn thoughts_are_counted_and_marked() {
    let fake = FakeGemini::start([Turn::text("a").thinking("12345678")]);
    let response = Client::new(&fake).post(SIGNING, &request(&json!([hi()])));
    let parts = response.parts();
    assert_eq!(parts[0], json!({ "text": "12345678", "thought": true }));
    let usage = &response.json()["usageMetadata"];
    assert_eq!(usage["thoughtsTokenCount"], 2);
    assert_eq!(usage["candidatesTokenCount"], 1);
    assert_eq!(usage["totalTokenCount"], 19);
    fake.finish();
}

#[test]
fn signatures_of_another_fake_are_unknown() {
    let other = FakeGemini::start(turns());
    let parts = Client::new(&other)
        .post(SIGNING, &request(&json!([hi()])))
        .parts();
    drop(other.try_finish());
    let foreign = parts[0]["thoughtSignature"].clone();
    assert_eq!(
        after(|parts| parts[0]["thoughtSignature"] = foreign),
        Some(refused(
            "Corrupted thought signature. (contents[1].parts[0]: never issued)"
        ))
    );
}
