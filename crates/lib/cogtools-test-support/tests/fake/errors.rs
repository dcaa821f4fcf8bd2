//! Errors of the API, and of what is between it and a client.

use cogtools_test_support::{ApiError, FakeGemini, Turn};
use serde_json::{Value, json};

use super::client::{Client, GENERATE, STREAM, hi, request};

/// The error that `turn` is, asked for at once and as a stream.
fn error(turn: impl Fn() -> Turn) -> (u16, Value) {
    let fake = FakeGemini::start([turn(), turn()]);
    let mut client = Client::new(&fake);
    let body = request(&json!([hi()]));
    let [whole, stream] = [GENERATE, STREAM].map(|target| client.post(target, &body));
    assert_eq!(whole, stream);
    fake.finish();
    (whole.status, whole.json()["error"].clone())
}

#[test]
fn every_code_has_its_name() {
    for (code, name) in [
        (400, "INVALID_ARGUMENT"),
        (401, "UNAUTHENTICATED"),
        (403, "PERMISSION_DENIED"),
        (404, "NOT_FOUND"),
        (408, "DEADLINE_EXCEEDED"),
        (429, "RESOURCE_EXHAUSTED"),
        (500, "INTERNAL"),
        (502, "UNAVAILABLE"),
        (503, "UNAVAILABLE"),
        (504, "DEADLINE_EXCEEDED"),
    ] {
        let (status, error) = error(|| Turn::error(code));
        assert_eq!((status, &error["code"]), (code, &json!(code)));
        assert_eq!(error["status"], name);
        assert!(error["message"].is_string(), "{error}");
        assert_eq!(error["details"], Value::Null);
    }
}

#[test]
fn details_say_when_to_come_back() {
    let exhausted = || {
        let quota = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
        let error = ApiError::new(429).message("q").quota(quota);
        Turn::error(error.retry_after("23s").reason("RATE_LIMIT_EXCEEDED"))
    };
    let expected = json!({
        "code": 429,
        "message": "q",
        "status": "RESOURCE_EXHAUSTED",
        "details": [
            {
                "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [{
                    "quotaMetric": "generativelanguage.googleapis.com/generate_content_requests",
                    "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
                    "quotaDimensions": { "location": "global", "model": "gemini-flash-latest" },
                    "quotaValue": "20",
                }],
            },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "23s" },
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "RATE_LIMIT_EXCEEDED",
                "domain": "googleapis.com",
                "metadata": { "service": "generativelanguage.googleapis.com" },
            },
        ],
    });
    assert_eq!(error(exhausted), (429, expected));
}

#[test]
fn pages_that_are_not_json() {
    let html = "<html><title>502 Bad Gateway</title></html>";
    let fake = FakeGemini::start([Turn::page(502, "text/html", html), Turn::page(500, "", "")]);
    let mut client = Client::new(&fake);
    let body = request(&json!([hi()]));
    let page = client.post(GENERATE, &body);
    assert_eq!((page.status, page.kind.as_str()), (502, "text/html"));
    assert_eq!(page.text(), html);
    let empty = client.post(GENERATE, &body);
    assert_eq!((empty.status, empty.text()), (500, String::new()));
    fake.finish();
}
