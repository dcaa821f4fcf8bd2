//! An error that a provider reports, and whether another try may succeed.
//!
//! The body is Google's `Status` object, with typed details; other servers send less, and
//! proxies send HTML.

use std::fmt;
use std::time::Duration;

use cogtools_http::retry_after;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::response::lenient;

/// The kind of an error of a provider.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiError {
    /// The kind of the error.
    pub kind: ApiErrorKind,
    /// The HTTP status, or the code of an error in a stream.
    pub status: u16,
    /// The provider's name of the error, such as `INVALID_ARGUMENT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The provider's explanation.
    #[serde(default)]
    pub message: String,
    /// The time after which the provider expects another try, at least.
    #[serde(
        default,
        rename = "retry_after_ms",
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_ms",
        deserialize_with = "read_ms"
    )]
    pub retry_after: Option<Duration>,
}

#[expect(clippy::ref_option, reason = "serde passes the field")]
fn write_ms<S: Serializer>(wait: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    let milliseconds = wait.unwrap_or_default().as_millis();
    serializer.serialize_u64(u64::try_from(milliseconds).unwrap_or(u64::MAX))
}

fn read_ms<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let milliseconds = Option::deserialize(deserializer)?;
    Ok(milliseconds.map(Duration::from_millis))
}

/// A wait longer than this is not worth it: the error is final.
const MAX_WAIT: Duration = Duration::from_mins(5);

/// Maximum length of a quoted text of a provider.
const MAX_MESSAGE_CHARS: usize = 2_000;

/// Maximum number of errors inside the message of another one.
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
            let of_stream = || status_of(error["type"].as_str().filter(|_| status < 400)?);
            status = code_of(&error).or_else(of_stream).unwrap_or(status);
            // Proxies quote the error of the API as the text of their own.
            let message = error["message"].as_str();
            match message.and_then(|message| error_in(message.as_bytes())) {
                Some(quoted) if quoted.is_object() => error = quoted,
                _ => break,
            }
        }
        let text = |key: &str| error[key].as_str().map(short);
        let message = text("message").or_else(|| error.as_str().map(short));
        let message = message.unwrap_or_default();
        let name = ["status", "code", "type"].into_iter().find_map(text);
        let (kind, retry_after) = match name.as_deref() {
            // An account without credit is one that no wait repairs.
            Some("insufficient_quota" | "billing_error") => (ApiErrorKind::QuotaExhausted, None),
            _ => classify(status, &message, &Details::new(&error["details"])),
        };
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

    /// Takes the header `Retry-After` into account: seconds, or a date.
    pub(crate) fn with_retry_after(mut self, header: Option<&str>) -> Self {
        let wait = header.and_then(retry_after);
        let wait = wait.filter(|wait| !wait.is_zero() && self.kind != ApiErrorKind::QuotaExhausted);
        self.retry_after = self.retry_after.max(wait);
        self
    }

    /// Removes `secret`, which a provider may have quoted.
    pub(crate) fn without(mut self, secret: &str) -> Self {
        if !secret.is_empty() {
            self.message = self.message.replace(secret, "…");
            self.name = self.name.map(|name| name.replace(secret, "…"));
        }
        self
    }

    /// Returns true if another try may succeed.
    pub fn is_transient(&self) -> bool {
        use ApiErrorKind::{Failed, Overloaded, RateLimited, TimedOut};
        let is_transient = matches!(self.kind, RateLimited | Overloaded | TimedOut | Failed);
        is_transient && self.retry_after.is_none_or(|wait| wait <= MAX_WAIT)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            // Of an event in a stream: its status is one of success.
            Some(name) if self.status < 400 => write!(f, "the provider sent the error {name}")?,
            None if self.status < 400 => f.write_str("the provider sent an error")?,
            Some(name) => write!(f, "the provider answered with {} {name}", self.status)?,
            None => write!(f, "the provider answered with {}", self.status)?,
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
    // Smaller ones are of gRPC.
    code.filter(|code| *code >= 400)
        .or_else(|| status_of(error.get("status")?.as_str()?))
}

fn short(text: &str) -> String {
    text.chars().take(MAX_MESSAGE_CHARS).collect()
}

