//! What was sent to a model, as people read it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{BlobError, Blobs, LayerSize};

impl Blobs {
    /// The text of a layer: each content below who speaks, and declarations as JSON. It is for
    /// people: the blobs themselves have exactly what was sent, but for secrets.
    ///
    /// # Errors
    ///
    /// A part of it cannot be read.
    pub fn layer_text(&self, layer: &LayerSize) -> Result<String, BlobError> {
        let mut text = String::new();
        for part in &layer.parts {
            write_part(&mut text, &self.read(part)?);
        }
        Ok(text)
    }

    /// The same for the first and the last `count` parts, with a line for what is between them.
    ///
    /// # Errors
    ///
    /// One of them cannot be read.
    pub fn layer_ends(&self, layer: &LayerSize, count: usize) -> Result<String, BlobError> {
        let between = layer.parts.len().saturating_sub(2 * count);
        if between == 0 {
            return self.layer_text(layer);
        }
        let mut text = String::new();
        for part in &layer.parts[..count] {
            write_part(&mut text, &self.read(part)?);
        }
        let _ = writeln!(text, "[… {between} parts left out …]");
        for part in &layer.parts[count + between..] {
            write_part(&mut text, &self.read(part)?);
        }
        Ok(text)
    }
}

/// A part: a content, a list of contents, or declarations.
fn write_part(text: &mut String, json: &[u8]) {
    match serde_json::from_slice(json) {
        Ok(Value::Array(items)) if items.iter().all(is_content) => {
            for content in &items {
                write_content(text, content);
            }
        }
        Ok(content) if is_content(&content) => write_content(text, &content),
        Ok(value) => {
            let _ = writeln!(text, "{value:#}");
        }
        Err(_) => {
            text.push_str(&String::from_utf8_lossy(json));
            text.push('\n');
        }
    }
}

fn is_content(value: &Value) -> bool {
    value.get("parts").is_some_and(Value::is_array)
}

fn write_content(text: &mut String, content: &Value) {
    let role = content.get("role").and_then(Value::as_str);
    let _ = writeln!(text, "[{}]", role.unwrap_or("system"));
    let parts = content.get("parts").and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        text.push_str(&part_text(part));
        text.push('\n');
    }
}

fn part_text(part: &Value) -> String {
    if let Some(said) = part.get("text").and_then(Value::as_str) {
        let is_thought = part.get("thought") == Some(&Value::Bool(true));
        let before = if is_thought { "(thought) " } else { "" };
        return format!("{before}{said}");
    }
    if let Some(file) = part.get("inlineData") {
        let kind = file.get("mimeType").and_then(Value::as_str);
        return format!("[file: {}]", kind.unwrap_or("unknown type"));
    }
    for (key, word, value) in [
        ("functionCall", "call", "args"),
        ("functionResponse", "result", "response"),
    ] {
        if let Some(call) = part.get(key) {
            let name = call.get("name").and_then(Value::as_str);
            let value = call.get(value).unwrap_or(&Value::Null);
            return format!("[{word}: {}] {value}", name.unwrap_or_default());
        }
    }
    part.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_is_a_text() {
        let contents = json!([
            {"role": "user", "parts": [{"text": "Look"}, {"inlineData": {"mimeType": "image/png", "data": "AA=="}}]},
            {"role": "model", "parts": [
                {"text": "Hm", "thought": true},
                {"functionCall": {"name": "look", "args": {"at": 1}}, "thoughtSignature": "AA=="},
            ]},
            {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"output": "x"}}}]},
        ]);
        for (json, expected) in [
            (
                json!({"parts": [{"text": "You help."}]}),
                "[system]\nYou help.\n",
            ),
            (
                contents,
                "[user]\nLook\n[file: image/png]\n[model]\n(thought) Hm\n[call: look] {\"at\":1}\n\
                 [user]\n[result: look] {\"output\":\"x\"}\n",
            ),
            (
                json!([{"name": "look"}]),
                "[\n  {\n    \"name\": \"look\"\n  }\n]\n",
            ),
            (
                json!({"parts": [{"other": 1}]}),
                "[system]\n{\"other\":1}\n",
            ),
        ] {
            let mut text = String::new();
            write_part(&mut text, json.to_string().as_bytes());
            assert_eq!(text, expected);
        }
        let mut text = String::new();
        write_part(&mut text, b"no JSON");
        assert_eq!(text, "no JSON\n");
    }
}
