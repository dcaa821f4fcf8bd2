//! What an error means: the recorded decisions, and a table of our own.

use std::time::Duration;

use cogtools_model::ApiErrorKind::{
    Failed, Forbidden, InvalidKey, InvalidRequest, NotFound, Overloaded, QuotaExhausted,
    RateLimited, TimedOut,
};
use cogtools_model::{ApiError, ApiErrorKind};
use cogtools_test_support::conformance;
use serde_json::{Value, json};

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// A row in which the original does something else on purpose.
struct Exception {
    id: &'static str,
    wait_ms: Option<f64>,
    /// Why it differs here.
    #[allow(dead_code, reason = "for the reader")]
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[];

#[test]
fn recorded_decisions() {
    let file = "agents/gemini_retry.jsonl";
    let Some(rows) = conformance::recorded(file, "recorded_decisions") else {
        return;
    };
    for row in rows {
        let id = row["id"].as_str().expect("an identifier");
        let input = &row["input"];
        let status = u16::try_from(input["http_status"].as_u64().unwrap()).unwrap();
        let body = match &input["body"] {
            Value::String(text) => text.clone(),
            body => body.to_string(),
        };
        let error = ApiError::new(status, body.as_bytes());
        let expected = row.get("expected_later").unwrap_or(&row["expected"]);
        let exception = EXCEPTIONS.iter().find(|exception| exception.id == id);
        let wait = match exception {
            Some(exception) => exception.wait_ms,
            None => expected["retry_after_ms"].as_f64(),
        };
        assert_eq!(
            (error.is_transient(), error.retry_after),
            (
                expected["retry"].as_bool().unwrap(),
                wait.map(|wait| seconds(wait / 1e3)),
            ),
            "{id}: {error:?}"
        );
        let is_class = match expected["class"].as_str().unwrap() {
            "RetryableQuotaError" => matches!(error.kind, RateLimited | Overloaded | TimedOut),
            "TerminalQuotaError" => error.kind == QuotaExhausted,
            "ModelNotFoundError" => error.kind == NotFound,
            "ValidationRequiredError" => error.kind == Forbidden,
            "no_retry" => !error.is_transient(),
            "retry_backoff" => error.is_transient(),
            class => panic!("{id}: {class} is not known"),
        };
        assert!(is_class, "{id}: {error:?}");
    }
}

#[test]
fn recorded_bodies() {
    let file = "agents/gemini_errors.jsonl";
    let Some(rows) = conformance::recorded(file, "recorded_bodies") else {
        return;
    };
    for row in rows {
        let id = row["id"].as_str().expect("an identifier");
        let expected = &row["expected"];
        let status = u16::try_from(expected["http_status"].as_u64().unwrap()).unwrap();
        let error = ApiError::new(status, expected["body"].to_string().as_bytes());
        let text = |key: &str| expected["body"]["error"][key].as_str();
        let has_key_reason = expected["body"].to_string().contains("API_KEY_INVALID");
        let kind = match status {
            400 if has_key_reason => InvalidKey,
            400 => InvalidRequest,
            403 => Forbidden,
            404 => NotFound,
            429 => error.kind,
            500 => Failed,
            503 => Overloaded,
            504 => TimedOut,
            _ => panic!("{id}: {status} is not known"),
        };
        assert_eq!(
            (
                error.kind,
                error.status,
                error.name.as_deref(),
                Some(error.message.as_str())
            ),
            (kind, status, text("status"), text("message")),
            "{id}"
        );
    }
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
        (529, Failed, true),
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

#[test]
fn bodies_of_other_servers() {
    let cases = [
        (
            500,
            json!({"error": "it failed"}).to_string(),
            Failed,
            None,
            "it failed",
        ),
        (
            400,
            json!({"error": {"message": "m", "type": "t"}}).to_string(),
            InvalidRequest,
            Some("t"),
            "m",
        ),
        (
            400,
            json!([{"error": {"message": "m", "status": "S"}}]).to_string(),
            InvalidRequest,
            Some("S"),
            "m",
        ),
        (502, "<!doctype html><p>Bad".to_owned(), Failed, None, ""),
        (
            502,
            "  upstream died \n".to_owned(),
            Failed,
            None,
            "upstream died",
        ),
        (
            200,
            json!({"error": {"code": 503, "status": "UNAVAILABLE"}}).to_string(),
            Overloaded,
            Some("UNAVAILABLE"),
            "",
        ),
        (
            200,
            json!({"error": {"code": 8, "status": "RESOURCE_EXHAUSTED"}}).to_string(),
            RateLimited,
            Some("RESOURCE_EXHAUSTED"),
            "",
        ),
        (
            200,
            json!({"error": {"status": "PERMISSION_DENIED"}}).to_string(),
            Forbidden,
            Some("PERMISSION_DENIED"),
            "",
        ),
        (200, json!({"error": {}}).to_string(), Failed, None, ""),
    ];
    for (status, body, kind, name, message) in cases {
        let error = ApiError::new(status, body.as_bytes());
        let found = (error.kind, error.name.as_deref(), error.message.as_str());
        assert_eq!(found, (kind, name, message), "{status} {body}");
    }
}

#[test]
fn error_that_quotes_another_one() {
    let inner = json!({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}});
    let middle = json!({"error": {"code": 500, "message": inner.to_string(), "status": "X"}});
    let outer = json!({"error": {"code": 500, "message": middle.to_string()}});
    let error = ApiError::new(500, outer.to_string().as_bytes());
    assert_eq!(
        error.to_string(),
        "the provider answered with 503 UNAVAILABLE: overloaded"
    );
}

#[test]
fn long_messages_are_cut() {
    let long = "é".repeat(100_000);
    let body = json!({"error": {"message": long}}).to_string();
    for body in [body, long] {
        assert_eq!(
            ApiError::new(500, body.as_bytes()).message,
            "é".repeat(2_000)
        );
    }
}
