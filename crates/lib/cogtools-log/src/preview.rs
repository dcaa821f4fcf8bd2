//! Results that are too long for a line.

use serde_json::Value;

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
