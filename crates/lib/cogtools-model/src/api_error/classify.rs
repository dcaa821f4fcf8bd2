//! What the status and the details of an error mean.

use std::time::Duration;

use super::details::Details;
use super::{ApiErrorKind, MAX_WAIT, duration};

/// The wait for a quota per minute without a time of its own.
const MINUTE_QUOTA_WAIT: Duration = Duration::from_mins(1);

/// The wait after a rate limit of Cloud Code without a time of its own.
const RATE_LIMIT_WAIT: Duration = Duration::from_secs(10);

/// What a message writes before a time, which replaces absent details.
const BEFORE_TIMES: &[&str] = &["Please retry in ", "quota will reset after "];

/// What is wrong, and how long to wait at least if it is temporary.
pub(super) fn classify(
    status: u16,
    message: &str,
    details: &Details<'_>,
) -> (ApiErrorKind, Option<Duration>) {
    let delay = || details.retry_delay().or_else(|| delay_in(message));
    match status {
        401 => (ApiErrorKind::InvalidKey, None),
        400 if details.reason() == Some("API_KEY_INVALID") => (ApiErrorKind::InvalidKey, None),
        403 => (ApiErrorKind::Forbidden, None),
        404 => (ApiErrorKind::NotFound, None),
        429 => classify_quota(message, details, delay()),
        408 | 499 | 504 => (ApiErrorKind::TimedOut, delay()),
        503 => (ApiErrorKind::Overloaded, delay()),
        // An error in a stream may have neither a code nor a name.
        ..400 | 500 | 502 | 504.. => (ApiErrorKind::Failed, delay()),
        _ => (ApiErrorKind::InvalidRequest, None),
    }
}

/// A 429 is one of two things: too fast, or no more for today.
fn classify_quota(
    message: &str,
    details: &Details<'_>,
    delay: Option<Duration>,
) -> (ApiErrorKind, Option<Duration>) {
    use ApiErrorKind::{QuotaExhausted, RateLimited};
    let quotas = details.quotas();
    let is_daily = |quota: &&str| quota.contains("PerDay") || quota.contains("Daily");
    if has_no_quota(message) || quotas.iter().any(is_daily) {
        return (QuotaExhausted, None);
    }
    let wait = match details.reason() {
        Some("INSUFFICIENT_G1_CREDITS_BALANCE") => return (QuotaExhausted, delay),
        Some("QUOTA_EXHAUSTED") if details.is_of_cloud_code() => return (QuotaExhausted, delay),
        Some("RATE_LIMIT_EXCEEDED") if details.is_of_cloud_code() => {
            delay.or(Some(RATE_LIMIT_WAIT))
        }
        _ => {
            let is_minute = quotas.iter().any(|quota| quota.contains("PerMinute"));
            delay.or(is_minute.then_some(MINUTE_QUOTA_WAIT))
        }
    };
    match wait {
        Some(wait) if wait > MAX_WAIT => (QuotaExhausted, Some(wait)),
        // Only a time says that the capacity returns.
        None if message.contains("exhausted your capacity") => (QuotaExhausted, None),
        wait => (RateLimited, wait),
    }
}

/// Whether the message of the provider says that there is no quota at all. No detail says it.
fn has_no_quota(message: &str) -> bool {
    let is_zero = |rest: &str| {
        let number = rest.trim_start();
        let end = number.find(|next: char| !next.is_ascii_digit() && next != '.');
        let number = number[..end.unwrap_or(number.len())].trim_end_matches('.');
        number.parse().is_ok_and(|limit: f64| limit <= 0.0)
    };
    message.split("limit:").skip(1).any(is_zero)
}

fn delay_in(message: &str) -> Option<Duration> {
    duration::find(message, BEFORE_TIMES).filter(|delay| !delay.is_zero())
}

/// The HTTP status of an error that has only a name.
pub(super) fn status_of(name: &str) -> Option<u16> {
    Some(match name {
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => 400,
        "UNAUTHENTICATED" => 401,
        "PERMISSION_DENIED" => 403,
        "NOT_FOUND" => 404,
        "ABORTED" | "ALREADY_EXISTS" => 409,
        "RESOURCE_EXHAUSTED" => 429,
        "CANCELLED" => 499,
        "INTERNAL" | "UNKNOWN" | "DATA_LOSS" => 500,
        "UNIMPLEMENTED" => 501,
        "UNAVAILABLE" => 503,
        "DEADLINE_EXCEEDED" => 504,
        _ => return None,
    })
}
