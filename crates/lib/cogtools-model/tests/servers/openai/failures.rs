//! Errors: of the server, and in the middle of a stream.

use std::sync::Arc;
use std::time::Duration;

use cogtools_model::{ApiError, ApiErrorKind, Model as _, ModelError, Usage};
use serde_json::json;

use crate::server::{Answer, Scripted, ask};

async fn failure(answer: Answer) -> ModelError {
    let server = Scripted::start(answer).await;
    ask(&server.model(Some("k3y"))).await.expect_err("an error")
}

async fn api_error(answer: Answer) -> ApiError {
    match failure(answer).await {
        ModelError::Api(error) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_error_of_the_server_has_a_kind() {
    use ApiErrorKind::{
        Failed, InvalidKey, InvalidRequest, NotFound, Overloaded, QuotaExhausted, RateLimited,
    };
    for (status, body, kind, message) in [
        (
            401,
            r#"{"error":{"message":"Incorrect API key","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
            InvalidKey,
            "the provider answered with 401 invalid_api_key: Incorrect API key",
        ),
        (
            400,
            r#"{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            InvalidRequest,
            "the provider answered with 400 context_length_exceeded: too long",
        ),
        (
            404,
            r#"{"error":"model 'm' not found"}"#,
            NotFound,
            "the provider answered with 404: model 'm' not found",
        ),
        (
            429,
            r#"{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}"#,
            RateLimited,
            "the provider answered with 429 rate_limit_exceeded: slow down",
        ),
        (
            429,
            r#"{"error":{"message":"no credit","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            QuotaExhausted,
            "the provider answered with 429 insufficient_quota: no credit",
        ),
        (
            500,
            "<html>oops</html>",
            Failed,
            "the provider answered with 500",
        ),
        (
            503,
            r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#,
            Overloaded,
            "the provider answered with 503 unavailable_error: Loading model",
        ),
    ] {
        let error = api_error(Answer::json(status, body)).await;
        assert_eq!(
            (error.kind, error.to_string().as_str()),
            (kind, message),
            "{body}"
        );
    }
}

#[tokio::test]
async fn the_server_says_when_to_try_again() {
    let mut answer = Answer::json(429, r#"{"error":{"message":"slow down"}}"#);
    answer.headers.push(("retry-after", "20"));
    let error = api_error(answer).await;
    assert_eq!(error.retry_after, Some(Duration::from_secs(20)));
    let mut answer = Answer::json(429, r#"{"error":{"code":"insufficient_quota"}}"#);
    answer.headers.push(("retry-after", "2"));
    assert_eq!(api_error(answer).await.retry_after, None);
    let mut answer = Answer::json(503, "");
    answer
        .headers
        .push(("retry-after", "Mon, 21 Oct 1996 07:28:00 GMT"));
    assert_eq!(api_error(answer).await.retry_after, None);
    // Nobody waits that long: it is said instead.
    for wait in ["99999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let mut answer = Answer::json(429, "");
        answer.headers.push(("retry-after", wait));
        let error = api_error(answer).await;
        assert_eq!(error.retry_after, Some(Duration::from_hours(365 * 24)));
        assert!(!error.is_transient(), "{wait}");
    }
}

#[tokio::test]
async fn no_error_repeats_the_key() {
    let body = r#"{"error":{"message":"k3y is not a key","code":"invalid_api_key"}}"#;
    for status in [401, 200] {
        let error = failure(Answer::json(status, body)).await.to_string();
        assert!(
            error.ends_with("invalid_api_key: … is not a key"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_stream_may_fail() {
    let text = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    let error = r#"{"error":{"message":"out of memory","code":500}}"#;
    let error = api_error(Answer::events(&[text, error, text])).await;
    assert_eq!(error.kind, ApiErrorKind::Failed);
    for (event, message) in [
        (
            "{",
            "an event is not JSON: EOF while parsing an object at line 1 column 1",
        ),
        (r#"{"detail":"x"}"#, "it has no `choices`"),
    ] {
        let error = failure(Answer::events(&[text, event])).await.to_string();
        assert_eq!(
            error,
            format!("the provider sent something other than a response: {message}")
        );
    }
    let whole = failure(Answer::json(200, r#"{"error":{"message":"m","code":"c"}}"#)).await;
    assert_eq!(whole.to_string(), "the provider sent the error c: m");
}

#[tokio::test]
async fn a_server_may_not_count_tokens() {
    let server = Scripted::start_with(|body| match body.get("stream_options") {
        Some(_) => Answer::json(
            422,
            r#"{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
        ),
        None => Answer::events(&[
            r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ]),
    })
    .await;
    let response = ask(&server.model(None)).await.expect("a response");
    assert_eq!(
        (response.text().as_str(), response.usage),
        ("a", Usage::default())
    );
}

#[tokio::test]
async fn a_server_may_refuse_a_seed() {
    let server = Scripted::start_with(|body| match body.get("seed") {
        Some(_) => Answer::json(
            400,
            r#"{"error":{"message":"Unrecognized request argument supplied: seed","code":null}}"#,
        ),
        None => Answer::events(&[
            r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ]),
    })
    .await;
    let model = server.model(None);
    let mut request = crate::server::question();
    request.generation.seed = Some(7);
    for _ in 0..2 {
        drop(model.send(&request).await.expect("a response"));
    }
    // The second request knows what the first one has learnt.
    assert_eq!(server.count(), 3);
}

#[tokio::test]
async fn a_server_that_refuses_a_schema_is_told_it_in_words() {
    let server = Scripted::start_with(|body| match body.get("response_format") {
        Some(_) => Answer::json(
            400,
            r#"{"error":{"message":"This response_format type is unavailable now"}}"#,
        ),
        None => Answer::events(&["[DONE]"]),
    })
    .await;
    let model = server.model(None);
    let mut request = crate::server::question();
    request.generation.response_json_schema = Some(json!({"type": "object"}));
    for count in [2, 3] {
        drop(model.send(&request).await.expect("a response"));
        assert_eq!(server.count(), count);
        let text = "Hi\n\nAnswer with JSON alone, which matches this JSON Schema:\n\
                    {\"type\":\"object\"}";
        let messages = json!([{"role": "user", "content": text}]);
        assert_eq!(server.last().body["messages"], messages);
    }
    // Beside tools it is an error: the same server may take the schema without them.
    request.tools = Arc::new(vec![json!({"name": "a"})]);
    let error = model.send(&request).await.err().expect("an error");
    assert!(error.to_string().contains("response_format"), "{error}");
}
