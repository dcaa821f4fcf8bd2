//! A response, put together from the chunks of a stream.

use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::camel_case;
use crate::{Content, FunctionCall, ModelError, Part, Role};

/// A part of a response: a whole `GenerateContentResponse` of the Gemini API.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk(Value);

impl Chunk {
    /// Takes a response with its keys in camel or snake case.
    pub fn from_wire(value: Value) -> Self {
        Self(camel_case(value))
    }

    /// The response as JSON.
    pub const fn as_json(&self) -> &Value {
        &self.0
    }

    /// Returns true if it says why the response ended.
    pub(crate) fn finishes(&self) -> bool {
        let reason = candidate(&self.0).and_then(|candidate| candidate.get("finishReason"));
        let block = self.0.pointer("/promptFeedback/blockReason");
        reason.or(block).is_some_and(Value::is_string)
    }
}

/// A chunk out of `value`, if it has the structure of a response: what it lacks is allowed, what
/// it has must be usable.
pub(crate) fn checked(value: Value) -> Result<Chunk, ModelError> {
    let wrong = |what: &str| Err(ModelError::InvalidResponse(what.to_owned()));
    let chunk = Chunk::from_wire(value);
    if !chunk.0.is_object() {
        return wrong("an event is not a JSON object");
    }
    let candidates = chunk.0.get("candidates").filter(|value| !value.is_null());
    if candidates.is_some_and(|candidates| !candidates.is_array()) {
        return wrong("`candidates` is not a list");
    }
    let content = candidate(&chunk.0).and_then(|candidate| candidate.get("content"));
    let Some(content) = content.filter(|content| !content.is_null()) else {
        return Ok(chunk);
    };
    let is_part_list = |parts: &Vec<Value>| parts.iter().all(Value::is_object);
    let parts = content.get("parts").filter(|parts| !parts.is_null());
    if !content.is_object()
        || parts.is_some_and(|parts| !parts.as_array().is_some_and(is_part_list))
    {
        return wrong("`content` is not an object with a list of parts");
    }
    Ok(chunk)
}

/// The first candidate; requests ask for one.
fn candidate(response: &Value) -> Option<&Value> {
    let candidates = response.get("candidates")?.as_array()?;
    candidates.get(candidate_position(candidates)?)
}

fn candidate_position(candidates: &[Value]) -> Option<usize> {
    let is_first = |candidate: &Value| {
        let index = candidate.get("index").and_then(Value::as_u64);
        candidate.is_object() && index.unwrap_or(0) == 0
    };
    candidates.iter().position(is_first)
}

/// All that is known of a response so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    content: Option<Content>,
    finish: Option<Finish>,
    finish_message: Option<String>,
    block_reason: Option<String>,
    usage: Option<Usage>,
    model_version: Option<String>,
    id: Option<String>,
}

