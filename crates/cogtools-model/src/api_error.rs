//! An error that a provider reports, and whether another try may succeed.
//!
//! The body is Google's `Status` object, with typed details; other servers send less, and
//! proxies send HTML.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// What a provider objects to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The wait for a quota per minute without a time of its own.
const MINUTE_QUOTA_WAIT: Duration = Duration::from_mins(1);

/// The wait after a rate limit of Cloud Code without a time of its own.
const RATE_LIMIT_WAIT: Duration = Duration::from_secs(10);

/// How much of a body without structure is quoted.
const MAX_MESSAGE_CHARS: usize = 500;

impl ApiError {
    /// Reads the body of an answer with the HTTP status `status`.
    pub fn new(status: u16, body: &[u8]) -> Self {
        let json: Option<Value> = serde_json::from_slice(body).ok();
        // A list with one error is what streams without SSE send.
        let json = json.map(|json| json.get(0).cloned().unwrap_or(json));
        match json.as_ref().and_then(|json| json.get("error")) {
            Some(error) => Self::from_json(status, error),
            None => Self::from_text(status, &String::from_utf8_lossy(body)),
        }
    }

    /// Reads the value of `error`. A code in it counts more than the HTTP status: streams have
    /// the status 200.
    pub fn from_json(status: u16, error: &Value) -> Self {
        let code = error.get("code").and_then(Value::as_u64);
        let status = code
            .and_then(|code| u16::try_from(code).ok())
            .unwrap_or(status);
        let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
        let message = text("message").or_else(|| error.as_str().map(str::to_owned));
        let message = message.unwrap_or_default();
        let no_details = Vec::new();
        let details = error
            .get("details")
            .and_then(Value::as_array)
            .unwrap_or(&no_details);
        let name = text("status")
            .or_else(|| text("code"))
            .or_else(|| text("type"));
        let (kind, retry_after) = classify(status, &message, &Details(details));
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
        let (kind, retry_after) = classify(status, text, &Details(&[]));
        Self {
            kind,
            status,
            name: None,
            message: text.chars().take(MAX_MESSAGE_CHARS).collect(),
            retry_after,
        }
    }

    /// Whether another try may succeed.
    pub const fn is_transient(&self) -> bool {
        matches!(
            self.kind,
            ApiErrorKind::RateLimited
                | ApiErrorKind::Overloaded
                | ApiErrorKind::TimedOut
                | ApiErrorKind::Failed
        )
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

/// The `details` of an error, found by their type.
struct Details<'a>(&'a [Value]);

impl<'a> Details<'a> {
    fn find(&self, name: &str) -> Option<&'a Value> {
        self.0.iter().find(|detail| {
            let kind = detail.get("@type").and_then(Value::as_str);
            kind.and_then(|kind| kind.rsplit('.').next()) == Some(name)
        })
    }

    fn quotas(&self) -> impl Iterator<Item = &'a str> {
        let violations = self
            .find("QuotaFailure")
            .and_then(|detail| detail.get("violations"));
        let violations = violations.and_then(Value::as_array).into_iter().flatten();
        violations.filter_map(|violation| violation.get("quotaId")?.as_str())
    }

    fn info(&self, key: &str) -> Option<&'a str> {
        self.find("ErrorInfo")?.get(key)?.as_str()
    }

    fn retry_delay(&self) -> Option<Duration> {
        let delay = self.find("RetryInfo")?.get("retryDelay")?.as_str()?;
        parse_duration(delay).filter(|delay| !delay.is_zero())
    }
}

fn classify(status: u16, message: &str, details: &Details<'_>) -> (ApiErrorKind, Option<Duration>) {
    let reason = details.info("reason");
    let kind = match status {
        401 => ApiErrorKind::InvalidKey,
        400 if reason == Some("API_KEY_INVALID") => ApiErrorKind::InvalidKey,
        403 => ApiErrorKind::Forbidden,
        404 => ApiErrorKind::NotFound,
        408 | 504 => ApiErrorKind::TimedOut,
        429 => return classify_quota(message, details),
        503 => ApiErrorKind::Overloaded,
        500.. => ApiErrorKind::Failed,
        _ => ApiErrorKind::InvalidRequest,
    };
    (kind, details.retry_delay().filter(|_| status >= 500))
}

/// A 429 is one of two things: too fast, or no more for today.
fn classify_quota(message: &str, details: &Details<'_>) -> (ApiErrorKind, Option<Duration>) {
    use ApiErrorKind::{QuotaExhausted, RateLimited};
    if has_no_quota(message) || details.quotas().any(is_daily) {
        return (QuotaExhausted, None);
    }
    let delay = details.retry_delay();
    let is_cloud_code = details
        .info("domain")
        .is_some_and(|domain| domain.ends_with("cloudcode-pa.googleapis.com"));
    match details.info("reason").filter(|_| is_cloud_code) {
        Some("QUOTA_EXHAUSTED" | "INSUFFICIENT_G1_CREDITS_BALANCE") => {
            return (QuotaExhausted, delay);
        }
        Some("RATE_LIMIT_EXCEEDED") => return (RateLimited, delay.or(Some(RATE_LIMIT_WAIT))),
        _ => {}
    }
    let is_minute = |quota: &str| quota.contains("PerMinute");
    let minute = details.quotas().any(is_minute).then_some(MINUTE_QUOTA_WAIT);
    match delay.or_else(|| delay_in(message)).or(minute) {
        Some(delay) if delay > MAX_WAIT => (QuotaExhausted, Some(delay)),
        delay => (RateLimited, delay),
    }
}

fn is_daily(quota: &str) -> bool {
    quota.contains("PerDay") || quota.contains("Daily")
}

/// Whether the message of the provider says that there is no quota at all. It is nowhere else.
fn has_no_quota(message: &str) -> bool {
    let is_zero = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_digit() || next == '.');
    message.split("limit: 0").skip(1).any(is_zero) || message.contains("exhausted your capacity")
}

/// The time in `Please retry in 29.7s`, which stands in for absent details.
fn delay_in(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("Please retry in ")?;
    let end = rest.find(|next: char| !next.is_ascii_alphanumeric() && next != '.');
    parse_duration(rest[..end.unwrap_or(rest.len())].trim_end_matches('.'))
}

/// Reads `34.07s` or `500ms`.
fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s')?, 1.0),
    };
    let seconds: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(seconds * unit).ok()
}
