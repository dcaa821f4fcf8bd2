//! A part of a turn: text, a thought, a call, a result, a file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
    /// The key of a signature.
    pub(crate) const SIGNATURE: &'static str = "thoughtSignature";

    /// Text.
    pub fn text_of(text: impl Into<String>) -> Self {
        Self::of("text", Value::String(text.into()))
    }

    /// A call.
    pub fn call_of(id: Option<&str>, name: &str, args: Value) -> Self {
        let mut call = Map::new();
        if let Some(id) = id {
            call.insert("id".to_owned(), id.into());
        }
        call.insert("name".to_owned(), name.into());
        call.insert("args".to_owned(), args);
        Self::of("functionCall", Value::Object(call))
    }

    /// The result of `call`: an object with the key `output` or `error`.
    pub fn result_of(call: &FunctionCall<'_>, key: ResultKey, result: Value) -> Self {
        let mut response = Map::new();
        if let Some(id) = call.id {
            response.insert("id".to_owned(), id.into());
        }
        response.insert("name".to_owned(), call.name.into());
        response.insert(
            "response".to_owned(),
            Value::Object(Map::from_iter([(key.as_str().to_owned(), result)])),
        );
        Self::of("functionResponse", Value::Object(response))
    }

    /// A file: its type and its bytes as base64.
    pub fn data_of(mime_type: &str, base64: String) -> Self {
        Self::of(
            "inlineData",
            Value::Object(Map::from_iter([
                ("mimeType".to_owned(), mime_type.into()),
                ("data".to_owned(), base64.into()),
            ])),
        )
    }

    fn of(key: &str, value: Value) -> Self {
        Self(Map::from_iter([(key.to_owned(), value)]))
    }

    /// Its text, thought or not.
    pub fn text(&self) -> Option<&str> {
        self.0.get("text")?.as_str()
    }

    /// Whether its text is a thought.
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

    /// Whether it is the result of a call.
    pub fn is_result(&self) -> bool {
        self.0.contains_key("functionResponse")
    }

    /// The name and the response of the result that it is.
    pub fn result(&self) -> Option<(&str, &Value)> {
        let response = self.0.get("functionResponse")?;
        Some((response.get("name")?.as_str()?, response.get("response")?))
    }

    /// Replaces the response of the result that it is.
    pub fn set_result(&mut self, response: Value) {
        let result = self.0.get_mut("functionResponse");
        if let Some(result) = result.and_then(Value::as_object_mut) {
            result.insert("response".to_owned(), response);
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

/// What a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKey {
    /// The output of a tool that succeeded.
    Output,
    /// The reason why there is none.
    Error,
}

impl ResultKey {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Output => "output",
            Self::Error => "error",
        }
    }
}
