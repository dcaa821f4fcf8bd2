//! A value as one writes it by hand, on one line.

use cogtools_core::text::Text;
use cogtools_core::yaml;
use serde_json::Value;

/// `value` as it can stand anywhere, also between brackets.
pub(crate) fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => word(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let pair = |(key, value): (&String, &Value)| format!("{}: {}", word(key), flow(value));
            let pairs: Vec<String> = entries.iter().map(pair).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

/// `value` as an item of a list that has no brackets.
pub(super) fn item(value: &Value) -> String {
    match value {
        Value::Object(entries) if entries.len() == 1 => {
            let text = flow(value);
            text[1..text.len() - 1].to_owned()
        }
        other => flow(other),
    }
}

/// A string, in quotes only where it would be something else without them.
pub(super) fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*');
    let begins = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/');
    if text.starts_with(begins) && text.chars().all(plain) && reads_as(text) {
        return text.to_owned();
    }
    // A string of JSON is one of YAML.
    Value::from(text).to_string()
}

/// Whether YAML takes `text` for a string.
fn reads_as(text: &str) -> bool {
    let parsed = Text::new("", text.as_bytes().to_vec()).ok();
    let node = parsed.and_then(|text| yaml::parse(&text).ok());
    node.is_some_and(|node| node.text() == Some(text))
}
