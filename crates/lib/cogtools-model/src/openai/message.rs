//! The message of an assistant, put together from deltas, or whole from a server that does not
//! stream.
//!
//! Every field is kept, known or not: servers want signatures and thoughts back as they sent them.

use std::mem;

use serde_json::{Map, Value, json};

use crate::wire::Decoder;
use crate::{Chunk, ModelError, Part};

/// The part of a response that has arrived.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    message: Map<String, Value>,
    has_begun: bool,
    is_refused: bool,
    finish: Option<String>,
}

impl Decoder for Assembler {
    /// Takes the next object of the stream, or the whole answer. Calls are kept until the end.
    fn push(&mut self, object: Value) -> Result<Option<Chunk>, ModelError> {
        if object.get("choices").is_none() && object.get("usage").is_none() {
            let reason = "it has no `choices`".to_owned();
            return Err(ModelError::InvalidResponse(reason));
        }
        let choice = &object["choices"][0];
        let message = choice["delta"].as_object();
        let message = message.or(choice["message"].as_object());
        let mut parts = Vec::new();
        if let Some(message) = message {
            parts = self.parts(message);
            merge(&mut self.message, message);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = Some(reason.to_owned());
        }
        let mut chunk = Map::new();
        if !parts.is_empty() {
            let content = json!({"role": "model", "parts": parts});
            chunk.insert("candidates".to_owned(), json!([{"content": content}]));
        }
        if object["usage"].is_object() {
            let usage = usage_metadata(&object["usage"]);
            chunk.insert("usageMetadata".to_owned(), usage);
        }
        if !mem::replace(&mut self.has_begun, true) {
            for (key, name) in [("modelVersion", "model"), ("responseId", "id")] {
                if object[name].is_string() {
                    chunk.insert(key.to_owned(), object[name].clone());
                }
            }
        }
        Ok((!chunk.is_empty()).then(|| Chunk::from_wire(Value::Object(chunk))))
    }

    /// The end: the calls, which are whole now, the message, and the reason. A stream that ends
    /// without a reason was cut, unless `is_done` says that the server was.
    fn finish(&mut self, is_done: bool) -> Option<Chunk> {
        let reason = match self.finish.as_deref() {
            None if !is_done => return None,
            // OpenRouter, DeepSeek, GLM and SGLang say so when a response broke off.
            Some("error" | "insufficient_system_resource" | "network_error" | "abort") => {
                return None;
            }
            _ if self.is_refused => "refusal",
            None | Some("stop" | "tool_calls" | "function_call" | "eos") => "STOP",
            Some("length" | "max_tokens") => "MAX_TOKENS",
            Some("content_filter") => "SAFETY",
            Some(other) => other,
        };
        let mut candidate = json!({"finishReason": reason});
        let mut message = mem::take(&mut self.message);
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        let calls: Vec<Part> = calls.into_iter().flatten().map(take_call).collect();
        if !message.is_empty() {
            candidate["content"] = json!({"role": "model", "parts": calls, "message": message});
        }
        Some(Chunk::from_wire(json!({"candidates": [candidate]})))
    }

    fn has_finished(&self) -> bool {
        self.finish.is_some()
    }
}

impl Assembler {
    /// The texts of a delta or a message.
    fn parts(&mut self, message: &Map<String, Value>) -> Vec<Value> {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        // The same thought under two names, by servers that serve both kinds of clients.
        let thought = [text("reasoning_content"), text("reasoning")];
        let thought = thought.into_iter().find(|thought| !thought.is_empty());
        let thought = thought.map(|thought| json!({"text": thought, "thought": true}));
        self.is_refused |= !text("refusal").is_empty();
        let content = match message.get("content") {
            // Some of them are text.
            Some(Value::Array(parts)) => parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect(),
            _ => text("content").to_owned(),
        };
        let texts = [content.as_str(), text("refusal")].into_iter();
        let texts = texts.filter(|text| !text.is_empty());
        let texts = texts.map(|text| json!({ "text": text }));
        thought.into_iter().chain(texts).collect()
    }
}

