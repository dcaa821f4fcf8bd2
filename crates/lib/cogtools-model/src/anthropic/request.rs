//! The body of a request: its options, and the conversation as messages of blocks.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Fields;
use crate::call_ids::{CallIds, text};
use crate::request::{json_schema, schema_in_words};
use crate::{ApiError, ApiErrorKind, Content, ModelError, Part, Request, Role, ToolMode};

/// The field with the form of the answer, and its key there.
const FORMAT: (&str, &str) = ("output_config", "format");

/// The limit of output tokens if the user names none: the API wants one. Most models have a higher
/// one, and a model with a lower one says so.
const MAX_TOKENS: u64 = 32_000;
/// Types of files that results of calls may have.
const RESULT_FILES: [&str; 5] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "application/pdf",
];

/// The body of `request`. `limit` is the limit of output tokens of the model, if it is known.
pub(super) fn body(request: &Request, limit: Option<u64>) -> Result<Fields, ModelError> {
    if request.cached_content.is_some() {
        return Err(ModelError::Unsupported("explicit caches"));
    }
    let generation = &request.generation;
    let max_tokens = generation.max_output_tokens.map(u64::from);
    let max_tokens = max_tokens.unwrap_or_else(|| limit.unwrap_or(MAX_TOKENS).min(MAX_TOKENS));
    let system = request.system.as_ref().map(|system| system.text());
    let system = system.filter(|text| !text.trim().is_empty());
    let mut system = system.map(|text| json!([text_block(text)]));
    let mut messages = messages(&request.contents)?;
    let mut tools: Vec<Value> = request.allowed_tools().map(tool).collect();
    let mut choice = choice(&request.mode).filter(|_| !tools.is_empty());
    if tools.is_empty() {
        // Calls of the conversation name tools, which must be declared.
        tools = called_tools(&messages);
        choice = Some(json!({"type": "none"})).filter(|_| !tools.is_empty());
    }
    mark(system.as_mut().and_then(|system| system.get_mut(0)));
    mark(tools.last_mut());
    let users = messages.iter_mut().rev();
    let users = users.filter(|message| message["role"] == "user").take(2);
    for message in users {
        let blocks = message["content"].as_array_mut();
        mark(blocks.and_then(|blocks| blocks.last_mut()));
    }
    let stop = Some(&generation.stop_sequences).filter(|stop| !stop.is_empty());
    let fields = [
        ("model", json!(request.model)),
        ("max_tokens", json!(max_tokens)),
        ("system", json!(system)),
        (
            "tools",
            json!(Some(tools).filter(|tools| !tools.is_empty())),
        ),
        ("tool_choice", json!(choice)),
        ("messages", json!(messages)),
        ("temperature", json!(generation.temperature)),
        ("stop_sequences", json!(stop)),
        ("stream", json!(true)),
    ];
    let mut body = generation.rest.clone();
    think(&mut body, request, max_tokens);
    if let Some(schema) = &generation.response_json_schema {
        let (key, format) = FORMAT;
        let schema = closed(schema.clone());
        body.entry(key).or_insert_with(|| json!({}))[format] =
            json!({"type": "json_schema", "schema": schema});
    }
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    body.extend(fields.map(|(key, value)| (key.to_owned(), value)));
    Ok(body)
}

