//! Keys of the Gemini API: protobuf's JSON may have them in snake case.

use serde_json::{Map, Value};

/// Keys whose values belong to tools: their keys stay as they are.
const OPAQUE: &[&str] = &["args", "response", "parametersJsonSchema", "parameters"];

/// `value` with every key of the API in camel case.
pub(crate) fn camel_case(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(camel_case).collect(),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(field).collect::<Map<_, _>>())
        }
        scalar => scalar,
    }
}

fn field((key, value): (String, Value)) -> (String, Value) {
    if OPAQUE.contains(&key.as_str()) {
        return (key, value);
    }
    let value = camel_case(value);
    if !key.contains('_') {
        return (key, value);
    }
    let mut words = key.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    (camel, value)
}