/// Fields that deltas repeat; texts of other names go on.
const REPEATED: [&str; 8] = [
    "role",
    "id",
    "type",
    "name",
    "format",
    "signature",
    "model",
    "thought_signature",
];

/// Adds a delta to a message.
fn merge(whole: &mut Map<String, Value>, delta: &Map<String, Value>) {
    for (key, value) in delta.iter().filter(|(_, value)| !value.is_null()) {
        let kept = whole.entry(key.as_str()).or_insert_with(|| match value {
            Value::Array(_) => json!([]),
            Value::Object(_) => json!({}),
            Value::String(_) => json!(""),
            _ => Value::Null,
        });
        match (kept, value) {
            (Value::String(kept), Value::String(text)) => {
                if !REPEATED.contains(&key.as_str()) {
                    kept.push_str(text);
                } else if !text.is_empty() {
                    kept.clone_from(text);
                }
            }
            (Value::Object(kept), Value::Object(fields)) => merge(kept, fields),
            (Value::Array(kept), Value::Array(items)) => {
                for item in items {
                    merge_item(kept, item);
                }
            }
            // A server may send thoughts as parts, and the answer as text.
            (Value::Array(kept), Value::String(text)) => {
                kept.push(json!({"type": "text", "text": text}));
            }
            (kept, value) => *kept = value.clone(),
        }
    }
}

/// Adds an item to a list, or to the item of which it is the continuation. Some servers send whole
/// calls, all with the same index or with none.
fn merge_item(items: &mut Vec<Value>, item: &Value) {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let (id, kind) = (text(item, "id"), text(item, "type"));
    let is_same = |one: &&mut Value| {
        let (one_id, one_kind) = (text(one, "id"), text(one, "type"));
        if !kind.is_empty() && !one_kind.is_empty() && kind != one_kind {
            return false;
        }
        match &item["index"] {
            // A server may give the same identifier to all calls.
            index if !id.is_empty() && !one_id.is_empty() => {
                id == one_id
                    && (index.is_null() || one["index"].is_null() || one["index"] == *index)
            }
            Value::Null => {
                item["function"].is_object() && text(&item["function"], "name").is_empty()
            }
            index => one["index"] == *index,
        }
    };
    let same = items.iter_mut().rev().find(is_same);
    if let (Some(Value::Object(one)), Value::Object(fields)) = (same, item) {
        merge(one, fields);
        return;
    }
    let mut whole = item.clone();
    if let Value::Object(fields) = &mut whole {
        fields.retain(|_, value| !value.is_null());
    }
    items.push(whole);
}

/// Makes the part of a call. Arguments that are not JSON stay text: the caller reports them to the
/// model. The index, which only deltas have, goes.
fn take_call(call: &mut Value) -> Part {
    if let Value::Object(fields) = call {
        fields.shift_remove("index");
    }
    let id = call["id"].as_str().filter(|id| !id.is_empty());
    let function = &call["function"];
    let args = match &function["arguments"] {
        Value::Null => json!({}),
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        whole => whole.clone(),
    };
    Part::call_of(id, function["name"].as_str().unwrap_or_default(), args)
}

fn usage_metadata(usage: &Value) -> Value {
    let prompt = usage["prompt_tokens"].as_u64().unwrap_or(0);
    let completion = usage["completion_tokens"].as_u64().unwrap_or(0);
    let thoughts = &usage["completion_tokens_details"]["reasoning_tokens"];
    let thoughts = thoughts.as_u64().unwrap_or(0);
    let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
    let cached = cached.or_else(|| usage["prompt_cache_hit_tokens"].as_u64());
    json!({
        "promptTokenCount": prompt,
        "cachedContentTokenCount": cached.unwrap_or(0),
        "candidatesTokenCount": completion.saturating_sub(thoughts),
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": usage["total_tokens"].as_u64().unwrap_or(prompt + completion),
    })
}
