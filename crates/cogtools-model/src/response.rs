//! A response, put together from the chunks of a stream.

use serde_json::Value;

use crate::wire::camel_case;
use crate::{Content, Finish, FunctionCall, Part, Usage};

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
    response_id: Option<String>,
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
        self.response_id = fields
            .get("responseId")
            .and_then(text)
            .or(self.response_id.take());
        let feedback = fields.get("promptFeedback");
        if let Some(reason) = feedback.and_then(|feedback| feedback.get("blockReason")) {
            self.block_reason = text(reason);
        }
        let Some(Value::Array(candidates)) = fields.remove("candidates") else {
            return 0;
        };
        let Some(Value::Object(mut candidate)) = candidates.into_iter().next() else {
            return 0;
        };
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            self.finish = Some(Finish::new(reason));
        }
        if let Some(message) = candidate.get("finishMessage") {
            self.finish_message = text(message);
        }
        let content = candidate.remove("content");
        let Some(content) = content.and_then(|value| serde_json::from_value::<Content>(value).ok())
        else {
            return 0;
        };
        let count = content.parts().len();
        match &mut self.content {
            Some(whole) => whole.extend(content),
            None => self.content = Some(content),
        }
        count
    }

    /// What the model said, unchanged.
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

    /// Why it ended; `None` before the end, and if the provider does not say it.
    pub const fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// The provider's explanation of [`Response::finish`].
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
        self.response_id.as_deref()
    }

    /// Whether there is nothing to use in it: neither text nor a call.
    pub fn is_empty(&self) -> bool {
        let is_used = |part: &Part| {
            part.call().is_some()
                || part.answer().is_some_and(|text| !text.trim().is_empty())
                || part.data().is_some()
        };
        !self.parts().iter().any(is_used)
    }
}