/// Marks the end of a part of the request that the next one begins with: it is cached.
fn mark(block: Option<&mut Value>) {
    if let Some(block) = block {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
}

fn text_block(text: impl Into<String>) -> Value {
    json!({"type": "text", "text": text.into()})
}

fn tool(declaration: &Value) -> Value {
    let mut tool = json!({"name": declaration["name"]});
    if let Some(description) = declaration.get("description") {
        tool["description"] = description.clone();
    }
    tool["input_schema"] = json_schema(declaration);
    tool
}

/// The `tool_choice`; `None` for the API's default. Only the declared tools are allowed.
fn choice(mode: &ToolMode) -> Option<Value> {
    match mode {
        ToolMode::Auto | ToolMode::Validated(_) => None,
        ToolMode::None => Some(json!({"type": "none"})),
        ToolMode::Any(names) => Some(match &names[..] {
            [name] => json!({"type": "tool", "name": name}),
            _ => json!({"type": "any"}),
        }),
    }
}

/// Declarations of the tools that `messages` call.
fn called_tools(messages: &[Value]) -> Vec<Value> {
    let blocks = messages
        .iter()
        .filter_map(|message| message["content"].as_array());
    let calls = blocks.flatten().filter(|block| block["type"] == "tool_use");
    let mut names: Vec<&Value> = calls.map(|call| &call["name"]).collect();
    names.sort_by_key(|name| name.as_str());
    names.dedup();
    let declarations = names.into_iter().map(|name| json!({ "name": name }));
    declarations.map(|declaration| tool(&declaration)).collect()
}

/// Names of models that take a number of tokens for thoughts, with `-` for each dot. Later ones
/// take a level.
const TAKE_BUDGETS: [&str; 6] = [
    "claude-2", "claude-3", "-4-0", "-4-1", "-4-2", // A date of 2025.
    "-4-5",
];

/// The tokens for thoughts at the levels of models that take a number; all have at least the first.
const BUDGETS: [(&str, u64); 5] = [
    ("minimal", 1_024),
    ("low", 2_048),
    ("medium", 8_192),
    ("high", 16_384),
    ("max", 30_000),
];

/// Converts `thinking`, a level or a number of tokens, to the words of the API. An object is in
/// these already.
fn think(body: &mut Fields, request: &Request, max_tokens: u64) {
    let Some(level) = body.get("thinking") else {
        return;
    };
    let enabled = |tokens: u64| json!({"type": "enabled", "budget_tokens": tokens});
    let thinking = match level {
        Value::Number(tokens) => enabled(tokens.as_u64().unwrap_or(0)),
        Value::Bool(false) => json!({"type": "disabled"}),
        Value::String(level) if matches!(level.as_str(), "off" | "none") => {
            json!({"type": "disabled"})
        }
        Value::String(level) => {
            let model = request.model.replace('.', "-");
            let budget = BUDGETS.iter().find(|(name, _)| name == level);
            match budget {
                Some((_, tokens)) if TAKE_BUDGETS.iter().any(|name| model.contains(name)) => {
                    enabled((*tokens).min(max_tokens.saturating_sub(1)))
                }
                _ => {
                    let effort = if level == "minimal" { "low" } else { level };
                    let effort = json!(effort);
                    body.entry(FORMAT.0).or_insert_with(|| json!({}))["effort"] = effort;
                    let mut thinking = json!({"type": "adaptive"});
                    if request.generation.include_thoughts {
                        thinking["display"] = "summarized".into();
                    }
                    thinking
                }
            }
        }
        _ => return,
    };
    body.insert("thinking".to_owned(), thinking);
}

/// `schema` with objects that have no further properties: the API wants it to be said.
fn closed(schema: Value) -> Value {
    match schema {
        Value::Array(schemas) => schemas.into_iter().map(closed).collect(),
        Value::Object(mut fields) => {
            if fields.get("type").is_some_and(|kind| kind == "object") {
                let further = fields.entry("additionalProperties");
                further.or_insert(Value::Bool(false));
            }
            let is_data = |key: &str| matches!(key, "const" | "enum" | "default" | "examples");
            let closed = |(key, value): (String, Value)| {
                let value = if is_data(&key) { value } else { closed(value) };
                (key, value)
            };
            Value::Object(fields.into_iter().map(closed).collect())
        }
        scalar => scalar,
    }
}

/// The limit of output tokens that the server names in `error`, if it is below the one in `body`
/// and the user has named none.
pub(super) fn limit_in(error: &ApiError, request: &Request, body: &Fields) -> Option<u64> {
    if error.kind != ApiErrorKind::InvalidRequest || request.generation.max_output_tokens.is_some()
    {
        return None;
    }
    // `max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for …`
    let rest = error.message.split_once("max_tokens: ")?.1;
    let rest = rest.split_once(" > ")?.1;
    let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
    let limit: u64 = rest[..end].parse().ok()?;
    (limit > 0 && limit < body["max_tokens"].as_u64()?).then_some(limit)
}

/// Returns true if the server has refused `body` because of the form of the answer. Beside tools,
/// it may refuse one that it takes in a request without them.
pub(super) fn refuses_format(error: &ApiError, body: &Fields) -> bool {
    let has_format = body
        .get(FORMAT.0)
        .is_some_and(|config| config.get(FORMAT.1).is_some());
    let names_it = ["output_config", "output_format", "schema"]
        .iter()
        .any(|word| error.message.contains(word));
    error.kind == ApiErrorKind::InvalidRequest
        && has_format
        && names_it
        && !body.contains_key("tools")
}

/// Returns true if the model takes no temperature at all, as later ones do.
pub(super) fn refuses_temperature(error: &ApiError, body: &Fields) -> bool {
    let is_refused = ["deprecated", "not supported", "not permitted"]
        .iter()
        .any(|word| error.message.contains(word));
    error.kind == ApiErrorKind::InvalidRequest
        && body.contains_key("temperature")
        && error.message.contains("temperature")
        && is_refused
}

/// Leaves the form of the answer out of `body`, and tells it in words.
pub(super) fn leave_out_format(body: &mut Fields) {
    if body.contains_key("tools") {
        return;
    }
    let config = body.get_mut(FORMAT.0).and_then(Value::as_object_mut);
    let Some(format) = config.and_then(|config| config.shift_remove(FORMAT.1)) else {
        return;
    };
    if body[FORMAT.0].as_object().is_some_and(Fields::is_empty) {
        body.shift_remove(FORMAT.0);
    }
    if let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) {
        let text = schema_in_words(&format["schema"]);
        add(messages, "user", vec![text_block(text)]);
    }
}

