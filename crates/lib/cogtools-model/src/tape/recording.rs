//! A line of a tape: a request, and how it was answered.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mask::Secrets;
use crate::{ApiError, ApiErrorKind, Request};

/// A request and what was answered: chunks, an error, or chunks and then an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Recording {
    pub(super) hash: String,
    pub(super) model: String,
    pub(super) request: Value,
    pub(super) response: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<RecordedError>,
}

/// An error of the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedError {
    kind: ApiErrorKind,
    status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

impl Recording {
    /// `request` without an answer; its body as it may be kept.
    pub(super) fn new(request: &Request, body: Value) -> Self {
        Self {
            hash: hash(&request.model, &body),
            model: request.model.clone(),
            request: body,
            response: Vec::new(),
            error: None,
        }
    }

    /// Whether the request is the one of the hash; an edited one would never be found.
    pub(super) fn is_intact(&self) -> bool {
        self.hash == hash(&self.model, &self.request)
    }
}

fn hash(model: &str, body: &Value) -> String {
    let request = Request {
        model: model.to_owned(),
        ..Request::default()
    };
    request.hash_with(&serde_json::to_vec(body).unwrap_or_default())
}

impl RecordedError {
    /// Removes secrets that the provider quotes.
    pub(super) fn mask(&mut self, secrets: &Secrets) {
        self.message = secrets.mask_text(std::mem::take(&mut self.message));
    }
}

impl From<&ApiError> for RecordedError {
    fn from(error: &ApiError) -> Self {
        let milliseconds = |wait: Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        Self {
            kind: error.kind,
            status: error.status,
            name: error.name.clone(),
            message: error.message.clone(),
            retry_after_ms: error.retry_after.map(milliseconds),
        }
    }
}

impl From<RecordedError> for ApiError {
    fn from(recorded: RecordedError) -> Self {
        Self {
            kind: recorded.kind,
            status: recorded.status,
            name: recorded.name,
            message: recorded.message,
            retry_after: recorded.retry_after_ms.map(Duration::from_millis),
        }
    }
}
