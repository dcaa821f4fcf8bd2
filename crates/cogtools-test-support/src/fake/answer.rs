//! The API's responses: contents, counts, errors, and neutral side responses.

use serde_json::{Map, Value, json};

use super::request::{Request, field};
use crate::http::Outgoing;

/// A JSON response.
pub(super) fn object(value: &Value) -> Outgoing {
    Outgoing {
        status: 200,
        kind: "application/json; charset=UTF-8",
        body: value.to_string().into_bytes(),
        streamed: false,
    }
}

/// An error in the API's format.
pub(super) fn error(code: u16, status: &str, message: &str) -> Outgoing {
    let body = json!({ "error": { "code": code, "message": message, "status": status } });
    Outgoing {
        status: code,
        ..object(&body)
    }
}

/// The model's content, as one response or as the events of a stream.
pub(super) fn content(request: &Request, parts: &[Value]) -> Outgoing {
    let response = json!({
        "candidates": [{
            "content": { "role": "model", "parts": parts },
            "finishReason": "STOP",
            "index": 0,
        }],
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20 },
        "modelVersion": "fake",
    });
    if request.target.contains("alt=sse") {
        Outgoing {
            kind: "text/event-stream",
            body: format!("data: {response}\r\n\r\n").into_bytes(),
            streamed: true,
            ..object(&Value::Null)
        }
    } else if request.target.contains(":streamGenerateContent") {
        object(&json!([response]))
    } else {
        object(&response)
    }
}

/// A neutral response: the smallest value that matches the requested schema, or a
/// short text.
pub(super) fn side(request: &Request) -> Outgoing {
    let config = field(&request.body, "generationConfig", "generation_config");
    let mut schema = field(config, "responseJsonSchema", "response_json_schema");
    if schema.is_null() {
        schema = field(config, "responseSchema", "response_schema");
    }
    let text = if schema.is_null() {
        "Nothing to add.".to_owned()
    } else {
        minimal_value(schema).to_string()
    };
    content(request, &[json!({ "text": text })])
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