/// The messages of a conversation.
fn messages(contents: &[Arc<Content>]) -> Result<Vec<Value>, ModelError> {
    let mut messages = Vec::new();
    let mut ids = CallIds::default();
    for content in contents {
        if content.role() == Some(Role::Model) {
            add(&mut messages, "assistant", assistant(content, &mut ids));
        } else {
            add(&mut messages, "user", user(content, &mut ids)?);
        }
    }
    Ok(messages)
}

/// Adds blocks of `role`: to the last message, if it has that role.
fn add(messages: &mut Vec<Value>, role: &str, blocks: Vec<Value>) {
    if blocks.is_empty() {
        return;
    }
    let last = messages.last_mut().filter(|last| last["role"] == role);
    match last.and_then(|last| last["content"].as_array_mut()) {
        Some(kept) => kept.extend(blocks),
        None => messages.push(json!({"role": role, "content": blocks})),
    }
}

/// The blocks of the model, as they came if they came from such a server.
fn assistant(content: &Content, ids: &mut CallIds) -> Vec<Value> {
    ids.begin();
    let Some(blocks) = content.anthropic_blocks() else {
        let text = content.text();
        let text = (!text.trim().is_empty()).then(|| text_block(text));
        let calls = content.parts().iter().filter_map(Part::call);
        let calls = calls.map(|call| {
            let id = ids.open(call.id, call.name);
            let input = call.args.filter(|args| args.is_object()).cloned();
            let input = input.unwrap_or_else(|| json!({}));
            json!({"type": "tool_use", "id": id, "name": call.name, "input": input})
        });
        return text.into_iter().chain(calls).collect();
    };
    // The API refuses an empty text, which a model may have sent.
    let is_empty = |block: &Value| {
        block["type"] == "text"
            && block["text"]
                .as_str()
                .is_some_and(|it| it.trim().is_empty())
    };
    let blocks = blocks.iter().filter(|block| !is_empty(block)).cloned();
    let blocks = blocks.map(|mut block| {
        if block["type"] == "tool_use" {
            let id = block["id"].as_str().filter(|id| !id.is_empty());
            let id = ids.open(id, block["name"].as_str().unwrap_or_default());
            block["id"] = id.into();
            if !block["input"].is_object() {
                block["input"] = json!({});
            }
        }
        block
    });
    blocks.collect()
}

/// The blocks of the user: results first, as the API wants them.
fn user(content: &Content, ids: &mut CallIds) -> Result<Vec<Value>, ModelError> {
    let mut results = Vec::new();
    let mut blocks = Vec::new();
    for part in content.parts() {
        let mut known = part.clone();
        known.keep_files(&RESULT_FILES);
        if let Some((id, response)) = ids.close(&known) {
            results.push(result(&known, &id, response)?);
        } else if let Some(text) = part.answer() {
            blocks.extend((!text.trim().is_empty()).then(|| text_block(text)));
        } else {
            blocks.extend(file(part)?);
        }
    }
    results.extend(blocks);
    Ok(results)
}

/// The result of a call: its text, and the images beside it.
fn result(part: &Part, id: &str, response: &Value) -> Result<Value, ModelError> {
    let mut result = json!({"type": "tool_result", "tool_use_id": id});
    let text = text(response);
    let files = part.fields()["functionResponse"]["parts"].as_array();
    let files = files.into_iter().flatten().filter_map(Value::as_object);
    let files = files.map(|fields| file(&Part::from_fields(fields.clone())));
    let files: Vec<Value> = files
        .filter_map(Result::transpose)
        .collect::<Result<_, _>>()?;
    result["content"] = if files.is_empty() {
        text.into()
    } else {
        let text = (!text.trim().is_empty()).then(|| text_block(text));
        text.into_iter().chain(files).collect()
    };
    if response.get("error").is_some_and(|error| !error.is_null()) {
        result["is_error"] = true.into();
    }
    Ok(result)
}

/// The block of a file, if `part` is one.
fn file(part: &Part) -> Result<Option<Value>, ModelError> {
    let source = |kind: &str, source: Value| Ok(Some(json!({"type": kind, "source": source})));
    if let Some((mime_type, data)) = part.data() {
        let kind = match mime_type {
            "application/pdf" => "document",
            _ if mime_type.starts_with("image/") => "image",
            _ => return Err(ModelError::Unsupported("files other than images and PDF")),
        };
        let base64 = json!({"type": "base64", "media_type": mime_type, "data": data});
        return source(kind, base64);
    }
    let Some(file) = part.fields().get("fileData") else {
        return Ok(None);
    };
    let is_pdf = file["mimeType"] == "application/pdf";
    let kind = if is_pdf { "document" } else { "image" };
    source(kind, json!({"type": "url", "url": file["fileUri"]}))
}
