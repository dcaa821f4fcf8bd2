//! The body of a request: its options, and the conversation as messages.
//!
//! Results of tools are messages of their own, and every one names its call. The Gemini API lets
//! both go without an identifier, so absent ones are made up by position, always the same.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

use crate::{ApiError, ApiErrorKind, Content, ModelError, Part, Request, Role, ToolMode};

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
    set("messages", Some(messages(request).into()));
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

/// Returns true if a server rejects a request because it counts the tokens.
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

/// The messages of `request`.
fn messages(request: &Request) -> Vec<Value> {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({"role": "system", "content": system.text()}));
    }
    let mut calls = Calls::default();
    for content in &request.contents {
        if content.role() == Some(Role::Model) {
            messages.extend(calls.message(content));
        } else {
            messages.extend(calls.results(content));
            messages.extend(user(content));
        }
    }
    messages
}

/// The calls whose results come next.
#[derive(Default)]
struct Calls {
    count: usize,
    /// Their names and identifiers.
    open: VecDeque<(String, String)>,
}

impl Calls {
    /// The message of the model; `None` if nothing of it is left.
    fn message(&mut self, content: &Content) -> Option<Value> {
        self.open.clear();
        let calls: Vec<Value> = content
            .parts()
            .iter()
            .filter_map(|part| self.call(part))
            .collect();
        let text = content.text();
        if text.is_empty() && calls.is_empty() {
            return None;
        }
        let text = (!text.is_empty()).then_some(text);
        let mut message = json!({"role": "assistant", "content": text});
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        Some(message)
    }

    fn call(&mut self, part: &Part) -> Option<Value> {
        let call = part.call()?;
        self.count += 1;
        let id = call
            .id
            .map_or_else(|| format!("call_{}", self.count), str::to_owned);
        // What is not an object was not one when the model sent it.
        let arguments = match call.args {
            None => "{}".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(args) => args.to_string(),
        };
        self.open.push_back((call.name.to_owned(), id.clone()));
        Some(json!({
            "id": id,
            "type": "function",
            "function": {"name": call.name, "arguments": arguments},
        }))
    }

    /// The messages of the results in `content`.
    fn results(&mut self, content: &Content) -> Vec<Value> {
        let results = content.parts().iter().filter_map(|part| {
            let (name, response) = part.result()?;
            let id = part.fields().get("functionResponse")?.get("id");
            let id = self.close(id.and_then(Value::as_str), name);
            Some(json!({"role": "tool", "tool_call_id": id, "content": text(response)}))
        });
        results.collect()
    }

    /// The identifier of the call that a result belongs to.
    fn close(&mut self, id: Option<&str>, name: &str) -> String {
        let found = self.open.iter().position(|(called, own)| match id {
            Some(id) => own == id,
            None => called == name,
        });
        let call = found.and_then(|index| self.open.remove(index));
        match (call, id) {
            (Some((_, own)), _) => own,
            (None, Some(id)) => id.to_owned(),
            (None, None) => format!("call_{}", self.count),
        }
    }
}

/// The text of a result: that of an output that is text, or else JSON.
fn text(response: &Value) -> String {
    let output = response.as_object().filter(|fields| fields.len() == 1);
    match output.and_then(|fields| fields.get("output")) {
        Some(Value::String(text)) => text.clone(),
        Some(output) => output.to_string(),
        None => response.to_string(),
    }
}

/// The message of the user: text alone as text, which every server knows.
fn user(content: &Content) -> Option<Value> {
    let parts: Vec<Value> = content.parts().iter().filter_map(user_part).collect();
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| part.get("text")?.as_str())
        .collect();
    let content = match texts {
        _ if parts.is_empty() => return None,
        Some(texts) => Value::String(texts.join("\n\n")),
        None => parts.into(),
    };
    Some(json!({"role": "user", "content": content}))
}

fn user_part(part: &Part) -> Option<Value> {
    if let Some(text) = part.answer() {
        return Some(json!({"type": "text", "text": text}));
    }
    if let Some((mime_type, data)) = part.data() {
        return Some(file(mime_type, data));
    }
    let file = part.fields().get("fileData")?;
    let url = file.get("fileUri")?;
    Some(json!({"type": "image_url", "image_url": {"url": url}}))
}

fn file(mime_type: &str, data: &str) -> Value {
    let url = format!("data:{mime_type};base64,{data}");
    match mime_type.split_once('/') {
        Some(("image", _)) => json!({"type": "image_url", "image_url": {"url": url}}),
        Some(("audio", "wav" | "x-wav")) => audio(data, "wav"),
        Some(("audio", "mp3" | "mpeg")) => audio(data, "mp3"),
        kind => {
            let extension = kind.map_or("bin", |(_, extension)| extension);
            let name = format!("file.{extension}");
            json!({"type": "file", "file": {"filename": name, "file_data": url}})
        }
    }
}

fn audio(data: &str, format: &str) -> Value {
    json!({"type": "input_audio", "input_audio": {"data": data, "format": format}})
}
