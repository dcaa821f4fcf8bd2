//! The body of a request: its options, and the conversation as messages.
//!
//! Results of tools are messages of their own, and every one names its call.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::call_ids::{CallIds, text};
use crate::request::{json_schema, schema_in_words};
use crate::{
    ApiError, ApiErrorKind, Content, FunctionCall, ModelError, Part, Request, Role, ToolMode,
};

/// Fields that some servers refuse, and that a request can do without.
const OPTIONAL: [&str; 3] = ["stream_options", "seed", FORMAT];
/// The field with the form of the answer.
const FORMAT: &str = "response_format";

/// The body of `request`; `limit_key` is the key of the limit of output tokens.
pub(super) fn body(request: &Request, limit_key: &str) -> Result<Map<String, Value>, ModelError> {
    if request.cached_content.is_some() {
        return Err(ModelError::Unsupported("explicit caches"));
    }
    let system = request.system.iter();
    let system = system.map(|system| json!({"role": "system", "content": system.text()}));
    let messages: Vec<Value> = system.chain(messages(&request.contents)).collect();
    let tools: Vec<Value> = request.allowed_tools().map(tool).collect();
    let choice = match request.mode {
        ToolMode::Auto | ToolMode::Validated(_) => None,
        ToolMode::None => Some("none"),
        ToolMode::Any(_) => Some("required"),
    };
    let generation = &request.generation;
    let format = generation.response_json_schema.as_ref().map(|schema| {
        json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}})
    });
    let stop = Some(&generation.stop_sequences).filter(|stop| !stop.is_empty());
    let fields = [
        ("model", json!(request.model)),
        ("messages", json!(messages)),
        ("tool_choice", json!(choice.filter(|_| !tools.is_empty()))),
        (
            "tools",
            json!(Some(&tools).filter(|tools| !tools.is_empty())),
        ),
        ("temperature", json!(generation.temperature)),
        ("seed", json!(generation.seed)),
        (limit_key, json!(generation.max_output_tokens)),
        ("stop", json!(stop)),
        (FORMAT, json!(format)),
        ("stream", json!(true)),
        ("stream_options", json!({"include_usage": true})),
    ];
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    let mut body = generation.rest.clone();
    body.extend(fields.map(|(key, value)| (key.to_owned(), value)));
    Ok(body)
}

/// The field of `body` because of which a server has refused it, if the request can do without.
pub(super) fn refused_field(error: &ApiError, body: &Map<String, Value>) -> Option<&'static str> {
    let is_refused = |key: &&str| can_leave_out(body, key) && error.message.contains(*key);
    let mut fields = OPTIONAL.into_iter();
    let refused = fields.find(is_refused);
    refused.filter(|_| error.kind == ApiErrorKind::InvalidRequest)
}

/// Returns true if `body` has a field and can do without it. Beside tools, a server may refuse a
/// form of the answer that it takes in a request without them.
fn can_leave_out(body: &Map<String, Value>, key: &str) -> bool {
    body.contains_key(key) && (key != FORMAT || !body.contains_key("tools"))
}

/// Leaves `key` out of `body`, if it can do without it. The form of an answer is told in words.
pub(super) fn leave_out(body: &mut Map<String, Value>, key: &str) {
    if !can_leave_out(body, key) {
        return;
    }
    let field = body.shift_remove(key).unwrap_or_default();
    let messages = body.get_mut("messages").and_then(Value::as_array_mut);
    if let (FORMAT, Some(messages)) = (key, messages) {
        let text = schema_in_words(&field["json_schema"]["schema"]);
        add(messages, json!({"role": "user", "content": text}));
    }
}

fn tool(declaration: &Value) -> Value {
    let mut function = json!({"name": declaration["name"]});
    if let Some(description) = declaration.get("description") {
        function["description"] = description.clone();
    }
    function["parameters"] = json_schema(declaration);
    json!({"type": "function", "function": function})
}

