//! Keys of the Gemini API: protobuf's JSON may have them in snake case.
//!
//! Only what this version reads is renamed: anything else goes back as it was received.

use serde_json::Value;

/// Keys of two words.
const KEYS: &[&str] = &[
    "blockReason",
    "blockReasonMessage",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "displayName",
    "fileData",
    "fileUri",
    "finishMessage",
    "finishReason",
    "functionCall",
    "functionResponse",
    "inlineData",
    "mimeType",
    "modelVersion",
    "promptFeedback",
    "promptTokenCount",
    "responseId",
    "thoughtSignature",
    "thoughtsTokenCount",
    "totalTokenCount",
    "usageMetadata",
];

/// Keys whose values have such keys, too.
const CONTAINERS: &[&str] = &[
    "candidates",
    "content",
    "fileData",
    "functionCall",
    "functionResponse",
    "inlineData",
    "parts",
    "promptFeedback",
    "usageMetadata",
];

/// `value`, a response or a content, with the keys of the API in camel case.
pub(crate) fn camel_case(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(camel_case).collect(),
        Value::Object(fields) => Value::Object(fields.into_iter().map(field).collect()),
        scalar => scalar,
    }
}

fn field((key, value): (String, Value)) -> (String, Value) {
    let is_known = |known: &&&str| is_snake_case_of(&key, known);
    let known = key.contains('_').then(|| KEYS.iter().find(is_known));
    let key = known.flatten().map_or(key, |known| (*known).to_owned());
    let is_container = CONTAINERS.contains(&key.as_str());
    let value = if is_container {
        camel_case(value)
    } else {
        value
    };
    (key, value)
}

/// Whether `key` is `camel` with underscores.
fn is_snake_case_of(key: &str, camel: &str) -> bool {
    let words = key.split('_').enumerate();
    let mut rest = camel;
    for (position, word) in words {
        let mut letters = word.chars();
        let first = letters.next().map(|first| match position {
            0 => first,
            _ => first.to_ascii_uppercase(),
        });
        let after =
            first.and_then(|first| rest.strip_prefix(first)?.strip_prefix(letters.as_str()));
        match after {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}
