//! What a model has seen, as the `messages` of a request to an OpenAI-compatible server.

use std::collections::VecDeque;

use cogtools_log::result_text;
use serde_json::{Map, Value, json};

/// The messages for `contents` of the Gemini API. A call without a name of its own gets one.
pub(crate) fn messages(contents: &[Value]) -> Vec<Value> {
    let mut converter = Converter::default();
    for content in contents {
        if content.get("role").and_then(Value::as_str) == Some("model") {
            converter.model(content);
        } else {
            converter.user(content);
        }
    }
    converter.messages
}

#[derive(Default)]
struct Converter {
    messages: Vec<Value>,
    /// The names of the calls that wait for results, in their order.
    calls: VecDeque<String>,
    /// How many calls got a name here.
    named: usize,
}

impl Converter {
    fn model(&mut self, content: &Value) {
        self.calls.clear();
        let mut text = String::new();
        let mut calls = Vec::new();
        for part in parts(content) {
            if let Some(call) = part.get("functionCall") {
                calls.push(self.call(call));
            } else if part.get("thought") != Some(&Value::Bool(true)) {
                text.push_str(part.get("text").and_then(Value::as_str).unwrap_or(""));
            }
        }
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        let text = Some(text).filter(|text| !text.is_empty() || calls.is_empty());
        message.insert("content".to_owned(), text.into());
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        self.messages.push(message.into());
    }

    fn call(&mut self, call: &Value) -> Value {
        let id = call.get("id").and_then(Value::as_str).map(str::to_owned);
        let id = id.unwrap_or_else(|| {
            self.named += 1;
            format!("call_{}", self.named)
        });
        self.calls.push_back(id.clone());
        let arguments = call.get("args").cloned().unwrap_or_else(|| json!({}));
        json!({"id": id, "type": "function", "function": {
            "name": call.get("name").cloned().unwrap_or_default(),
            "arguments": arguments.to_string(),
        }})
    }

    fn user(&mut self, content: &Value) {
        let mut items = Vec::new();
        for part in parts(content) {
            if let Some(response) = part.get("functionResponse") {
                let id = self.calls.pop_front().unwrap_or_default();
                let result = response.get("response").unwrap_or(&Value::Null);
                self.messages.push(json!({
                    "role": "tool",
                    "tool_call_id": id,
                    "content": result_text(result),
                }));
            } else if let Some(item) = item(part) {
                items.push(item);
            }
        }
        let content = match items.as_slice() {
            [] => return,
            [only] if only["type"] == "text" => only["text"].clone(),
            _ => items.into(),
        };
        self.messages
            .push(json!({"role": "user", "content": content}));
    }
}

fn parts(content: &Value) -> impl Iterator<Item = &Value> {
    content
        .get("parts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// A part of a user's turn.
fn item(part: &Value) -> Option<Value> {
    if let Some(text) = part.get("text") {
        return Some(json!({"type": "text", "text": text}));
    }
    let url = if let Some(data) = part.get("inlineData") {
        let kind = data.get("mimeType")?.as_str()?;
        format!("data:{kind};base64,{}", data.get("data")?.as_str()?)
    } else {
        part.get("fileData")?.get("fileUri")?.as_str()?.to_owned()
    };
    Some(json!({"type": "image_url", "image_url": {"url": url}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_results_have_the_same_names() {
        let contents = [
            json!({"role": "user", "parts": [{"text": "go"}]}),
            json!({"role": "model", "parts": [
                {"thought": true, "text": "hm"},
                {"text": "Let me see."},
                {"functionCall": {"name": "a", "args": {"n": 1}}},
                {"functionCall": {"id": "x", "name": "b"}},
            ]}),
            json!({"role": "user", "parts": [
                {"functionResponse": {"name": "a", "response": {"output": "one"}}},
                {"functionResponse": {"id": "x", "name": "b", "response": {"error": {"code": 2}}}},
            ]}),
            json!({"role": "model", "parts": [{"text": "do"}, {"text": "ne"}]}),
        ];
        let expected = json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "Let me see.", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "a", "arguments": "{\"n\":1}"}},
                {"id": "x", "type": "function", "function": {"name": "b", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "one"},
            {"role": "tool", "tool_call_id": "x", "content": "{\"code\":2}"},
            {"role": "assistant", "content": "done"},
        ]);
        assert_eq!(Value::from(messages(&contents)), expected);
    }

    #[test]
    fn files_become_urls() {
        let contents = [json!({"role": "user", "parts": [
            {"text": "see"},
            {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
        ]})];
        let expected = json!([{"role": "user", "content": [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        ]}]);
        assert_eq!(Value::from(messages(&contents)), expected);
    }
}
