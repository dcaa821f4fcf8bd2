//! A turn of a conversation and its parts: text, thoughts, calls, results, files.
//!
//! Every field that a provider sent is kept, known or not: what a model said must go back
//! to it unchanged, or the API rejects the request.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user, and the results of tools.
    User,
    /// The model.
    Model,
}

impl Role {
    const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
        }
    }
}

/// A `Content` object of the Gemini API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Content {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<Part>>,
    /// The message of a server with another API that this content was read from: it goes back
    /// there as it came. The Gemini API does not get it. One of Anthropic has `type: message`.
    #[serde(default, skip_serializing)]
    message: Option<Map<String, Value>>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Content {
    /// A turn of `role`.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role: Some(role.as_str().to_owned()),
            parts: Some(parts),
            ..Self::default()
        }
    }

    /// A turn of the user.
    pub fn user(parts: Vec<Part>) -> Self {
        Self::new(Role::User, parts)
    }

    /// Instructions: a content without a role.
    pub fn system(text: impl Into<String>) -> Self {
        Self {
            parts: Some(vec![Part::text_of(text)]),
            ..Self::default()
        }
    }

    /// Reads a content, with its keys in camel or snake case. `None` if it is not one.
    pub fn from_wire(value: Value) -> Option<Self> {
        serde_json::from_value(camel_case(value)).ok()
    }

    /// Encodes the content for a log, with the message that it was read from.
    pub fn to_log(&self) -> Value {
        let mut logged = json!(self);
        if let Some(message) = &self.message {
            logged["message"] = json!(message);
        }
        logged
    }

    /// The message of the API of OpenAI that it was read from.
    pub(crate) fn openai_message(&self) -> Option<&Map<String, Value>> {
        let message = self.message.as_ref();
        message.filter(|message| message.get("type").is_none_or(|kind| kind != "message"))
    }

    /// The blocks of the message of Anthropic's API that it was read from.
    pub(crate) fn anthropic_blocks(&self) -> Option<&Vec<Value>> {
        let message = self.message.as_ref()?;
        let is_kind = message.get("type").is_some_and(|kind| kind == "message");
        message.get("content").filter(|_| is_kind)?.as_array()
    }

    /// Who speaks; `None` for instructions and for roles of later versions.
    pub fn role(&self) -> Option<Role> {
        match self.role.as_deref() {
            Some("user") => Some(Role::User),
            Some("model") => Some(Role::Model),
            _ => None,
        }
    }

    /// Its parts.
    pub fn parts(&self) -> &[Part] {
        self.parts.as_deref().unwrap_or_default()
    }

    /// Its parts, to change them.
    pub fn parts_mut(&mut self) -> &mut [Part] {
        self.parts.as_deref_mut().unwrap_or_default()
    }

    /// Says who speaks, unless it does: a response may leave it out, but in a request that would
    /// be the user.
    pub(crate) fn set_default_role(&mut self, role: Role) {
        self.role.get_or_insert_with(|| role.as_str().to_owned());
    }

    /// Appends the parts of `next`, the continuation of this content in a stream. Parts are
    /// never merged: a signature belongs to exactly one of them.
    pub(crate) fn extend(&mut self, next: Self) {
        if self.role.is_none() {
            self.role = next.role;
        }
        if let Some(parts) = next.parts {
            self.parts.get_or_insert_default().extend(parts);
        }
        self.message = next.message.or(self.message.take());
        self.rest.extend(next.rest);
    }

    /// Returns true if one of its parts is the result of a call.
    pub fn has_results(&self) -> bool {
        self.parts().iter().any(Part::is_result)
    }

    /// Returns true if it begins a turn: a message of the user that is not the result of a call.
    pub fn begins_turn(&self) -> bool {
        self.role() == Some(Role::User) && !self.parts().is_empty() && !self.has_results()
    }

    /// All its text that is not a thought.
    pub fn text(&self) -> String {
        self.parts().iter().filter_map(Part::answer).collect()
    }
}

