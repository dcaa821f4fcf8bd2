//! The message of a model, put together from the events of a stream, or whole from a server that
//! does not stream.

use std::mem;

use serde_json::{Value, json};

use super::Fields;
use crate::wire::Decoder;
use crate::{Chunk, ModelError, Part};

/// The part of a response that has arrived.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    blocks: Vec<Block>,
    usage: Fields,
    /// The reason to stop and its details.
    end: Fields,
    is_done: bool,
}

/// A block of the content.
#[derive(Debug)]
struct Block {
    index: u64,
    fields: Fields,
    /// The arguments of a call, as far as they have arrived.
    input: String,
    is_open: bool,
}

impl Decoder for Assembler {
    /// Takes the next event, or the whole answer. Calls are kept until the end.
    fn push(&mut self, object: Value) -> Result<Option<Chunk>, ModelError> {
        let mut chunk = Fields::new();
        let mut parts = Vec::new();
        match object["type"].as_str() {
            None => return Err(invalid("an event has no `type`")),
            Some("message_start") => self.begin(&object["message"], &mut chunk, &mut parts),
            // Not a stream.
            Some("message") => self.begin(&object, &mut chunk, &mut parts),
            Some("content_block_start") => {
                let Value::Object(fields) = &object["content_block"] else {
                    return Err(invalid("a block is not an object"));
                };
                let index = object["index"].as_u64().unwrap_or(0);
                parts.extend(part(fields));
                self.blocks.push(Block {
                    index,
                    fields: fields.clone(),
                    input: String::new(),
                    is_open: true,
                });
            }
            Some("content_block_delta") => {
                let Value::Object(delta) = &object["delta"] else {
                    return Err(invalid("a delta is not an object"));
                };
                let block = self.open_block(&object)?;
                parts.extend(part(delta));
                block.add(delta);
            }
            Some("content_block_stop") => self.open_block(&object)?.close(),
            Some("message_delta") => {
                self.update(&object["delta"], &object["usage"]);
                chunk.extend(self.usage_metadata());
            }
            Some("message_stop") => self.is_done = true,
            // Later versions have further events.
            Some(_) => {}
        }
        if !parts.is_empty() {
            let content = json!({"role": "model", "parts": parts});
            chunk.insert("candidates".to_owned(), json!([{"content": content}]));
        }
        Ok((!chunk.is_empty()).then(|| Chunk::from_wire(Value::Object(chunk))))
    }

    /// The end: the calls, the message, and the reason. A stream without a reason, or with a
    /// block that has not ended, was cut.
    fn finish(&mut self, _: bool) -> Option<Chunk> {
        let stop = self.end.get("stop_reason")?.as_str()?;
        let is_open = self.blocks.iter().any(|block| block.is_open);
        let reason = match stop {
            _ if is_open => return None,
            "end_turn" | "stop_sequence" | "tool_use" => "STOP",
            "max_tokens" => "MAX_TOKENS",
            other => other,
        };
        let mut candidate = json!({"finishReason": reason});
        let details = self.end.get("stop_details");
        if let Some(text) = details.and_then(|details| details["explanation"].as_str()) {
            candidate["finishMessage"] = text.into();
        }
        let blocks: Vec<Fields> = mem::take(&mut self.blocks)
            .into_iter()
            .map(|block| block.fields)
            .collect();
        if !blocks.is_empty() {
            let calls: Vec<Part> = blocks.iter().filter_map(call).collect();
            let message = json!({"type": "message", "role": "assistant", "content": blocks});
            candidate["content"] = json!({"role": "model", "parts": calls, "message": message});
        }
        Some(Chunk::from_wire(json!({"candidates": [candidate]})))
    }

    fn has_finished(&self) -> bool {
        self.end.get("stop_reason").is_some_and(Value::is_string)
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}

impl Assembler {
    /// Takes the beginning of a message, or all of it.
    fn begin(&mut self, message: &Value, chunk: &mut Fields, parts: &mut Vec<Value>) {
        for (key, name) in [("modelVersion", "model"), ("responseId", "id")] {
            if message[name].is_string() {
                chunk.insert(key.to_owned(), message[name].clone());
            }
        }
        let blocks = message["content"].as_array().into_iter().flatten();
        for fields in blocks.filter_map(Value::as_object) {
            parts.extend(part(fields));
            self.blocks.push(Block {
                index: u64::MAX,
                fields: fields.clone(),
                input: String::new(),
                is_open: false,
            });
        }
        self.update(message, &message["usage"]);
        chunk.extend(self.usage_metadata());
    }

