//! Neutral answers to the auxiliary requests of a host.

use serde_json::{Map, Value, json};

use super::field::field;

/// The text of a neutral answer: the smallest value that matches the requested schema,
/// or a short sentence.
pub(super) fn text(body: &Value) -> String {
    let config = field(body, "generationConfig");
    let mut schema = field(config, "responseJsonSchema");
    if schema.is_null() {
        schema = field(config, "responseSchema");
    }
    if schema.is_null() {
        "Nothing to add.".to_owned()
    } else {
        minimal_value(schema).to_string()
    }
}

/// The smallest value that matches a schema: zero, empty or false; of an enum, `user`
/// (it is the user's turn) or otherwise the first value.
fn minimal_value(schema: &Value) -> Value {
    if let Some(choices) = schema["enum"].as_array() {
        let user = choices.iter().find(|choice| *choice == "user");
        return user.or(choices.first()).cloned().unwrap_or_default();
    }
    match schema["type"].as_str().map(str::to_lowercase).as_deref() {
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let fields = properties.map(|(name, schema)| (name.clone(), minimal_value(schema)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Some("array") => json!([]),
        Some("number" | "integer") => json!(0),
        Some("boolean") => json!(false),
        _ => json!(""),
    }
}
