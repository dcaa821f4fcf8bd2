//! Requests and responses recorded from the real API: the fake accepts those, and its own
//! responses have the same fields.

use std::collections::BTreeSet;

use cogtools_test_support::{FakeGemini, Model, Options, Turn, conformance};
use serde_json::{Value, json};

use super::client::{Client, SIGNING, hi, request};

const WIRE: &str = "gemini/gemini_wire.jsonl";

/// Why a recorded request is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exception {
    /// Its model does not exist, and the real API refused it as well.
    NoModel,
    /// It leaves a call unanswered, which an old model ignored; newer ones refuse it.
    NoResponse,
}

const EXCEPTIONS: [(&str, Exception); 3] = [
    ("w-15", Exception::NoResponse),
    ("w-17", Exception::NoResponse),
    ("w-31", Exception::NoModel),
];

/// The recorded responses of a row.
fn chunks(row: &Value) -> Vec<Value> {
    let chunks = row["response"]["chunks"].as_array();
    chunks.cloned().unwrap_or_default()
}

#[test]
fn recorded_requests_are_accepted() {
    let Some(rows) = conformance::recorded(WIRE, "the fake Gemini API") else {
        return;
    };
    let models = ["gemini-2.0-flash", "gemini-2.0-flash-thinking-exp"];
    let mut refused = Vec::new();
    for row in &rows {
        let options = models.iter().fold(Options::default(), |options, model| {
            options.model(Model::new(*model))
        });
        let target = row["request"]["url"].as_str().expect("an address");
        let turns = (!target.ends_with(":countTokens")).then(|| Turn::raw(chunks(row)));
        let fake = FakeGemini::with(options, turns);
        let response = Client::new(&fake).post(target, &row["request"]["body"]);
        let complaints = fake.complaints();
        let is_finished = fake.try_finish().is_ok();
        let exception = EXCEPTIONS.iter().find(|(id, _)| row["id"] == *id);
        let found = match (response.status, complaints.is_empty()) {
            (200, true) if is_finished => None,
            (404, true) => Some(Exception::NoModel),
            (400, false) => Some(Exception::NoResponse),
            _ => panic!("{}: {response:?}", row["id"]),
        };
        if found != exception.map(|(_, exception)| *exception) {
            refused.push((row["id"].clone(), complaints));
        }
    }
    assert_eq!(refused, [], "of {} requests", rows.len());
    assert_eq!(rows.len(), 67);
}

/// The paths of all fields in a value, without what a function takes and returns.
fn fields(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let at = format!("{at}/{name}");
        if name != "args" && name != "response" {
            fields(value, &at, found);
        }
        found.insert(at);
    }
    for value in value.as_array().into_iter().flatten() {
        fields(value, at, found);
    }
}

/// The paths of all fields in each response.
fn each<'v>(responses: impl IntoIterator<Item = &'v Value>) -> Vec<BTreeSet<String>> {
    let one = |response| {
        let mut found = BTreeSet::new();
        fields(response, "", &mut found);
        found
    };
    responses.into_iter().map(one).collect()
}

/// Asserts that the played responses have all fields that each recorded one has, and
/// none that no recorded one has.
#[track_caller]
fn assert_same_shape(recorded: &[BTreeSet<String>], played: &[BTreeSet<String>]) {
    let newer = ["/candidates/content/parts/functionCall/id".to_owned()];
    let all: BTreeSet<String> = recorded.iter().flatten().chain(&newer).cloned().collect();
    let common = recorded.iter().cloned().reduce(|one, other| &one & &other);
    let common = common.expect("a recorded response");
    assert!(common.len() > 3, "{common:?}");
    for played in played {
        let (more, fewer) = (played - &all, &common - played);
        assert_eq!((more, fewer), (BTreeSet::new(), BTreeSet::new()));
    }
}

/// The fake's text in every kind of answer.
fn played() -> Vec<Value> {
    let turns = || {
        [
            Turn::text("a").thinking("hm"),
            Turn::calls([("f", json!({})), ("f", json!({ "a": 1 }))]),
            Turn::texts(["a", "b"]).signed_apart(),
            Turn::empty("MAX_TOKENS"),
        ]
    };
    let fake = FakeGemini::start(turns().into_iter().chain(turns()));
    let mut client = Client::new(&fake);
    let body = request(&json!([hi()]));
    let stream = SIGNING.replace("generateContent", "streamGenerateContent");
    let mut played: Vec<Value> = turns().map(|_| client.post(SIGNING, &body).json()).into();
    for _ in turns() {
        let list = client.post(&stream, &body).json();
        played.extend(list.as_array().cloned().unwrap_or_default());
    }
    fake.finish();
    played
}

#[test]
fn responses_have_the_fields_of_recorded_ones() {
    let Some(rows) = conformance::recorded(WIRE, "the fake Gemini API") else {
        return;
    };
    let recorded: Vec<Value> = rows.iter().flat_map(chunks).collect();
    let of_kind = |key: &str| each(recorded.iter().filter(|chunk| !chunk[key].is_null()));
    assert_same_shape(&of_kind("candidates"), &each(&played()));
}

#[test]
fn errors_are_the_recorded_ones() {
    let Some(rows) = conformance::recorded("agents/gemini_errors.jsonl", "the fake Gemini API")
    else {
        return;
    };
    let call = json!({ "role": "model", "parts": [{
        "functionCall": { "name": "f", "args": {} }, "thoughtSignature": "AAAA",
    }] });
    let response = json!({ "functionResponse": { "name": "f", "response": {} } });
    let answer = json!({ "role": "user", "parts": [response] });
    let model = "/v1beta/models/{model}:generateContent";
    for row in &rows {
        let key = "x-goog-api-key: right\r\n";
        let hello = request(&json!([hi()]));
        let (target, key, body) = match row["situation"].as_str().unwrap_or_default() {
            "bad api key" => (SIGNING, "x-goog-api-key: other\r\n", hello),
            "no api key" => (SIGNING, "", hello),
            "unknown model" => (model, key, hello),
            "signature present but not one this server issued" => {
                (SIGNING, key, request(&json!([hi(), call, answer])))
            }
            "model functionCall turn not after user/functionResponse turn" => {
                let mut foreign = call.clone();
                foreign["parts"][0]["thoughtSignature"] = json!("skip_thought_signature_validator");
                (SIGNING, key, request(&json!([foreign, answer])))
            }
            "cache below the model minimum" => {
                let cache = json!({ "model": "models/gemini-2.5-flash", "contents": [hi()] });
                ("/v1beta/cachedContents", key, cache)
            }
            "overloaded" => (SIGNING, key, hello),
            other => panic!("{other}"),
        };
        let fake = FakeGemini::with(Options::default().key("right"), [Turn::error(503)]);
        let body = body.to_string();
        let rest = format!("{key}Content-Length: {}\r\n\r\n{body}", body.len());
        let response = Client::new(&fake).send(&format!("POST {target}"), &rest);
        drop(fake.try_finish());
        let mut found = response.json();
        // What follows in parentheses is the fake's own, for the test's author.
        let message = found["error"]["message"].as_str().unwrap_or_default();
        let message = message.split(" (contents[").next().unwrap_or_default();
        let message = message.replace("=1,", "={n},").replace("2048", "{min}");
        found["error"]["message"] = message.into();
        assert_eq!(response.status, row["expected"]["http_status"], "{row}");
        assert_eq!(found, row["expected"]["body"], "{row}");
    }
    assert_eq!(rows.len(), 7);
}