/// A `Part` object of the Gemini API, with every field as it was received.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Part(Map<String, Value>);

/// A call that a model asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FunctionCall<'a> {
    /// An identifier that the result repeats; older models send none.
    pub id: Option<&'a str>,
    /// The name of the tool.
    pub name: &'a str,
    /// The arguments: an object, unless the model errs; absent if there are none.
    pub args: Option<&'a Value>,
}

impl Part {
    const SIGNATURE: &'static str = "thoughtSignature";

    /// Text.
    pub fn text_of(text: impl Into<String>) -> Self {
        Self::of("text", text.into().into())
    }

    /// A call.
    pub fn call_of(id: Option<&str>, name: &str, args: Value) -> Self {
        Self::of("functionCall", named(id, name, "args", args))
    }

    /// The response to `call`: an object, with the key `output` or `error`.
    pub fn result_of(call: &FunctionCall<'_>, response: Value) -> Self {
        let response = named(call.id, call.name, "response", response);
        Self::of("functionResponse", response)
    }

    /// Adds `files` to the result that it is: parts with data.
    #[must_use]
    pub fn with_files(mut self, files: &[Value]) -> Self {
        let result = self.0.get_mut("functionResponse");
        if let Some(result) = result.filter(|_| !files.is_empty()) {
            result["parts"] = files.into();
        }
        self
    }

    /// Removes the files of a result that are of other types than `types`, and notes that in its
    /// response.
    pub(crate) fn keep_files(&mut self, types: &[&str]) {
        let result = self.0.get_mut("functionResponse");
        let Some(result) = result.and_then(Value::as_object_mut) else {
            return;
        };
        let Some(Value::Array(mut files)) = result.shift_remove("parts") else {
            return;
        };
        let mut omitted = Vec::new();
        files.retain(|file| {
            let data = file.get("inlineData").or(file.get("fileData"));
            let kind = data.and_then(|data| data["mimeType"].as_str());
            let is_kept = kind.is_some_and(|kind| types.contains(&kind));
            omitted.extend(kind.filter(|_| !is_kept).map(str::to_owned));
            is_kept
        });
        if !files.is_empty() {
            result.insert("parts".to_owned(), files.into());
        }
        if let (false, Some(response)) = (omitted.is_empty(), result.get_mut("response")) {
            let kinds = omitted.join(", ");
            let note = format!("[not shown: {kinds}; this model takes no such files in results]");
            match &mut response["output"] {
                Value::String(text) => {
                    text.push_str("\n\n");
                    text.push_str(&note);
                }
                _ => response["omitted"] = note.into(),
            }
        }
    }

    /// A file: its type and its bytes as base64.
    pub fn data_of(mime_type: &str, base64: &str) -> Self {
        Self::of("inlineData", json!({"mimeType": mime_type, "data": base64}))
    }

    /// A file at `url`, which the provider reads, and its type, if it is known.
    pub fn url_of(mime_type: Option<&str>, url: &str) -> Self {
        let mut file = json!({ "fileUri": url });
        if let Some(mime_type) = mime_type {
            file["mimeType"] = mime_type.into();
        }
        Self::of("fileData", file)
    }

    /// A part with these fields.
    pub(crate) const fn from_fields(fields: Map<String, Value>) -> Self {
        Self(fields)
    }

    fn of(key: &str, value: Value) -> Self {
        Self(Map::from_iter([(key.to_owned(), value)]))
    }

    /// Its text, thought or not.
    pub fn text(&self) -> Option<&str> {
        self.0.get("text")?.as_str()
    }

    /// Returns true if its text is a thought.
    pub fn is_thought(&self) -> bool {
        self.0.get("thought").and_then(Value::as_bool) == Some(true)
    }