impl Response {
    /// Adds the next chunk. Returns the number of its parts, which are the last ones of
    /// [`Response::parts`].
    pub fn push(&mut self, chunk: Chunk) -> usize {
        let Chunk(Value::Object(mut fields)) = chunk else {
            return 0;
        };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if let Some(usage) = fields.get("usageMetadata") {
            self.usage = Some(Usage::from_wire(usage));
        }
        self.model_version = fields
            .get("modelVersion")
            .and_then(text)
            .or(self.model_version.take());
        self.id = fields.get("responseId").and_then(text).or(self.id.take());
        if let Some(feedback) = fields.get("promptFeedback") {
            let reason = feedback.get("blockReason").and_then(text);
            self.block_reason = reason.or(self.block_reason.take());
            let message = feedback.get("blockReasonMessage").and_then(text);
            self.finish_message = message.or(self.finish_message.take());
        }
        let Some(Value::Array(mut candidates)) = fields.remove("candidates") else {
            return 0;
        };
        let position = candidate_position(&candidates);
        let Some(Value::Object(mut candidate)) =
            position.map(|position| candidates.swap_remove(position))
        else {
            return 0;
        };
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            self.finish = Some(Finish::new(reason));
        }
        let message = candidate.get("finishMessage").and_then(text);
        self.finish_message = message.or(self.finish_message.take());
        let content = candidate.remove("content");
        let content = content.and_then(|value| serde_json::from_value::<Content>(value).ok());
        let Some(mut content) = content else {
            return 0;
        };
        content.set_default_role(Role::Model);
        let count = content.parts().len();
        match &mut self.content {
            Some(whole) => whole.extend(content),
            None => self.content = Some(content),
        }
        count
    }

    /// Returns the words of the model, unchanged.
    pub const fn content(&self) -> Option<&Content> {
        self.content.as_ref()
    }

    /// The parts of [`Response::content`].
    pub fn parts(&self) -> &[Part] {
        self.content.as_ref().map_or(&[], Content::parts)
    }

    /// The answer.
    pub fn text(&self) -> String {
        self.parts().iter().filter_map(Part::answer).collect()
    }

    /// The thoughts.
    pub fn thoughts(&self) -> String {
        self.parts().iter().filter_map(Part::thought).collect()
    }

    /// The calls, in the order in which their results must be sent.
    pub fn calls(&self) -> Vec<FunctionCall<'_>> {
        self.parts().iter().filter_map(Part::call).collect()
    }

    /// Why it ended; `None` before the end, and if the provider does not say it: then the stream
    /// was cut, unless there is a [`Response::block_reason`].
    pub const fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// Returns true if the stream broke off: neither a reason to end nor one to refuse has arrived.
    pub const fn is_cut(&self) -> bool {
        self.finish.is_none() && self.block_reason.is_none()
    }

    /// The provider's explanation of [`Response::finish`] or [`Response::block_reason`].
    pub fn finish_message(&self) -> Option<&str> {
        self.finish_message.as_deref()
    }

    /// Why the provider refused the prompt.
    pub fn block_reason(&self) -> Option<&str> {
        self.block_reason.as_deref()
    }

    /// The tokens, as the last chunk that names them counts.
    pub fn usage(&self) -> Usage {
        self.usage.unwrap_or_default()
    }

    /// The version of the model that answered.
    pub fn model_version(&self) -> Option<&str> {
        self.model_version.as_deref()
    }

    /// The provider's identifier.
    pub fn response_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns true if there is nothing to use in it: neither text nor a call.
    pub fn is_empty(&self) -> bool {
        let is_used = |part: &Part| {
            part.call().is_some()
                || part.answer().is_some_and(|text| !text.trim().is_empty())
                || part.data().is_some()
        };
        !self.parts().iter().any(is_used)
    }
}

/// The `finishReason` of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model was done, also with calls.
    Stop,
    /// The limit of output tokens was reached.
    MaxTokens,
    /// The provider's policies ended it.
    Refused(String),
    /// The model made a call that is none.
    MalformedCall(String),
    /// Any other reason, as the provider names it.
    Other(String),
}

impl Finish {
    /// Reads the provider's name.
    pub fn new(reason: &str) -> Self {
        let name = reason.to_owned();
        match reason {
            "STOP" => Self::Stop,
            "MAX_TOKENS" => Self::MaxTokens,
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "LANGUAGE"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => Self::Refused(name),
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
                Self::MalformedCall(name)
            }
            _ => Self::Other(name),
        }
    }

    /// The provider's name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "STOP",
            Self::MaxTokens => "MAX_TOKENS",
            Self::Refused(name) | Self::MalformedCall(name) | Self::Other(name) => name,
        }
    }
}

impl fmt::Display for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Token counts. A provider that does not report one leaves it at zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "snake_case")]
pub struct Usage {
    /// Of the request, cached ones included.
    pub prompt: u64,
    /// Of the request, those that came from a cache.
    pub cached: u64,
    /// Of the answer and its calls.
    pub output: u64,
    /// Of thoughts.
    pub thoughts: u64,
    /// As the provider sums them up.
    pub total: u64,
}

impl Usage {
    /// Reads a `usageMetadata` object.
    pub(crate) fn from_wire(metadata: &Value) -> Self {
        let count = |key: &str| metadata.get(key).and_then(Value::as_u64).unwrap_or(0);
        Self {
            prompt: count("promptTokenCount"),
            cached: count("cachedContentTokenCount"),
            output: count("candidatesTokenCount"),
            thoughts: count("thoughtsTokenCount"),
            total: count("totalTokenCount"),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt += other.prompt;
        self.cached += other.cached;
        self.output += other.output;
        self.thoughts += other.thoughts;
        self.total += other.total;
    }
}
