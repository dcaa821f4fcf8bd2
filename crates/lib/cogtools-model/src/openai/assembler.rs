//! Puts a response together: from deltas, or from one whole answer.

use serde_json::{Map, Value, json};

use crate::{Chunk, Part};

/// What has arrived of a response.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    calls: Vec<Call>,
    has_begun: bool,
    is_refused: bool,
    finish: Option<String>,
}

/// A call of a tool, whose arguments arrive in pieces.
#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Assembler {
    /// Takes the next object of the stream, or the whole answer. Returns what is new.
    pub(super) fn push(&mut self, object: &Value) -> Option<Chunk> {
        let mut fields = Map::new();
        let choice = object.pointer("/choices/0");
        let message = choice.and_then(|choice| {
            let message = choice.get("delta").or_else(|| choice.get("message"));
            message.filter(|message| message.is_object())
        });
        let parts = message.map_or_else(Vec::new, |message| self.parts(message));
        let reason = choice.and_then(|choice| choice.get("finish_reason"));
        if let Some(reason) = reason.and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
        }
        if !parts.is_empty() {
            let content = json!({"role": "model", "parts": parts});
            fields.insert("candidates".to_owned(), json!([{"content": content}]));
        }
        if let Some(usage) = object.get("usage").filter(|usage| usage.is_object()) {
            fields.insert("usageMetadata".to_owned(), usage_metadata(usage));
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            for (key, name) in [("modelVersion", "model"), ("responseId", "id")] {
                if let Some(value) = object.get(name).filter(|value| value.is_string()) {
                    fields.insert(key.to_owned(), value.clone());
                }
            }
        }
        (!fields.is_empty()).then(|| Chunk::from_wire(Value::Object(fields)))
    }

    /// The end: the calls, which are whole now, and the reason. A stream that ends without a
    /// reason was cut, unless `is_done` says that the server was.
    pub(super) fn finish(self, is_done: bool) -> Option<Chunk> {
        let reason = match self.finish.as_deref() {
            None if !is_done => return None,
            _ if self.is_refused => "SAFETY",
            None | Some("stop" | "tool_calls" | "function_call" | "eos") => "STOP",
            Some("length" | "max_tokens") => "MAX_TOKENS",
            Some("content_filter") => "SAFETY",
            Some(other) => other,
        };
        let mut candidate = json!({"finishReason": reason});
        let calls: Vec<Part> = self.calls.into_iter().map(Call::into_part).collect();
        if !calls.is_empty() {
            candidate["content"] = json!({"role": "model", "parts": calls});
        }
        Some(Chunk::from_wire(json!({"candidates": [candidate]})))
    }

    /// The parts of a delta or a message; calls are kept until the end.
    fn parts(&mut self, message: &Value) -> Vec<Value> {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut parts = Vec::new();
        // The same thought under two names, by servers that serve both kinds of clients.
        let thought = [text("reasoning_content"), text("reasoning")];
        if let Some(thought) = thought.into_iter().find(|thought| !thought.is_empty()) {
            parts.push(json!({"text": thought, "thought": true}));
        }
        let refusal = text("refusal");
        self.is_refused |= !refusal.is_empty();
        for text in [&content(message.get("content")), refusal] {
            if !text.is_empty() {
                parts.push(json!({ "text": text }));
            }
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        for delta in calls.into_iter().flatten() {
            self.push_call(delta);
        }
        parts
    }

    fn push_call(&mut self, delta: &Value) {
        let index = delta.get("index").and_then(Value::as_u64);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let id = text(delta.get("id")).filter(|id| !id.is_empty());
        let name = text(delta.pointer("/function/name")).unwrap_or_default();
        let arguments = match delta.pointer("/function/arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(whole) => whole.to_string(),
        };
        // Some servers send whole calls, all with the same index or with none.
        let is_same = |call: &Call| match (&id, index) {
            (Some(id), _) if call.id.is_some() => call.id.as_ref() == Some(id),
            (_, Some(_)) => call.index == index,
            (_, None) => name.is_empty(),
        };
        match self.calls.iter_mut().rev().find(|call| is_same(call)) {
            Some(call) => {
                call.id = call.id.take().or(id);
                if call.name.is_empty() {
                    call.name = name;
                }
                call.arguments.push_str(&arguments);
            }
            None => self.calls.push(Call {
                index,
                id,
                name,
                arguments,
            }),
        }
    }
}

impl Call {
    /// What is not JSON stays text: the caller reports it to the model.
    fn into_part(self) -> Part {
        let args = match self.arguments.trim() {
            "" => json!({}),
            text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(self.arguments)),
        };
        Part::call_of(self.id.as_deref(), &self.name, args)
    }
}

/// The text of a message: a string, or parts of which some are text.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text")?.as_str())
            .collect(),
        _ => String::new(),
    }
}

fn usage_metadata(usage: &Value) -> Value {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let prompt = count("/prompt_tokens").unwrap_or(0);
    let completion = count("/completion_tokens").unwrap_or(0);
    let thoughts = count("/completion_tokens_details/reasoning_tokens").unwrap_or(0);
    let cached = count("/prompt_tokens_details/cached_tokens")
        .or_else(|| count("/prompt_cache_hit_tokens"))
        .unwrap_or(0);
    json!({
        "promptTokenCount": prompt,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": completion.saturating_sub(thoughts),
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": count("/total_tokens").unwrap_or(prompt + completion),
    })
}
