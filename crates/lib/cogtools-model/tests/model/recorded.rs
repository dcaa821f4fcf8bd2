//! Responses that were recorded elsewhere.

use cogtools_model::{Chunk, Finish, Response};
use cogtools_test_support::conformance;
use serde_json::{Value, json};

use crate::response::{response, usage};

/// The signatures by chunk and part, with the kind of the part.
fn signatures(chunks: &[Value]) -> Value {
    let mut response = Response::default();
    let mut found = Vec::new();
    for (number, chunk) in chunks.iter().enumerate() {
        let count = response.push(Chunk::from_wire(chunk.clone()));
        let parts = response.parts();
        for (position, part) in parts[parts.len() - count..].iter().enumerate() {
            if part.signature().is_some() {
                let kind = if part.call().is_some() {
                    "functionCall"
                } else {
                    "text"
                };
                found.push(json!({"chunk": number, "part": position, "kind": kind}));
            }
        }
    }
    Value::Array(found)
}

fn calls(response: &Response) -> Value {
    let calls = response.calls().into_iter();
    calls
        .map(|call| {
            let mut fields = json!({"name": call.name});
            if let Some(id) = call.id {
                fields["id"] = id.into();
            }
            if let Some(args) = call.args {
                fields["args"] = args.clone();
            }
            fields
        })
        .collect()
}

#[test]
fn recorded_streams() {
    let file = "gemini/gemini_streams.jsonl";
    let Some(rows) = conformance::recorded(file, "recorded_streams") else {
        return;
    };
    for row in rows {
        let chunks = row["input"].as_array().expect("chunks");
        let expected = row.get("expected_later").unwrap_or(&row["expected"]);
        let response = response(chunks);
        let found = json!({
            "text": response.text(),
            "thoughts": response.thoughts(),
            "functionCalls": calls(&response),
            "signatures": signatures(chunks),
            "finishReason": response.finish.as_ref().map(Finish::as_str),
            "usage": &expected["usage"],
        });
        assert_eq!(&found, expected, "{}", row["id"]);
        assert_eq!(response.usage, usage(&expected["usage"]), "{}", row["id"]);
    }
}

#[test]
fn recorded_responses() {
    let file = "gemini/gemini_wire.jsonl";
    let Some(rows) = conformance::recorded(file, "recorded_responses") else {
        return;
    };
    for row in rows {
        // One response was not recorded.
        let Some(chunks) = row["response"]["chunks"].as_array() else {
            continue;
        };
        if chunks
            .iter()
            .any(|chunk| chunk["error"].is_object() || chunk["totalTokens"].is_u64())
        {
            continue;
        }
        let response = response(chunks);
        let parts = chunks
            .iter()
            .filter_map(|chunk| chunk["candidates"][0]["content"]["parts"].as_array())
            .flatten();
        let last = |key: &str| {
            let mut values = chunks
                .iter()
                .filter_map(|chunk| chunk["candidates"][0][key].as_str());
            values.next_back()
        };
        let id = &row["id"];
        // Everything that was received is kept, and in its order.
        assert_eq!(
            json!(response.parts()),
            parts.cloned().collect::<Value>(),
            "{id}"
        );
        assert_eq!(
            response.finish.as_ref().map(Finish::as_str),
            last("finishReason"),
            "{id}"
        );
        assert_eq!(
            response.finish_message.as_deref(),
            last("finishMessage"),
            "{id}"
        );
        let end = chunks.last().expect("a chunk");
        assert_eq!(response.usage, usage(&end["usageMetadata"]), "{id}");
        assert_eq!(
            response.model_version.as_deref(),
            end["modelVersion"].as_str(),
            "{id}"
        );
        assert_eq!(response.id.as_deref(), end["responseId"].as_str(), "{id}");
    }
}

#[test]
fn recorded_stored_streams() {
    let file = "agents/003_stream.jsonl";
    let Some(rows) = conformance::recorded(file, "recorded_stored_streams") else {
        return;
    };
    for row in rows {
        let id = &row["id"];
        let expected = row.get("expected_later").unwrap_or(&row["expected"]);
        let response = response(row["input"].as_array().expect("chunks"));
        let unified = expected["unified"].as_array().expect("events");
        let texts: String = unified
            .iter()
            .filter_map(|event| event["content"].as_str())
            .collect();
        assert_eq!(
            format!("{}{}", response.thoughts(), response.text()),
            texts,
            "{id}"
        );
        let persisted = &expected["persisted"];
        let finish = persisted["candidates"][0]["finish_reason"].as_str();
        assert_eq!(response.finish.as_ref().map(Finish::as_str), finish, "{id}");
        let prompt = persisted["usage_metadata"]["prompt_token_count"].as_u64();
        assert_eq!(response.usage.prompt, prompt.unwrap_or(0), "{id}");
    }
}
