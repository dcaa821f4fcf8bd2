//! A response, put together from the chunks of a stream.

use std::fmt;
use std::ops::AddAssign;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
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

    /// Takes a response with the right structure: fields that it lacks are allowed, those that
    /// it has must be usable.
    pub(crate) fn checked(value: Value) -> Result<Self, ModelError> {
        let wrong = |what: &str| Err(ModelError::InvalidResponse(what.to_owned()));
        let chunk = Self::from_wire(value);
        if !chunk.0.is_object() {
            return wrong("an event is not a JSON object");
        }
        let candidates = match &chunk.0["candidates"] {
            Value::Null => return Ok(chunk),
            Value::Array(candidates) => candidates,
            _ => return wrong("`candidates` is not a list"),
        };
        let first = candidates.iter().find(|candidate| is_first(candidate));
        let is_usable = match first.map(|candidate| &candidate["content"]) {
            None | Some(Value::Null) => true,
            Some(Value::Object(content)) => match content.get("parts") {
                None | Some(Value::Null) => true,
                Some(parts) => parts
                    .as_array()
                    .is_some_and(|parts| parts.iter().all(Value::is_object)),
            },
            Some(_) => false,
        };
        if !is_usable {
            return wrong("`content` is not an object with a list of parts");
        }
        Ok(chunk)
    }

    /// Returns true if it says why the response ended.
    pub(crate) fn finishes(&self) -> bool {
        let candidates = self.0["candidates"].as_array().into_iter().flatten();
        let first = candidates.into_iter().find(|candidate| is_first(candidate));
        first.is_some_and(|candidate| candidate["finishReason"].is_string())
            || self.0["promptFeedback"]["blockReason"].is_string()
    }
}

/// Returns true for the candidate that is used; requests ask for one.
fn is_first(candidate: &Value) -> bool {
    candidate.is_object() && candidate["index"].as_u64().unwrap_or(0) == 0
}

/// A field that is ignored if its value is of another type.
pub(crate) fn lenient<'d, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'d>,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// A chunk, as far as it is known.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireResponse {
    #[serde(deserialize_with = "lenient")]
    candidates: Vec<Value>,
    #[serde(deserialize_with = "lenient")]
    prompt_feedback: WireFeedback,
    #[serde(deserialize_with = "lenient")]
    usage_metadata: Option<Usage>,
    #[serde(deserialize_with = "lenient")]
    model_version: Option<String>,
    #[serde(deserialize_with = "lenient")]
    response_id: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireFeedback {
    #[serde(deserialize_with = "lenient")]
    block_reason: Option<String>,
    #[serde(deserialize_with = "lenient")]
    block_reason_message: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireCandidate {
    #[serde(deserialize_with = "lenient")]
    content: Option<Content>,
    #[serde(deserialize_with = "lenient")]
    finish_reason: Option<String>,
    #[serde(deserialize_with = "lenient")]
    finish_message: Option<String>,
}

/// The part of a response that has arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// The words of the model, unchanged.
    pub content: Option<Content>,
    /// Why it ended; `None` before the end, and if the provider does not say it: then the stream
    /// was cut, unless there is a [`Response::block_reason`].
    pub finish: Option<Finish>,
    /// The provider's explanation of [`Response::finish`] or [`Response::block_reason`].
    pub finish_message: Option<String>,
    /// Why the provider refused the prompt.
    pub block_reason: Option<String>,
    /// The tokens, as the last chunk that names them counts.
    pub usage: Usage,
    /// The version of the model that answered.
    pub model_version: Option<String>,
    /// The provider's identifier.
    pub id: Option<String>,
}

