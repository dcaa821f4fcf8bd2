//! The API's responses to a request for content.

use serde_json::{Value, json};

use super::content::Content;
use super::error::ApiError;
use super::tokens::Usage;
use crate::http::{Body, Outgoing};

/// The content type of JSON.
pub(super) const JSON: &str = "application/json; charset=UTF-8";

/// The content type of a stream of events.
pub(super) const EVENTS: &str = "text/event-stream";

/// A JSON response.
pub(super) fn object(value: &Value) -> Outgoing {
    Outgoing {
        status: 200,
        kind: JSON.to_owned(),
        body: Body::Whole(value.to_string().into_bytes()),
    }
}

/// The error of a model that does not exist.
pub(super) fn unknown_model(model: &str, version: &str) -> ApiError {
    ApiError::new(404).message(format!(
        "models/{model} is not found for API version {version}, or is not supported for \
         generateContent. Call ListModels to see the list of available models and their \
         supported methods."
    ))
}

/// The parts that all responses to one request share.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) model: String,
    pub(super) number: usize,
    pub(super) usage: Usage,
}

impl Header {
    fn response(&self, usage: Usage) -> Value {
        json!({
            "usageMetadata": usage.metadata(),
            "modelVersion": self.model,
            "responseId": format!("response-{}", self.number),
        })
    }

    /// The responses of a stream; only the last says why the model stopped, and counts
    /// what it said.
    pub(super) fn responses(&self, content: &Content, events: &[Vec<Value>]) -> Vec<Value> {
        let before = Usage {
            thoughts: 0,
            answer: 0,
            ..self.usage
        };
        let last = events.len().saturating_sub(1);
        let response = |(index, parts): (usize, &Vec<Value>)| {
            let mut said = json!({ "role": "model" });
            if !parts.is_empty() {
                said["parts"] = parts.clone().into();
            }
            let mut candidate = json!({ "content": said, "index": 0 });
            if index == last {
                candidate["finishReason"] = content.finish().into();
                if !content.calls.is_empty() {
                    candidate["finishMessage"] = "Model generated function call(s).".into();
                }
            }
            let mut response = json!({ "candidates": [candidate] });
            let rest = self.response(if index == last { self.usage } else { before });
            merge(&mut response, rest);
            response
        };
        events.iter().enumerate().map(response).collect()
    }

    /// The response to a prompt that is blocked.
    pub(super) fn blocked(&self, reason: &str) -> Value {
        let mut response = json!({ "promptFeedback": { "blockReason": reason } });
        merge(&mut response, self.response(self.usage));
        response
    }
}

fn merge(response: &mut Value, rest: Value) {
    if let (Some(response), Value::Object(rest)) = (response.as_object_mut(), rest) {
        response.extend(rest);
    }
}
