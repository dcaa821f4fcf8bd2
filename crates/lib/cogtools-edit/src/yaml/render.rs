//! Renders a value on one line, as written by hand.

use cogtools_core::text::Text;
use cogtools_core::yaml;
use serde_json::Value;

/// `value` in flow style, which is valid anywhere.
pub fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let pair =
                |(key, value): (&String, &Value)| format!("{}: {}", scalar(key), flow(value));
            let pairs: Vec<String> = entries.iter().map(pair).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

/// `value` as an item of a block list.
pub(super) fn item(value: &Value) -> String {
    match value {
        Value::Object(entries) if entries.len() == 1 => {
            let text = flow(value);
            text[1..text.len() - 1].to_owned()
        }
        other => flow(other),
    }
}

/// A string, quoted only if it would otherwise be parsed as something else.
pub(super) fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*');
    let is_plain_start = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/');
    if text.starts_with(is_plain_start) && text.chars().all(is_plain) && parses_as_string(text) {
        return text.to_owned();
    }
    // A JSON string is a YAML string too.
    Value::from(text).to_string()
}

/// Whether YAML parses the unquoted `text` as the same string.
fn parses_as_string(text: &str) -> bool {
    Text::new("", text.as_bytes().to_vec())
        .ok()
        .and_then(|text| yaml::parse(&text).ok())
        .is_some_and(|node| node.text() == Some(text))
}