    /// Its text, if it is part of the answer.
    pub fn answer(&self) -> Option<&str> {
        if self.is_thought() { None } else { self.text() }
    }

    /// Its text, if it is a thought.
    pub fn thought(&self) -> Option<&str> {
        if self.is_thought() { self.text() } else { None }
    }

    /// The call that it is.
    pub fn call(&self) -> Option<FunctionCall<'_>> {
        let call = self.0.get("functionCall")?.as_object()?;
        Some(FunctionCall {
            id: call.get("id").and_then(Value::as_str),
            name: call.get("name").and_then(Value::as_str).unwrap_or_default(),
            args: call.get("args").filter(|args| !args.is_null()),
        })
    }

    /// Returns true if it is the result of a call.
    pub fn is_result(&self) -> bool {
        self.0.contains_key("functionResponse")
    }

    /// The name and the response of the result that it is.
    pub fn result(&self) -> Option<(&str, &Value)> {
        let response = self.0.get("functionResponse")?;
        Some((response.get("name")?.as_str()?, response.get("response")?))
    }

    /// Replaces the response of the result that it is, with its files.
    pub fn set_result(&mut self, response: Value) {
        let result = self.0.get_mut("functionResponse");
        if let Some(result) = result.and_then(Value::as_object_mut) {
            result.insert("response".to_owned(), response);
            result.shift_remove("parts");
        }
    }

    /// Its type and its bytes as base64, if it is a file.
    pub fn data(&self) -> Option<(&str, &str)> {
        let data = self.0.get("inlineData")?;
        Some((data.get("mimeType")?.as_str()?, data.get("data")?.as_str()?))
    }

    /// Its signature, as it was received: base64, standard or for URLs.
    pub fn signature(&self) -> Option<&str> {
        self.0.get(Self::SIGNATURE)?.as_str()
    }

    /// Signs it.
    pub fn set_signature(&mut self, signature: &str) {
        self.0.insert(Self::SIGNATURE.to_owned(), signature.into());
    }

    /// All its fields.
    pub const fn fields(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// The fields of a call or a response.
fn named(id: Option<&str>, name: &str, key: &str, value: Value) -> Value {
    let id = id.map(|id| ("id".to_owned(), id.into()));
    let rest = [("name".to_owned(), name.into()), (key.to_owned(), value)];
    Value::Object(id.into_iter().chain(rest).collect())
}

/// The stand-in for a signature that the Gemini API accepts for calls of another model.
pub const SENTINEL: &str = "skip_thought_signature_validator";

/// Adds [`SENTINEL`] where the API requires a signature and the history has none: on the first
/// call of each response in the current turn. Earlier turns are not validated.
pub fn fill_missing(contents: &mut [Arc<Content>]) {
    let start = contents.iter().rposition(|content| content.begins_turn());
    for content in contents.iter_mut().skip(start.unwrap_or(usize::MAX)) {
        if let Some(index) = unsigned_call(content) {
            let parts = Arc::make_mut(content).parts_mut();
            parts[index].set_signature(SENTINEL);
        }
    }
}

/// The first call of a model's content, if it should have a signature and has none.
fn unsigned_call(content: &Content) -> Option<usize> {
    if content.role() != Some(Role::Model) {
        return None;
    }
    let parts = content.parts();
    let first = parts.iter().position(|part| part.call().is_some())?;
    let signature = parts.get(first).and_then(Part::signature);
    signature.is_none_or(str::is_empty).then_some(first)
}

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
    let camel = camel(&key);
    let is_known = KEYS.contains(&camel.as_str());
    let key = if is_known { camel } else { key };
    if CONTAINERS.contains(&key.as_str()) {
        (key, camel_case(value))
    } else {
        (key, value)
    }
}

fn camel(key: &str) -> String {
    let mut words = key.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.ceil_char_boundary(1));
        camel.push_str(&first.to_ascii_uppercase());
        camel.push_str(rest);
    }
    camel
}
