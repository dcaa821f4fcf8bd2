//! The Messages API of Anthropic.

use serde_json::{Value, json};

use crate::server::Answer;

mod failures;
mod requests;
mod responses;

/// The beginning of a message.
fn begin() -> Value {
    json!({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m-2", "content": [],
        "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 200,
            "cache_creation_input_tokens": 30, "output_tokens": 1, "service_tier": "standard"},
    }})
}

/// A block that arrives in these deltas.
fn block(index: usize, start: &Value, deltas: &[Value]) -> Vec<Value> {
    let start = json!({"type": "content_block_start", "index": index, "content_block": start});
    let deltas = deltas
        .iter()
        .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta}));
    let stop = json!({"type": "content_block_stop", "index": index});
    std::iter::once(start).chain(deltas).chain([stop]).collect()
}

/// A block of text that arrives in two pieces, with a ping between.
fn text(index: usize, one: &str, other: &str) -> Vec<Value> {
    let delta = |text: &str| json!({"type": "text_delta", "text": text});
    let start = json!({"type": "text", "text": ""});
    let mut events = block(index, &start, &[delta(one), delta(other)]);
    events.insert(2, json!({"type": "ping"}));
    events
}

/// The end of a message.
fn end(reason: &str) -> Vec<Value> {
    vec![
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 2}}}),
        json!({"type": "message_stop"}),
    ]
}

/// A stream with these blocks.
fn events(blocks: &[Vec<Value>], reason: &str) -> Vec<Value> {
    let blocks = blocks.iter().flatten().cloned();
    std::iter::once(begin())
        .chain(blocks)
        .chain(end(reason))
        .collect()
}

fn stream(blocks: &[Vec<Value>], reason: &str) -> Answer {
    Answer::named_events(&events(blocks, reason))
}