/// The messages of a conversation.
pub fn messages(contents: &[Arc<Content>]) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut ids = CallIds::default();
    for content in contents {
        if content.role() == Some(Role::Model) {
            if let Some(message) = assistant(content, &mut ids) {
                add(&mut messages, message);
            }
        } else {
            let parts = content.parts().iter();
            messages.extend(parts.filter_map(|part| result(part, &mut ids)));
            if let Some(message) = user(content) {
                let last = messages.last();
                if last.is_some_and(|last: &Value| last["role"] == "tool") {
                    messages.push(json!({"role": "assistant", "content": INTERRUPTED}));
                }
                add(&mut messages, message);
            }
        }
    }
    messages
}

/// The answer of a model that was interrupted before it answered to a result: Mistral's API and
/// templates refuse a user that speaks there.
const INTERRUPTED: &str = "(interrupted)";

/// Adds a message, or joins it with the last one: templates of some models refuse two messages of
/// the user that follow each other.
fn add(messages: &mut Vec<Value>, message: Value) {
    let is_plain = |message: &Value| message.get("tool_calls").is_none();
    let last = messages
        .last_mut()
        .filter(|last| last["role"] == message["role"] && is_plain(last) && is_plain(&message));
    let Some(last) = last else {
        messages.push(message);
        return;
    };
    last["content"] = match (last["content"].take(), &message["content"]) {
        (Value::String(one), Value::String(other)) => format!("{one}\n\n{other}").into(),
        (one, other) => [parts(&one), parts(other)].concat().into(),
    };
}

/// The parts of the content of a message.
fn parts(content: &Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts.clone(),
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        _ => Vec::new(),
    }
}

/// The message of the model, as it came if it came from such a server; `None` if nothing of it is
/// left.
fn assistant(content: &Content, ids: &mut CallIds) -> Option<Value> {
    ids.begin();
    let mut message = content.openai_message().cloned().unwrap_or_default();
    let sent = message.shift_remove("tool_calls").unwrap_or_default();
    let calls = content.parts().iter().filter_map(Part::call).enumerate();
    let calls: Vec<Value> = calls
        .map(|(index, called)| call(&called, sent.get(index), ids))
        .collect();
    let text = content.text();
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    message.entry("role").or_insert_with(|| "assistant".into());
    let text = Some(text).filter(|text| !text.is_empty());
    message.entry("content").or_insert_with(|| json!(text));
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    Some(message.into())
}

/// A call, with the fields that were `sent` with it.
fn call(call: &FunctionCall<'_>, sent: Option<&Value>, ids: &mut CallIds) -> Value {
    let id = ids.open(call.id, call.name);
    let mut message = sent.and_then(Value::as_object).cloned().unwrap_or_default();
    let function = message.shift_remove("function").unwrap_or_default();
    let arguments = function["arguments"].as_str().filter(|text| {
        // Others stop a server that reads them again.
        serde_json::from_str::<Map<String, Value>>(text).is_ok()
    });
    let arguments = match (arguments, call.args) {
        (Some(text), _) => text.to_owned(),
        (None, None) => "{}".to_owned(),
        // What is not an object was not one when the model sent it.
        (None, Some(Value::String(text))) => text.clone(),
        (None, Some(args)) => args.to_string(),
    };
    let mut fields = function.as_object().cloned().unwrap_or_default();
    fields.insert("name".to_owned(), call.name.into());
    fields.insert("arguments".to_owned(), arguments.into());
    message.insert("id".to_owned(), id.into());
    message.entry("type").or_insert_with(|| "function".into());
    message.insert("function".to_owned(), fields.into());
    message.into()
}

/// The message of the result that `part` is.
fn result(part: &Part, ids: &mut CallIds) -> Option<Value> {
    let mut part = part.clone();
    part.keep_files(&[]);
    let (id, response) = ids.close(&part)?;
    Some(json!({"role": "tool", "tool_call_id": id, "content": text(response)}))
}

/// The message of the user: text alone as text, which every server knows.
fn user(content: &Content) -> Option<Value> {
    let parts: Vec<Value> = content.parts().iter().filter_map(user_part).collect();
    let texts: Option<Vec<&str>> = parts.iter().map(|part| part["text"].as_str()).collect();
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
