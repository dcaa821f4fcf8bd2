//! Which errors are final, and how long to wait after the others.

use std::time::Duration;

use cogtools_model::ApiErrorKind::{
    Failed, Forbidden, InvalidKey, InvalidRequest, NotFound, Overloaded, QuotaExhausted,
    RateLimited, TimedOut,
};
use cogtools_model::{ApiError, ApiErrorKind};
use serde_json::{Value, json};

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// The body of an error with details.
fn body(code: u16, message: &str, details: &Value) -> String {
    json!({"error": {"code": code, "message": message, "details": details}}).to_string()
}

#[track_caller]
fn check(status: u16, body: &str, kind: ApiErrorKind, wait: Option<Duration>, is_transient: bool) {
    let error = ApiError::new(status, body.as_bytes());
    let found = (error.kind, error.retry_after, error.is_transient());
    assert_eq!(found, (kind, wait, is_transient), "{status} {body}");
}

#[test]
fn statuses() {
    let cases = [
        (400, InvalidRequest, false),
        (401, InvalidKey, false),
        (403, Forbidden, false),
        (404, NotFound, false),
        (408, TimedOut, true),
        (409, InvalidRequest, false),
        (413, InvalidRequest, false),
        (429, RateLimited, true),
        (499, TimedOut, true),
        (500, Failed, true),
        (501, InvalidRequest, false),
        (502, Failed, true),
        (503, Overloaded, true),
        (504, TimedOut, true),
        (529, Overloaded, true),
    ];
    for (status, kind, is_transient) in cases {
        for body in [
            "",
            "{}",
            "null",
            "<html>no</html>",
            "no",
            "[]",
            "{\"error\":null}",
        ] {
            check(status, body, kind, None, is_transient);
        }
    }
}

#[test]
fn quotas() {
    let quota = |id: &str| {
        json!([{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [{"quotaId": "Other"}, {"quotaId": id}]}])
    };
    let limit = |id: &str| {
        json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "metadata": {"quota_limit": id}}])
    };
    let minute = Some(seconds(60.0));
    for details in [quota("RequestsPerMinute"), limit("TokensPerMinute")] {
        check(429, &body(429, "q", &details), RateLimited, minute, true);
    }
    for details in [
        quota("RequestsPerDay"),
        quota("TokensDaily"),
        limit("PerDay"),
    ] {
        check(
            429,
            &body(429, "Please retry in 3s", &details),
            QuotaExhausted,
            None,
            false,
        );
    }
    for (message, is_final) in [
        ("limit: 0", true),
        ("limit: 0, model: x", true),
        ("limit:0.", true),
        ("limit: 0.5", false),
        ("limit: 01", false),
        ("limit: 20, limit: 0", true),
        ("limit: none", false),
    ] {
        let kind = if is_final {
            QuotaExhausted
        } else {
            RateLimited
        };
        check(429, &body(429, message, &json!([])), kind, None, !is_final);
    }
}

#[test]
fn waits() {
    let retry = |delay: &str| json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]);
    let cases = [
        (429, "23s", RateLimited, Some(seconds(23.0)), true),
        (429, "300s", RateLimited, Some(seconds(300.0)), true),
        (429, "300.5s", QuotaExhausted, Some(seconds(300.5)), false),
        (429, "soon", RateLimited, None, true),
        (503, "2s", Overloaded, Some(seconds(2.0)), true),
        (500, "301s", Failed, Some(seconds(301.0)), false),
        (504, "900ms", TimedOut, Some(seconds(0.9)), true),
        (400, "2s", InvalidRequest, None, false),
    ];
    for (status, delay, kind, wait, is_transient) in cases {
        check(
            status,
            &body(status, "", &retry(delay)),
            kind,
            wait,
            is_transient,
        );
    }
    let sentences = [
        (
            "Please retry in 2h24m55s.",
            QuotaExhausted,
            Some(seconds(8_695.0)),
        ),
        ("Please retry in 47.5s.", RateLimited, Some(seconds(47.5))),
        (
            "exhausted your capacity. Your quota will reset after 2s.",
            RateLimited,
            Some(seconds(2.0)),
        ),
        (
            "exhausted your capacity on this model.",
            QuotaExhausted,
            None,
        ),
    ];
    for (message, kind, wait) in sentences {
        check(
            429,
            &body(429, message, &json!([])),
            kind,
            wait,
            kind == RateLimited,
        );
    }
}

#[test]
fn cloud_code() {
    let info = |reason: &str, domain: &str| {
        json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": reason, "domain": domain}])
    };
    let cases = [
        (
            "RATE_LIMIT_EXCEEDED",
            "cloudcode-pa.googleapis.com",
            RateLimited,
            Some(seconds(10.0)),
        ),
        (
            "RATE_LIMIT_EXCEEDED",
            "staging-cloudcode-pa.googleapis.com",
            RateLimited,
            Some(seconds(10.0)),
        ),
        ("RATE_LIMIT_EXCEEDED", "googleapis.com", RateLimited, None),
        (
            "QUOTA_EXHAUSTED",
            "cloudcode-pa.googleapis.com",
            QuotaExhausted,
            None,
        ),
        (
            "INSUFFICIENT_G1_CREDITS_BALANCE",
            "googleapis.com",
            QuotaExhausted,
            None,
        ),
    ];
    for (reason, domain, kind, wait) in cases {
        let body = body(429, "q", &info(reason, domain));
        check(429, &body, kind, wait, kind == RateLimited);
    }
}
