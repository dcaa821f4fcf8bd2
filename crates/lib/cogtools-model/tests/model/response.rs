//! Responses, put together from their chunks.

use cogtools_model::{Chunk, Finish, Response, Usage};
use serde_json::{Value, json};

/// A response with these chunks.
pub(crate) fn response(chunks: &[Value]) -> Response {
    let mut response = Response::default();
    for chunk in chunks {
        response.push(Chunk::from_wire(chunk.clone()));
    }
    response
}

/// `usageMetadata` as our counts.
pub(crate) fn usage(metadata: &Value) -> Usage {
    let count = |key: &str| metadata[key].as_u64().unwrap_or(0);
    Usage {
        prompt: count("promptTokenCount"),
        cached: count("cachedContentTokenCount"),
        written: 0,
        output: count("candidatesTokenCount"),
        thoughts: count("thoughtsTokenCount"),
        total: count("totalTokenCount"),
    }
}

/// The original stores one text with the first signature; parts are never merged here.
#[test]
fn signed_texts_stay_apart() {
    let text = |text: &str, signature: &str| {
        json!({"candidates": [{"content": {"role": "model", "parts": [
            {"text": text, "thoughtSignature": signature},
        ]}}]})
    };
    let response = response(&[text("b", "AAFzaWf/"), text("c", "eno="), text("", "+//+")]);
    assert_eq!(
        json!(response.content),
        json!({"role": "model", "parts": [
            {"text": "b", "thoughtSignature": "AAFzaWf/"},
            {"text": "c", "thoughtSignature": "eno="},
            {"text": "", "thoughtSignature": "+//+"},
        ]})
    );
    assert_eq!(response.text(), "bc");
}

#[test]
fn both_cases_of_keys_are_the_same() {
    let camel = json!({
        "candidates": [{
            "content": {"role": "model", "parts": [
                {"functionCall": {"name": "f", "args": {"file_uri": {"mime_type": 1}}}},
                {"functionResponse": {"name": "f", "response": {"finish_reason": 1}}},
                {"inlineData": {"mimeType": "a/b", "data": ""}, "thoughtSignature": "eno="},
                {"fileData": {"fileUri": "u", "mimeType": "a/b"}, "new_field": {"mime_type": 2}},
            ]},
            "finishReason": "STOP",
            "finishMessage": "m",
        }],
        "promptFeedback": {"blockReason": "X"},
        "usageMetadata": {"promptTokenCount": 1, "cachedContentTokenCount": 2,
            "candidatesTokenCount": 3, "thoughtsTokenCount": 4, "totalTokenCount": 5},
        "modelVersion": "v",
        "responseId": "r",
        "new_key": {"finish_reason": 3},
    });
    let snake = json!({
        "candidates": [{
            "content": {"role": "model", "parts": [
                {"function_call": {"name": "f", "args": {"file_uri": {"mime_type": 1}}}},
                {"function_response": {"name": "f", "response": {"finish_reason": 1}}},
                {"inline_data": {"mime_type": "a/b", "data": ""}, "thought_signature": "eno="},
                {"file_data": {"file_uri": "u", "mime_type": "a/b"}, "new_field": {"mime_type": 2}},
            ]},
            "finish_reason": "STOP",
            "finish_message": "m",
        }],
        "prompt_feedback": {"block_reason": "X"},
        "usage_metadata": {"prompt_token_count": 1, "cached_content_token_count": 2,
            "candidates_token_count": 3, "thoughts_token_count": 4, "total_token_count": 5},
        "model_version": "v",
        "response_id": "r",
        "new_key": {"finish_reason": 3},
    });
    assert_eq!(Chunk::from_wire(snake.clone()).as_json(), &camel);
    assert_eq!(Chunk::from_wire(camel.clone()).as_json(), &camel);
    assert_eq!(response(&[snake]), response(&[camel]));
}