/// The wait for a quota per minute without a time of its own.
const MINUTE_QUOTA_WAIT: Duration = Duration::from_mins(1);

/// The wait after a rate limit of Cloud Code without a time of its own.
const RATE_LIMIT_WAIT: Duration = Duration::from_secs(10);

/// Words before a time in a message, which replaces absent details.
const BEFORE_TIMES: &[&str] = &["Please retry in ", "quota will reset after "];

/// Classifies an error, with the least wait if it is temporary.
fn classify(status: u16, message: &str, details: &Details) -> (ApiErrorKind, Option<Duration>) {
    let named = || find_duration(message, BEFORE_TIMES).filter(|delay| !delay.is_zero());
    let delay = || details.retry_delay.or_else(named);
    match status {
        401 => (ApiErrorKind::InvalidKey, None),
        400 if details.reason == "API_KEY_INVALID" => (ApiErrorKind::InvalidKey, None),
        403 => (ApiErrorKind::Forbidden, None),
        404 => (ApiErrorKind::NotFound, None),
        429 => classify_quota(message, details, delay()),
        408 | 499 | 504 => (ApiErrorKind::TimedOut, delay()),
        503 | 529 => (ApiErrorKind::Overloaded, delay()),
        // An error in a stream may have neither a code nor a name.
        ..400 | 500 | 502 | 504.. => (ApiErrorKind::Failed, delay()),
        _ => (ApiErrorKind::InvalidRequest, None),
    }
}

/// A 429 is one of two things: too fast, or no more for today.
fn classify_quota(
    message: &str,
    details: &Details,
    delay: Option<Duration>,
) -> (ApiErrorKind, Option<Duration>) {
    use ApiErrorKind::{QuotaExhausted, RateLimited};
    let has_quota = |period: &str| details.quotas.iter().any(|quota| quota.contains(period));
    if has_no_quota(message) || has_quota("PerDay") || has_quota("Daily") {
        return (QuotaExhausted, None);
    }
    let wait = match (details.reason.as_str(), details.is_of_cloud_code) {
        ("INSUFFICIENT_G1_CREDITS_BALANCE", _) | ("QUOTA_EXHAUSTED", true) => {
            return (QuotaExhausted, delay);
        }
        ("RATE_LIMIT_EXCEEDED", true) => delay.or(Some(RATE_LIMIT_WAIT)),
        _ => delay.or(has_quota("PerMinute").then_some(MINUTE_QUOTA_WAIT)),
    };
    match wait {
        Some(wait) if wait > MAX_WAIT => (QuotaExhausted, Some(wait)),
        // Only a time says that the capacity returns.
        None if message.contains("exhausted your capacity") => (QuotaExhausted, None),
        wait => (RateLimited, wait),
    }
}

/// Returns true if the message of the provider says that there is no quota at all. No detail says
/// it.
fn has_no_quota(message: &str) -> bool {
    let is_zero = |rest: &str| {
        let number = rest.trim_start();
        let end = number.find(|next: char| !next.is_ascii_digit() && next != '.');
        let number = number[..end.unwrap_or(number.len())].trim_end_matches('.');
        number.parse().is_ok_and(|limit: f64| limit <= 0.0)
    };
    message.split("limit:").skip(1).any(is_zero)
}

