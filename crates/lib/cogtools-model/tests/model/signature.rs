//! Signatures: they stay on their part, and missing ones of foreign history are filled.

use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use cogtools_model::{Chunk, Content, Response, SENTINEL, fill_missing};
use cogtools_test_support::conformance;
use serde_json::{Value, json};

/// The bytes of a signature in base64, standard or for URLs, padded or not. `None` if it is not
/// base64.
fn decode_signature(signature: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let is_for_urls = signature.contains(['-', '_']);
    let alphabet = if is_for_urls { &URL_SAFE } else { &STANDARD };
    GeneralPurpose::new(alphabet, config).decode(signature).ok()
}

/// `value` with its signatures as bytes, to compare.
fn decoded(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(decoded).collect(),
        Value::Object(fields) => {
            let decode = |(key, value): (&String, &Value)| {
                let is_signature = matches!(key.as_str(), "thoughtSignature" | "thought_signature");
                let bytes = value
                    .as_str()
                    .filter(|_| is_signature)
                    .map(decode_signature);
                let value = bytes.map_or_else(|| decoded(value), |bytes| json!(bytes));
                (key.clone(), value)
            };
            Value::Object(fields.iter().map(decode).collect())
        }
        scalar => scalar.clone(),
    }
}

fn contents(value: &Value) -> Vec<Arc<Content>> {
    let contents = value.as_array().expect("a list").iter().cloned();
    contents
        .map(|content| Arc::new(Content::from_wire(content).expect("a content")))
        .collect()
}

#[test]
fn recorded_filling() {
    let file = "agents/gemini_signature_fill.jsonl";
    let Some(rows) = conformance::recorded(file, "recorded_filling") else {
        return;
    };
    for row in rows {
        assert_eq!(row["sentinel"], SENTINEL);
        let mut filled = contents(&row["input"]);
        fill_missing(&mut filled);
        assert_eq!(json!(filled), row["expected"], "{}", row["id"]);
    }
}

#[test]
fn filling() {
    let user = json!({"role": "user", "parts": [{"text": "a"}]});
    let image =
        json!({"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": ""}}]});
    let result =
        json!({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]});
    let call = json!({"role": "model", "parts": [{"functionCall": {"name": "f"}}]});
    let signed = json!({"role": "model", "parts": [
        {"functionCall": {"name": "f"}, "thoughtSignature": SENTINEL},
    ]});
    let empty = json!({"role": "model", "parts": [
        {"functionCall": {"name": "f"}, "thoughtSignature": ""},
    ]});
    let cases = [
        (json!([]), json!([])),
        (json!([call]), json!([call])),
        (json!([user, empty]), json!([user, signed])),
        (
            json!([user, call, result, call]),
            json!([user, signed, result, signed]),
        ),
        (
            json!([user, call, result, user]),
            json!([user, call, result, user]),
        ),
        (
            json!([user, call, image, call]),
            json!([user, call, image, signed]),
        ),
    ];
    for (given, expected) in cases {
        let mut filled = contents(&given);
        fill_missing(&mut filled);
        assert_eq!(json!(filled), expected, "{given}");
    }
}

/// A row in which ours keeps what the original loses.
struct Better {
    id: &'static str,
    expected: fn() -> Value,
    /// Behaviour of the original.
    #[allow(dead_code, reason = "for the reader")]
    reason: &'static str,
}

const BETTER: &[Better] = &[Better {
    id: "sg-17",
    expected: || json!({"role": "model", "parts": [{"text": "a", "futureField": 1}]}),
    reason: "it loses the whole content because of an unknown field",
}];

/// The content of a response that was stored.
fn restored(text: &str) -> Value {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return Value::Null;
    };
    let mut response = Response::default();
    response.push(Chunk::from_wire(value));
    json!(response.content)
}

#[test]
fn recorded_contents() {
    let file = "agents/003_signature.jsonl";
    let Some(rows) = conformance::recorded(file, "recorded_contents") else {
        return;
    };
    for row in rows {
        let found = restored(row["input"].as_str().expect("text"));
        let better = BETTER.iter().find(|better| row["id"] == better.id);
        let expected = match better {
            Some(better) => (better.expected)(),
            None => row
                .get("expected_later")
                .unwrap_or(&row["expected"])
                .clone(),
        };
        assert_eq!(decoded(&found), decoded(&expected), "{}", row["id"]);
    }
}

#[test]
fn alphabets_and_padding() {
    let same = [
        ["+//+", "-__-"],
        ["AAFzaWf/", "AAFzaWf_"],
        ["eno=", "eno"],
        ["", ""],
    ];
    for [one, other] in same {
        assert_eq!(decode_signature(one), decode_signature(other));
        assert!(decode_signature(one).is_some(), "{one}");
    }
    assert_ne!(decode_signature("eno="), decode_signature("enA="));
    for wrong in ["+_", "é", "a b", "="] {
        assert_eq!(decode_signature(wrong), None, "{wrong}");
    }
}

#[test]
fn what_was_received_goes_back_unchanged() {
    for signature in ["+//+", "-__-", "eno=", "eno", "not base64!", ""] {
        let part = json!({"text": "", "thoughtSignature": signature, "x": {"snake_case": 1}});
        let given = json!({"candidates": [{"content": {"parts": [part], "role": "model"}}]});
        let mut response = Response::default();
        response.push(Chunk::from_wire(given.clone()));
        let content = serde_json::to_value(&response.content).unwrap();
        assert_eq!(content["parts"][0]["thoughtSignature"], signature);
        assert_eq!(response.parts()[0].signature(), Some(signature));
    }
}
