//! An error in the API's format.

use serde_json::{Map, Value, json};

use crate::http::{Body, Outgoing};

/// An error of the API: a code, its name, a message and details.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    code: u16,
    status: String,
    message: String,
    details: Vec<Value>,
}

/// The codes with their names and usual messages.
const KNOWN: [(u16, &str, &str); 10] = [
    (
        400,
        "INVALID_ARGUMENT",
        "Request contains an invalid argument.",
    ),
    (
        401,
        "UNAUTHENTICATED",
        "Request had invalid authentication credentials.",
    ),
    (
        403,
        "PERMISSION_DENIED",
        "The caller does not have permission",
    ),
    (404, "NOT_FOUND", "Requested entity was not found."),
    (408, "DEADLINE_EXCEEDED", "The request timed out."),
    (
        429,
        "RESOURCE_EXHAUSTED",
        "Resource has been exhausted (e.g. check quota).",
    ),
    (
        500,
        "INTERNAL",
        "An internal error has occurred. Please retry or report.",
    ),
    (502, "UNAVAILABLE", "Bad gateway"),
    (
        503,
        "UNAVAILABLE",
        "The model is overloaded. Please try again later.",
    ),
    (
        504,
        "DEADLINE_EXCEEDED",
        "Deadline expired before operation could complete.",
    ),
];

impl ApiError {
    /// The error of an HTTP status, with its usual name and message.
    pub fn new(code: u16) -> Self {
        let known = KNOWN.iter().find(|known| known.0 == code);
        let (_, status, message) = known.copied().unwrap_or((code, "UNKNOWN", "unknown"));
        Self {
            code,
            status: status.to_owned(),
            message: message.to_owned(),
            details: Vec::new(),
        }
    }

    /// The API's name for the code.
    #[must_use]
    pub fn status(mut self, status: impl Into<String>) -> Self {
        self.status = status.into();
        self
    }

    /// The message.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// A delay after which the request may be sent again, such as `23s`.
    #[must_use]
    pub fn retry_after(self, delay: &str) -> Self {
        self.detail("RetryInfo", json!({ "retryDelay": delay }))
    }

    /// The quota that is used up, such as `GenerateRequestsPerDayPerProjectPerModel`.
    #[must_use]
    pub fn quota(self, id: &str) -> Self {
        let violation = json!({
            "quotaMetric": "generativelanguage.googleapis.com/generate_content_requests",
            "quotaId": id,
            "quotaDimensions": { "location": "global", "model": "gemini-flash-latest" },
            "quotaValue": "20",
        });
        self.detail("QuotaFailure", json!({ "violations": [violation] }))
    }

    /// The reason in words of the API, such as `API_KEY_INVALID`.
    #[must_use]
    pub fn reason(self, reason: &str) -> Self {
        let info = json!({
            "reason": reason,
            "domain": "googleapis.com",
            "metadata": { "service": "generativelanguage.googleapis.com" },
        });
        self.detail("ErrorInfo", info)
    }

    /// A detail of a type of `google.rpc`.
    #[must_use]
    pub fn detail(mut self, kind: &str, fields: Value) -> Self {
        let mut detail = Map::new();
        let kind = format!("type.googleapis.com/google.rpc.{kind}");
        detail.insert("@type".to_owned(), kind.into());
        if let Value::Object(fields) = fields {
            detail.extend(fields);
        }
        self.details.push(detail.into());
        self
    }

    /// The body of the response, and the event in a stream.
    pub(super) fn body(&self) -> Value {
        let mut error = json!({
            "code": self.code,
            "message": self.message,
            "status": self.status,
        });
        if !self.details.is_empty() {
            error["details"] = self.details.clone().into();
        }
        json!({ "error": error })
    }

    pub(super) fn outgoing(&self) -> Outgoing {
        Outgoing {
            status: self.code,
            kind: super::answer::JSON.to_owned(),
            body: Body::Whole(self.body().to_string().into_bytes()),
        }
    }
}

impl From<u16> for ApiError {
    fn from(code: u16) -> Self {
        Self::new(code)
    }
}