    /// Takes the reason to stop, if there is one, and counts of tokens, which replace earlier ones.
    fn update(&mut self, end: &Value, usage: &Value) {
        for key in ["stop_reason", "stop_details"] {
            if !end[key].is_null() {
                self.end.insert(key.to_owned(), end[key].clone());
            }
        }
        let counts = usage.as_object().into_iter().flatten();
        let counts = counts.filter(|(_, count)| !count.is_null());
        self.usage
            .extend(counts.map(|(key, count)| (key.clone(), count.clone())));
    }

    /// The block that an event continues.
    fn open_block(&mut self, event: &Value) -> Result<&mut Block, ModelError> {
        let index = event["index"].as_u64().unwrap_or(0);
        let mut blocks = self.blocks.iter_mut().rev();
        let block = blocks.find(|block| block.is_open && block.index == index);
        block.ok_or_else(|| invalid("an event continues a block that has not begun"))
    }

    /// The counts of tokens. What is written to a cache and what comes from it is not part of the
    /// count of sent tokens; thoughts are part of the answer.
    fn usage_metadata(&self) -> Option<(String, Value)> {
        let count = |key: &str| self.usage.get(key).and_then(Value::as_u64).unwrap_or(0);
        let cached = count("cache_read_input_tokens");
        let written = count("cache_creation_input_tokens");
        let prompt = count("input_tokens") + cached + written;
        let output = count("output_tokens");
        let details = self.usage.get("output_tokens_details");
        let thoughts = details.and_then(|details| details["thinking_tokens"].as_u64());
        let thoughts = thoughts.unwrap_or(0).min(output);
        let counts = json!({
            "promptTokenCount": prompt,
            "cachedContentTokenCount": cached,
            "cacheWriteTokenCount": written,
            "candidatesTokenCount": output - thoughts,
            "thoughtsTokenCount": thoughts,
            "totalTokenCount": prompt + output,
        });
        (!self.usage.is_empty()).then(|| ("usageMetadata".to_owned(), counts))
    }
}

impl Block {
    /// Adds a delta: texts go on, a citation is one more, and anything else is new. Fields of
    /// kinds of deltas that this version does not know are kept alike.
    fn add(&mut self, delta: &Fields) {
        for (key, value) in delta.iter().filter(|(key, _)| *key != "type") {
            match (key.as_str(), value) {
                ("partial_json", Value::String(text)) => self.input.push_str(text),
                ("citation", citation) => {
                    let citations = self.fields.entry("citations").or_insert(Value::Null);
                    match citations {
                        Value::Array(citations) => citations.push(citation.clone()),
                        other => *other = json!([citation]),
                    }
                }
                (_, Value::String(text)) => {
                    let kept = self.fields.entry(key.as_str()).or_insert(Value::Null);
                    match kept {
                        Value::String(kept) => kept.push_str(text),
                        other => *other = text.as_str().into(),
                    }
                }
                (_, value) => {
                    self.fields.insert(key.clone(), value.clone());
                }
            }
        }
    }

    /// Ends the block. Arguments that are not JSON stay text: the caller reports them to the model.
    fn close(&mut self) {
        self.is_open = false;
        if !self.input.trim().is_empty() {
            let text = mem::take(&mut self.input);
            let input = serde_json::from_str(&text).unwrap_or_else(|_| json!(text));
            self.fields.insert("input".to_owned(), input);
        }
    }
}

/// The text or thought of a block or a delta; `None` of other kinds, and if it is empty.
fn part(fields: &Fields) -> Option<Value> {
    let text = |key: &str| {
        let text = fields.get(key).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    };
    match fields.get("type")?.as_str()? {
        "text" | "text_delta" => Some(json!({"text": text("text")?})),
        "thinking" | "thinking_delta" => Some(json!({"text": text("thinking")?, "thought": true})),
        _ => None,
    }
}

/// The call that a block is.
fn call(fields: &Fields) -> Option<Part> {
    if fields.get("type")? != "tool_use" {
        return None;
    }
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let id = text("id").filter(|id| !id.is_empty());
    let input = fields.get("input").cloned().unwrap_or_else(|| json!({}));
    Some(Part::call_of(id, text("name").unwrap_or_default(), input))
}

fn invalid(reason: &str) -> ModelError {
    ModelError::InvalidResponse(reason.to_owned())
}
