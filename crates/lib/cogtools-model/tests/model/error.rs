//! Meanings of errors: the recorded decisions, and a table of our own.

use std::time::Duration;

use cogtools_model::ApiError;
use cogtools_model::ApiErrorKind::{
    Failed, Forbidden, InvalidKey, InvalidRequest, NotFound, Overloaded, QuotaExhausted,
    RateLimited, TimedOut,
};
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
