//! The body of a request.

use serde_json::{Map, Value, json};

use super::message;
use crate::{ApiError, ApiErrorKind, ModelError, Request, ToolMode};

/// The key that asks for a count of tokens at the end of a stream.
const USAGE: &str = "stream_options";

/// The body of `request`; `limit_key` is the key of the limit of output tokens.
pub(super) fn body(request: &Request, limit_key: &str) -> Result<Value, ModelError> {
    if request.cached_content.is_some() {
        return Err(ModelError::Unsupported("explicit caches"));
    }
    let mut body = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    set("model", Some(request.model.clone().into()));
    set("messages", Some(message::all(request).into()));
    let tools = tools(request);
    set("tool_choice", choice(&request.mode, &tools));
    set("tools", (!tools.is_empty()).then(|| tools.into()));
    let generation = &request.generation;
    set("temperature", generation.temperature.map(Into::into));
    set("seed", generation.seed.map(Into::into));
    set(limit_key, generation.max_output_tokens.map(Into::into));
    let stop = &generation.stop_sequences;
    set("stop", (!stop.is_empty()).then(|| json!(stop)));
    let schema = generation.response_json_schema.as_ref();
    set("response_format", schema.map(format));
    set("stream", Some(true.into()));
    set(USAGE, Some(json!({"include_usage": true})));
    Ok(Value::Object(body))
}

/// Whether a server rejects a request because it counts the tokens.
pub(super) fn is_about_usage(error: &ApiError) -> bool {
    error.kind == ApiErrorKind::InvalidRequest && error.message.contains(USAGE)
}

/// Lets the server stream without a count of tokens.
pub(super) fn remove_usage(body: &mut Value) {
    if let Value::Object(fields) = body {
        fields.shift_remove(USAGE);
    }
}

/// The tools that the model may call: the API has no list of allowed names.
fn tools(request: &Request) -> Vec<Value> {
    let is_allowed = |tool: &&Value| match &request.mode {
        ToolMode::Any(names) | ToolMode::Validated(names) if !names.is_empty() => {
            let name = tool.get("name").and_then(Value::as_str);
            names.iter().any(|allowed| Some(allowed.as_str()) == name)
        }
        _ => true,
    };
    let tools = request.tools.iter().filter(is_allowed);
    tools.map(tool).collect()
}

fn tool(declaration: &Value) -> Value {
    let mut function = Map::new();
    for key in ["name", "description"] {
        if let Some(value) = declaration.get(key) {
            function.insert(key.to_owned(), value.clone());
        }
    }
    let schema = declaration
        .get("parametersJsonSchema")
        .or_else(|| declaration.get("parameters"));
    let schema = schema.cloned();
    let schema = schema.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    function.insert("parameters".to_owned(), schema);
    json!({"type": "function", "function": function})
}

fn choice(mode: &ToolMode, tools: &[Value]) -> Option<Value> {
    match mode {
        _ if tools.is_empty() => None,
        ToolMode::Auto | ToolMode::Validated(_) => None,
        ToolMode::None => Some("none".into()),
        ToolMode::Any(_) => Some("required".into()),
    }
}

fn format(schema: &Value) -> Value {
    json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}})
}