#[test]
fn reasons() {
    let cases = [
        ("STOP", Finish::Stop),
        ("MAX_TOKENS", Finish::MaxTokens),
        ("SAFETY", Finish::Refused("SAFETY".to_owned())),
        ("RECITATION", Finish::Refused("RECITATION".to_owned())),
        ("LANGUAGE", Finish::Refused("LANGUAGE".to_owned())),
        ("BLOCKLIST", Finish::Refused("BLOCKLIST".to_owned())),
        (
            "PROHIBITED_CONTENT",
            Finish::Refused("PROHIBITED_CONTENT".to_owned()),
        ),
        ("SPII", Finish::Refused("SPII".to_owned())),
        (
            "MALFORMED_FUNCTION_CALL",
            Finish::MalformedCall("MALFORMED_FUNCTION_CALL".to_owned()),
        ),
        (
            "UNEXPECTED_TOOL_CALL",
            Finish::MalformedCall("UNEXPECTED_TOOL_CALL".to_owned()),
        ),
        (
            "TOO_MANY_TOOL_CALLS",
            Finish::MalformedCall("TOO_MANY_TOOL_CALLS".to_owned()),
        ),
        ("OTHER", Finish::Other("OTHER".to_owned())),
        ("OF_NEXT_YEAR", Finish::Other("OF_NEXT_YEAR".to_owned())),
    ];
    for (name, finish) in cases {
        let response = response(&[json!({"candidates": [{"finishReason": name}]})]);
        assert_eq!(response.finish.as_ref(), Some(&finish));
        assert_eq!(finish.to_string(), name);
        assert!(!response.is_cut() && response.is_empty(), "{name}");
    }
}

#[test]
fn what_is_absent() {
    let cases = [
        json!({}),
        json!({"candidates": []}),
        json!({"candidates": null}),
        json!({"candidates": [{}]}),
        json!({"candidates": [{"content": null}]}),
        json!({"candidates": [{"content": {}}]}),
        json!({"candidates": [{"content": {"role": "model"}}]}),
        json!({"candidates": [{"content": {"role": "model", "parts": []}}]}),
        json!({"candidates": [{"content": {"parts": null}, "finishReason": null}]}),
    ];
    for chunk in cases {
        let response = response(std::slice::from_ref(&chunk));
        let found = (response.parts().len(), response.text(), response.is_empty());
        assert_eq!(found, (0, String::new(), true), "{chunk}");
        assert!(response.is_cut(), "{chunk}");
        assert_eq!(response.usage, Usage::default(), "{chunk}");
    }
}

#[test]
fn content_without_a_role_is_the_model_s() {
    let part = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}}]});
    let response = response(&[part("a"), part("b")]);
    assert_eq!(
        json!(response.content),
        json!({"role": "model", "parts": [{"text": "a"}, {"text": "b"}]})
    );
}

#[test]
fn blocked_prompt() {
    let response = response(&[json!({
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": "no"},
        "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 3},
    })]);
    assert_eq!(response.block_reason.as_deref(), Some("PROHIBITED_CONTENT"));
    assert_eq!(response.finish_message.as_deref(), Some("no"));
    assert_eq!(response.finish, None);
    assert!(!response.is_cut());
    assert_eq!(response.usage.prompt, 3);
}

#[test]
fn other_candidates_are_ignored() {
    let candidate = |index: u32, text: &str| json!({"index": index, "content": {"parts": [{"text": text}]}, "finishReason": "STOP"});
    let response = response(&[
        json!({"candidates": [candidate(1, "no")]}),
        json!({"candidates": [candidate(2, "no"), candidate(0, "yes")]}),
    ]);
    assert_eq!(response.text(), "yes");
}

#[test]
fn counts_add_up() {
    let mut sum = usage(&json!({"promptTokenCount": 1, "totalTokenCount": 2}));
    sum += usage(
        &json!({"promptTokenCount": 10, "cachedContentTokenCount": 5,
        "candidatesTokenCount": 6, "thoughtsTokenCount": 7, "totalTokenCount": 23}),
    );
    let expected = Usage {
        prompt: 11,
        cached: 5,
        written: 0,
        output: 6,
        thoughts: 7,
        total: 25,
    };
    assert_eq!(sum, expected);
}
