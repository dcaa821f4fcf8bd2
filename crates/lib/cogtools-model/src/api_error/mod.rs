//! An error that a provider reports, and whether another try may succeed.
//!
//! The body is Google's `Status` object, with typed details; other servers send less, and
//! proxies send HTML.

mod classify;
mod details;
mod duration;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use classify::{classify, status_of};
use details::Details;

/// What a provider objects to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiErrorKind {
    /// The request itself.
    InvalidRequest,
    /// The key, or that there is none.
    InvalidKey,
    /// The account or its rights.
    Forbidden,
    /// There is no such model.
    NotFound,
    /// Too many requests for the moment.
    RateLimited,
    /// A quota that does not return within minutes.
    QuotaExhausted,
    /// It is overloaded.
    Overloaded,
    /// It took too long.
    TimedOut,
    /// It failed.
    Failed,
}

/// An answer with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// What it objects to.
    pub kind: ApiErrorKind,
    /// The HTTP status, or the code of an error in a stream.
    pub status: u16,
    /// The provider's name of the error, such as `INVALID_ARGUMENT`.
    pub name: Option<String>,
    /// The provider's explanation.
    pub message: String,
    /// The time after which the provider expects another try, at least.
    pub retry_after: Option<Duration>,
}

/// A wait longer than this is not worth it: the error is final.
const MAX_WAIT: Duration = Duration::from_mins(5);

/// How much of a provider's text is quoted.
const MAX_MESSAGE_CHARS: usize = 2_000;

/// How many errors may be quoted in the message of another one.
const MAX_QUOTED_ERRORS: usize = 3;

impl ApiError {
    /// Reads the body of an answer with the HTTP status `status`.
    pub fn new(status: u16, body: &[u8]) -> Self {
        match error_in(body) {
            Some(error) => Self::from_json(status, &error),
            None => Self::from_text(status, &String::from_utf8_lossy(body)),
        }
    }

    /// Reads the value of `error`. A code in it counts more than the HTTP status: streams have
    /// the status 200.
    pub fn from_json(status: u16, error: &Value) -> Self {
        let mut status = status;
        let mut error = error.clone();
        for _ in 0..MAX_QUOTED_ERRORS {
            status = code_of(&error).unwrap_or(status);
            // Proxies quote the error of the API as the text of their own.
            let message = error.get("message").and_then(Value::as_str);
            match message.and_then(|message| error_in(message.as_bytes())) {
                Some(quoted) if quoted.is_object() => error = quoted,
                _ => break,
            }
        }
        let text = |key: &str| error.get(key).and_then(Value::as_str).map(short);
        let message = text("message").or_else(|| error.as_str().map(short));
        let message = message.unwrap_or_default();
        let name = text("status")
            .or_else(|| text("code"))
            .or_else(|| text("type"));
        let (kind, retry_after) = classify(status, &message, &Details::new(&error));
        Self {
            kind,
            status,
            name,
            message,
            retry_after,
        }
    }

    fn from_text(status: u16, body: &str) -> Self {
        let is_html = body.trim_start().starts_with('<');
        let text = if is_html { "" } else { body.trim() };
        let (kind, retry_after) = classify(status, text, &Details::default());
        Self {
            kind,
            status,
            name: None,
            message: short(text),
            retry_after,
        }
    }

    /// Takes the header `Retry-After` into account: seconds. A date is left to the backoff.
    pub(crate) fn with_retry_after(mut self, header: Option<&str>) -> Self {
        let seconds = header.and_then(|header| header.trim().parse().ok());
        let wait = seconds.map(Duration::from_secs);
        self.retry_after = self.retry_after.max(wait.filter(|wait| !wait.is_zero()));
        self
    }

    /// The same without `secret`, which a provider may have quoted.
    pub(crate) fn without(mut self, secret: &str) -> Self {
        if !secret.is_empty() {
            self.message = self.message.replace(secret, "…");
            self.name = self.name.map(|name| name.replace(secret, "…"));
        }
        self
    }

    /// Whether another try may succeed.
    pub fn is_transient(&self) -> bool {
        let is_transient = matches!(
            self.kind,
            ApiErrorKind::RateLimited
                | ApiErrorKind::Overloaded
                | ApiErrorKind::TimedOut
                | ApiErrorKind::Failed
        );
        is_transient && self.retry_after.is_none_or(|wait| wait <= MAX_WAIT)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the provider answered with {}", self.status)?;
        if let Some(name) = &self.name {
            write!(f, " {name}")?;
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message.trim())?;
        }
        Ok(())
    }
}

/// The value of `error` in a body. A list with one error is what streams without SSE send.
pub(crate) fn error_in(body: &[u8]) -> Option<Value> {
    let mut json: Value = serde_json::from_slice(body).ok()?;
    if let Some(first) = json.get_mut(0) {
        json = first.take();
    }
    json.get_mut("error").map(Value::take)
}

fn code_of(error: &Value) -> Option<u16> {
    let code = error.get("code").and_then(Value::as_u64);
    let code = code.and_then(|code| u16::try_from(code).ok());
    // Smaller ones are those of gRPC.
    code.filter(|code| *code >= 400)
        .or_else(|| status_of(error.get("status")?.as_str()?))
}

fn short(text: &str) -> String {
    text.chars().take(MAX_MESSAGE_CHARS).collect()
}