/// The HTTP status of an error that has only a name: Google's, or Anthropic's in a stream.
fn status_of(name: &str) -> Option<u16> {
    Some(match name {
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" | "invalid_request_error" => {
            400
        }
        "UNAUTHENTICATED" | "authentication_error" => 401,
        "billing_error" => 402,
        "PERMISSION_DENIED" | "permission_error" => 403,
        "NOT_FOUND" | "not_found_error" => 404,
        "ABORTED" | "ALREADY_EXISTS" => 409,
        "request_too_large" => 413,
        "RESOURCE_EXHAUSTED" | "rate_limit_error" => 429,
        "CANCELLED" => 499,
        "INTERNAL" | "UNKNOWN" | "DATA_LOSS" | "api_error" => 500,
        "UNIMPLEMENTED" => 501,
        "UNAVAILABLE" => 503,
        "DEADLINE_EXCEEDED" | "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

/// One of the details of an error.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Detail {
    #[serde(rename = "@type", deserialize_with = "lenient")]
    kind: String,
    #[serde(deserialize_with = "lenient")]
    violations: Vec<Value>,
    #[serde(deserialize_with = "lenient")]
    reason: String,
    #[serde(deserialize_with = "lenient")]
    domain: String,
    #[serde(deserialize_with = "lenient")]
    metadata: Value,
    #[serde(deserialize_with = "lenient")]
    retry_delay: String,
}

/// The details of an error.
#[derive(Default)]
struct Details {
    /// The names of the quotas that are exceeded.
    quotas: Vec<String>,
    /// The reason for programs; empty if there is none.
    reason: String,
    /// True if the error is one of Cloud Code, which has quotas of its own.
    is_of_cloud_code: bool,
    /// Time to wait; `None` if it is zero.
    retry_delay: Option<Duration>,
}

impl Details {
    fn new(details: &Value) -> Self {
        let mut found = Self::default();
        for detail in details.as_array().into_iter().flatten() {
            let detail = Detail::deserialize(detail).unwrap_or_default();
            match detail.kind.rsplit('.').next() {
                Some("QuotaFailure") => {
                    let ids = detail.violations.iter();
                    let ids = ids.filter_map(|violation| violation["quotaId"].as_str());
                    found.quotas.extend(ids.map(str::to_owned));
                }
                Some("ErrorInfo") => {
                    let limit = detail.metadata["quota_limit"].as_str();
                    found.quotas.extend(limit.map(str::to_owned));
                    found.is_of_cloud_code = detail.domain.ends_with("cloudcode-pa.googleapis.com");
                    found.reason = detail.reason;
                }
                Some("RetryInfo") => {
                    let delay = parse_duration(&detail.retry_delay);
                    found.retry_delay = delay.filter(|delay| !delay.is_zero());
                }
                _ => {}
            }
        }
        found
    }
}

/// The units with their seconds.
const UNITS: &[(&str, f64)] = &[
    ("h", 3_600.0),
    ("m", 60.0),
    ("s", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ns", 1e-9),
];

/// Reads a duration as protobuf and Go write them: `34.07s`, `500ms`, `2h24m55s`.
fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
        let (number, after) = rest.split_at(rest.find(|letter| !is_number(letter))?);
        let (unit, after) = after.split_at(after.find(is_number).unwrap_or(after.len()));
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
        seconds += number.parse::<f64>().ok()? * factor;
        rest = after;
    }
    if text.is_empty() {
        return None;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// The duration after one of `introductions` in a sentence.
fn find_duration(sentence: &str, introductions: &[&str]) -> Option<Duration> {
    introductions.iter().find_map(|introduction| {
        let (_, rest) = sentence.split_once(introduction)?;
        let word = rest.split_whitespace().next()?;
        parse_duration(word.trim_end_matches(['.', ',', ';', ')', '!']))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{find_duration, parse_duration};

    #[test]
    fn durations() {
        let cases = [
            ("34.074824224s", Some(34_074_824_224)),
            ("0s", Some(0)),
            ("500ms", Some(500_000_000)),
            ("2h24m55s", Some(8_695_000_000_000)),
            ("1.5m", Some(90_000_000_000)),
            (".5s", Some(500_000_000)),
            ("3us", Some(3_000)),
            ("", None),
            ("3", None),
            ("s", None),
            ("-3s", None),
            ("1e5s", None),
            ("NaNs", None),
            ("infs", None),
            ("1.2.3s", None),
            ("3 s", None),
            ("99999999999999999999999s", None),
        ];
        for (text, nanoseconds) in cases {
            assert_eq!(
                parse_duration(text),
                nanoseconds.map(Duration::from_nanos),
                "{text:?}"
            );
        }
    }

    #[test]
    fn durations_in_sentences() {
        let found = |text| find_duration(text, &["retry in ", "reset after "]);
        assert_eq!(
            found("Please retry in 29.5s."),
            Some(Duration::from_millis(29_500))
        );
        assert_eq!(found("will reset after 2m."), Some(Duration::from_mins(2)));
        assert_eq!(
            found("retry in a while; reset after 3s, or so"),
            Some(Duration::from_secs(3))
        );
        assert_eq!(found("retry in "), None);
        assert_eq!(found("never"), None);
    }
}