impl Response {
    /// Adds the next chunk. Returns the number of its parts, which are the last ones of
    /// [`Response::parts`].
    pub fn push(&mut self, Chunk(value): Chunk) -> usize {
        fn update<T>(field: &mut Option<T>, value: Option<T>) {
            *field = value.or(field.take());
        }
        let Ok(chunk) = serde_json::from_value::<WireResponse>(value) else {
            return 0;
        };
        if let Some(usage) = chunk.usage_metadata {
            self.usage = usage;
        }
        update(&mut self.model_version, chunk.model_version);
        update(&mut self.id, chunk.response_id);
        let feedback = chunk.prompt_feedback;
        update(&mut self.block_reason, feedback.block_reason);
        update(&mut self.finish_message, feedback.block_reason_message);
        let first = chunk.candidates.into_iter().find(is_first);
        let candidate = first.and_then(|value| serde_json::from_value(value).ok());
        let candidate: WireCandidate = candidate.unwrap_or_default();
        let finish = candidate.finish_reason.as_deref().map(Finish::new);
        update(&mut self.finish, finish);
        update(&mut self.finish_message, candidate.finish_message);
        let Some(mut content) = candidate.content else {
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

    /// Returns true if the stream broke off: neither a reason to end nor one to refuse has arrived.
    pub const fn is_cut(&self) -> bool {
        self.finish.is_none() && self.block_reason.is_none()
    }

    /// Returns true if there is nothing to use in it: neither text nor a call.
    pub fn is_empty(&self) -> bool {
        !self.parts().iter().any(|part| {
            part.call().is_some()
                || part.answer().is_some_and(|text| !text.trim().is_empty())
                || part.data().is_some()
        })
    }
}

/// The `finishReason` of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model was done, also with calls.
    Stop,
    /// The limit of output tokens was reached.
    MaxTokens,
    /// The rest of the answer is missing for another reason, as the provider names it.
    Cut(String),
    /// The provider's policies ended it.
    Refused(String),
    /// The model made a call that is none.
    MalformedCall(String),
    /// Any other reason, as the provider names it.
    Other(String),
}

impl Finish {
    /// The name of the reason that the model can read no more tokens.
    const FULL: &str = "model_context_window_exceeded";

    /// Returns true if the rest of the answer is missing.
    pub const fn is_cut(&self) -> bool {
        matches!(self, Self::MaxTokens | Self::Cut(_))
    }

    /// Returns true if the conversation fills all that the model can read.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Cut(name) if name == Self::FULL)
    }

    /// Reads the provider's name.
    pub fn new(reason: &str) -> Self {
        let name = reason.to_owned();
        match reason {
            "STOP" => Self::Stop,
            "MAX_TOKENS" => Self::MaxTokens,
            // Of Anthropic: the second one, because tools of the server have taken too long.
            Self::FULL | "pause_turn" => Self::Cut(name),
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "LANGUAGE"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION"
            | "refusal" => Self::Refused(name),
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
            Self::Cut(name)
            | Self::Refused(name)
            | Self::MalformedCall(name)
            | Self::Other(name) => name,
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
    #[serde(alias = "promptTokenCount", deserialize_with = "lenient")]
    pub prompt: u64,
    /// Of the request, those that came from a cache.
    #[serde(alias = "cachedContentTokenCount", deserialize_with = "lenient")]
    pub cached: u64,
    /// Of the request, those that were written to a cache, if the provider charges for it.
    #[serde(
        alias = "cacheWriteTokenCount",
        deserialize_with = "lenient",
        skip_serializing_if = "is_zero"
    )]
    pub written: u64,
    /// Of the answer and its calls.
    #[serde(alias = "candidatesTokenCount", deserialize_with = "lenient")]
    pub output: u64,
    /// Of thoughts.
    #[serde(alias = "thoughtsTokenCount", deserialize_with = "lenient")]
    pub thoughts: u64,
    /// As the provider sums them up.
    #[serde(alias = "totalTokenCount", deserialize_with = "lenient")]
    pub total: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.cached = self.cached.saturating_add(other.cached);
        self.written = self.written.saturating_add(other.written);
        self.output = self.output.saturating_add(other.output);
        self.thoughts = self.thoughts.saturating_add(other.thoughts);
        self.total = self.total.saturating_add(other.total);
    }
}
