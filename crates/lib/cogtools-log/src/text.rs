//! Texts of a session as people read them: tasks, responses, results, prompts and durations.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{BlobError, Blobs, LayerSize};

/// The longest result that is part of a line, in bytes. The whole of a longer one is a blob.
const MAX_PREVIEW_BYTES: usize = 2 << 10;

/// The result as a line has it, and the whole as JSON if that is longer.
pub fn preview(result: &Value) -> (Value, Option<String>) {
    let json = result.to_string();
    if json.len() <= MAX_PREVIEW_BYTES {
        return (result.clone(), None);
    }
    let text = result.as_str().unwrap_or(&json);
    (head_and_tail(text, MAX_PREVIEW_BYTES).into(), Some(json))
}

/// The beginning and the end of `text`, about `max_bytes` of it, with a line that says how much is
/// left out; the whole if it is shorter.
pub fn head_and_tail(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let head = &text[..text.floor_char_boundary(max_bytes * 3 / 4)];
    let tail = &text[text.ceil_char_boundary(text.len() - max_bytes / 4)..];
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n[… {left_out} bytes left out …]\n{tail}")
}

impl Blobs {
    /// The text of a layer: each content below who speaks, and declarations as JSON. It is for
    /// people: the blobs themselves have exactly what was sent, but for secrets.
    ///
    /// # Errors
    ///
    /// A part of it cannot be read.
    pub fn layer_text(&self, layer: &LayerSize) -> Result<String, BlobError> {
        self.layer_ends(layer, layer.parts.len())
    }

    /// Like [`Self::layer_text`] for the first and the last `count` parts, with a line for the others.
    ///
    /// # Errors
    ///
    /// One of them cannot be read.
    pub fn layer_ends(&self, layer: &LayerSize, count: usize) -> Result<String, BlobError> {
        let between = layer.parts.len().saturating_sub(2 * count);
        let mut text = String::new();
        for (index, part) in layer.parts.iter().enumerate() {
            if index < count || index >= count + between {
                write_part(&mut text, &self.read(part)?);
            } else if index == count {
                let _ = writeln!(text, "[… {between} parts left out …]");
            }
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

fn is_thought(part: &Value) -> bool {
    part.get("thought") == Some(&Value::Bool(true))
}

fn part_text(part: &Value) -> String {
    if let Some(said) = part.get("text").and_then(Value::as_str) {
        let before = if is_thought(part) { "(thought) " } else { "" };
        return format!("{before}{said}");
    }
    if let Some(file) = part.get("inlineData") {
        return file_text(file);
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

fn file_text(file: &Value) -> String {
    let kind = file.get("mimeType").and_then(Value::as_str);
    format!("[file: {}]", kind.unwrap_or("unknown type"))
}

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;

/// Writes a duration: `40 ms`, `1.2 s`, `3 min 5 s`.
pub fn duration(ms: u64) -> String {
    if ms < SECOND {
        format!("{ms} ms")
    } else if ms < MINUTE {
        format!("{}.{} s", ms / SECOND, ms % SECOND / 100)
    } else {
        format!("{} min {} s", ms / MINUTE, ms % MINUTE / SECOND)
    }
}

/// The texts in a response that are meant for the user: not thoughts.
pub fn response_text(content: &Value) -> String {
    let text = content.get("content").and_then(Value::as_str);
    text.map_or_else(|| texts(content, false), str::to_owned)
}

/// The thoughts in a response, as far as the model shows them.
pub fn thought_text(content: &Value) -> String {
    texts(content, true)
}

/// The texts of the parts that are thoughts, or that are not.
fn texts(content: &Value, thoughts: bool) -> String {
    let parts = content.get("parts").and_then(Value::as_array);
    let parts = parts.into_iter().flatten();
    let parts = parts.filter(|part| is_thought(part) == thoughts);
    parts
        .filter_map(|part| part.get("text")?.as_str())
        .collect()
}

/// The text of a task: its texts, and the kinds of its files.
pub fn task_text(parts: &[Value]) -> String {
    let part = |part: &Value| -> Option<String> {
        if let Some(text) = part.get("text") {
            return text.as_str().map(str::to_owned);
        }
        part.get("inlineData")
            .or(part.get("fileData"))
            .map(file_text)
    };
    let texts: Vec<String> = parts.iter().filter_map(part).collect();
    texts.join("\n")
}

/// The text of a result: what the model reads in it.
pub fn result_text(content: &Value) -> String {
    let value = content.get("output").or(content.get("error"));
    let only = content.as_object().is_some_and(|fields| fields.len() == 1);
    match value.filter(|_| only).unwrap_or(content) {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
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

    #[test]
    fn durations_have_the_unit_that_fits() {
        let texts = [0, 999, 1_250, 59_999, 60_000, 3_725_000].map(duration);
        let expected = [
            "0 ms",
            "999 ms",
            "1.2 s",
            "59.9 s",
            "1 min 0 s",
            "62 min 5 s",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_response_has_texts_and_thoughts() {
        let parts =
            json!([{"text": "Let me see. ", "thought": true}, {"text": "A"}, {"text": "B"}]);
        let content = json!({"role": "model", "parts": parts});
        assert_eq!(response_text(&content), "AB");
        assert_eq!(thought_text(&content), "Let me see. ");
        assert_eq!(response_text(&json!({"content": "C"})), "C");
        assert_eq!(thought_text(&json!({"content": "C"})), "");
    }

    #[test]
    fn a_result_is_what_the_model_reads() {
        for (content, expected) in [
            (json!({"output": "text"}), "text"),
            (json!({"error": {"code": 1}}), "{\"code\":1}"),
            (
                json!({"output": "text", "more": 1}),
                "{\"output\":\"text\",\"more\":1}",
            ),
            (json!("bare"), "bare"),
        ] {
            assert_eq!(result_text(&content), expected);
        }
    }
}
