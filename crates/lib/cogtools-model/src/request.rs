//! A request to a model.

use std::sync::Arc;

use cogtools_process::digest;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::Content;

/// A request to a model.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The model's name, without the prefix `models/`.
    pub model: String,
    /// Instructions.
    pub system: Option<Arc<Content>>,
    /// The declarations of the tools, in the format of the Gemini API.
    pub tools: Arc<Vec<Value>>,
    /// Permitted use of the tools.
    pub mode: ToolMode,
    /// The conversation.
    pub contents: Vec<Arc<Content>>,
    /// The settings of the answer.
    pub generation: Generation,
    /// The name of a cache, which then holds the instructions, the tools and the beginning of
    /// the conversation.
    pub cached_content: Option<String>,
}

/// Permitted use of tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolMode {
    /// It calls tools or answers.
    #[default]
    Auto,
    /// It calls one of these tools, or any if there are none.
    Any(Vec<String>),
    /// It answers.
    None,
    /// As [`ToolMode::Auto`], but its calls match the declarations: one of these tools, or any
    /// if there are none.
    Validated(Vec<String>),
}

/// Options of an answer; the provider chooses an absent one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Generation {
    /// From 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Makes answers repeatable, as far as the provider can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i32>,
    /// The limit of tokens of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Texts that end an answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
    /// The JSON Schema of an answer in JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_json_schema: Option<Value>,
    /// True if thoughts are part of the response.
    #[serde(skip)]
    pub include_thoughts: bool,
    /// Further fields of `generationConfig`, such as `topP` or `thinkingConfig`. Those above
    /// win.
    #[serde(skip)]
    pub rest: Map<String, Value>,
}

impl Generation {
    fn to_wire(&self) -> Map<String, Value> {
        let mut wire = self.rest.clone();
        if let Ok(Value::Object(fields)) = serde_json::to_value(self) {
            wire.extend(fields);
        }
        if self.response_json_schema.is_some() {
            wire.insert("responseMimeType".to_owned(), "application/json".into());
        }
        if self.include_thoughts {
            let config = wire.entry("thinkingConfig").or_insert_with(|| json!({}));
            if let Value::Object(fields) = config {
                fields.insert("includeThoughts".to_owned(), true.into());
            }
        }
        wire
    }
}

/// The body of a request, borrowed: histories are long.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<&'a Content>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Value>,
    contents: &'a [Arc<Content>],
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_content: Option<&'a str>,
}

impl Request {
    /// The body in the format of the Gemini API. The same request gives the same bytes.
    pub fn body(&self) -> Vec<u8> {
        let is_cached = self.cached_content.is_some();
        let tools = (!self.tools.is_empty() && !is_cached)
            .then(|| json!([{"functionDeclarations": self.tools}]));
        let generation = self.generation.to_wire();
        let body = Body {
            system_instruction: self.system.as_deref().filter(|_| !is_cached),
            tool_config: tools.as_ref().and_then(|_| self.mode.to_wire()),
            tools,
            contents: &self.contents,
            generation_config: (!generation.is_empty()).then_some(generation),
            cached_content: self.cached_content.as_deref(),
        };
        // Strings, numbers and maps with string keys are always valid JSON.
        serde_json::to_vec(&body).unwrap_or_default()
    }

    /// The tools that the model may call, for an API without a list of allowed names.
    pub(crate) fn allowed_tools(&self) -> impl Iterator<Item = &Value> {
        self.tools.iter().filter(|tool| match &self.mode {
            ToolMode::Any(names) | ToolMode::Validated(names) if !names.is_empty() => {
                names.iter().any(|allowed| tool["name"] == allowed.as_str())
            }
            _ => true,
        })
    }

    /// The canonical hash, by which a recorded response is found: of the model and the body.
    pub fn hash(&self) -> String {
        self.hash_with(&self.body())
    }

    /// Hashes a `body` that exists already.
    pub fn hash_with(&self, body: &[u8]) -> String {
        digest::bytes(&[self.model.as_bytes(), b"\n", body].concat()).to_string()
    }
}

/// The JSON Schema of the arguments of a tool.
pub(crate) fn json_schema(declaration: &Value) -> Value {
    let schema = declaration.get("parametersJsonSchema");
    let schema = schema.or_else(|| declaration.get("parameters")).cloned();
    schema.unwrap_or_else(|| json!({"type": "object", "properties": {}}))
}

/// The form of an answer, for a server that takes no schema.
pub(crate) fn schema_in_words(schema: &Value) -> String {
    format!("Answer with JSON alone, which matches this JSON Schema:\n{schema}")
}

impl ToolMode {
    /// The `toolConfig`; `None` for the API's default.
    fn to_wire(&self) -> Option<Value> {
        let (mode, names): (_, &[String]) = match self {
            Self::Auto => return None,
            Self::None => ("NONE", &[]),
            Self::Any(names) => ("ANY", names),
            Self::Validated(names) => ("VALIDATED", names),
        };
        let mut config = json!({ "mode": mode });
        if !names.is_empty() {
            config["allowedFunctionNames"] = json!(names);
        }
        Some(json!({ "functionCallingConfig": config }))
    }
}
