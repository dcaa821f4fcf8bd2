//! Errors: of the server, in the middle of a stream, and those that tell a limit.

use std::sync::Arc;
use std::time::Duration;

use cogtools_model::{ApiError, ApiErrorKind, Endpoint, Key, Model as _, ModelError, anthropic};
use serde_json::{Value, json};

use super::{begin, events, stream, text};
use crate::server::{Answer, Scripted, ask, question};

async fn failure(answer: Answer) -> ModelError {
    let server = Scripted::start(answer).await;
    ask(&server.anthropic(Some("k3y")))
        .await
        .expect_err("an error")
}

async fn api_error(answer: Answer) -> ApiError {
    match failure(answer).await {
        ModelError::Api(error) => error,
        other => panic!("{other:?}"),
    }
}

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
}

#[tokio::test]
async fn an_error_has_a_kind_also_in_a_stream() {
    use ApiErrorKind::{
        Failed, Forbidden, InvalidKey, InvalidRequest, NotFound, Overloaded, QuotaExhausted,
        RateLimited, TimedOut,
    };
    for (status, name, kind) in [
        (400, "invalid_request_error", InvalidRequest),
        (401, "authentication_error", InvalidKey),
        (402, "billing_error", QuotaExhausted),
        (403, "permission_error", Forbidden),
        (404, "not_found_error", NotFound),
        (413, "request_too_large", InvalidRequest),
        (429, "rate_limit_error", RateLimited),
        (500, "api_error", Failed),
        (504, "timeout_error", TimedOut),
        (529, "overloaded_error", Overloaded),
    ] {
        let event = error(name, "because k3y");
        let message = format!("the provider answered with {status} {name}: because …");
        let whole = api_error(Answer::json(status, &event.to_string())).await;
        assert_eq!((whole.kind, whole.to_string()), (kind, message.clone()));
        let streamed = api_error(Answer::named_events(&[begin(), event])).await;
        assert_eq!((streamed.kind, streamed.to_string()), (kind, message));
    }
}

#[tokio::test]
async fn the_server_says_when_to_try_again() {
    let mut answer = Answer::json(429, &error("rate_limit_error", "slow down").to_string());
    answer.headers.push(("retry-after", "20"));
    let error = api_error(answer).await;
    assert_eq!(error.retry_after, Some(Duration::from_secs(20)));
    assert!(error.is_transient());
}

#[tokio::test]
async fn events_that_are_none_are_an_error() {
    for (event, reason) in [
        (json!({"x": 1}), "an event has no `type`"),
        (
            json!({"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta"}}),
            "an event continues a block that has not begun",
        ),
        (
            json!({"type": "content_block_start", "index": 0, "content_block": []}),
            "a block is not an object",
        ),
        (
            json!({"type": "content_block_delta", "index": 0}),
            "a delta is not an object",
        ),
    ] {
        let body = format!("data: {}\n\ndata: {event}\n\n", begin());
        let answer = Answer {
            body,
            ..Answer::events(&[])
        };
        let error = failure(answer).await.to_string();
        let expected = format!("the provider sent something other than a response: {reason}");
        assert_eq!(error, expected);
    }
    // A delta of a block that has ended.
    let mut events = events(&[text(0, "a", "b")], "end_turn");
    let delta = events[2].clone();
    events.insert(6, delta);
    let error = failure(Answer::named_events(&events)).await;
    assert!(matches!(error, ModelError::InvalidResponse(_)), "{error}");
}

#[tokio::test]
async fn a_model_with_a_lower_limit_of_tokens_says_so_once() {
    let server = Scripted::start_with(|body| match body["max_tokens"].as_u64() {
        Some(..=8192) => stream(&[text(0, "a", "b")], "end_turn"),
        Some(limit) => {
            let message = format!(
                "max_tokens: {limit} > 8192, which is the maximum allowed number of output \
                 tokens for m"
            );
            Answer::json(400, &error("invalid_request_error", &message).to_string())
        }
        None => Answer::json(400, "{}"),
    })
    .await;
    let model = server.anthropic(None);
    for count in [2, 3] {
        assert_eq!(ask(&model).await.expect("an answer").text(), "ab");
        assert_eq!(server.count(), count);
    }
    // The user's own limit is not changed silently.
    let mut request = question();
    request.generation.max_output_tokens = Some(9000);
    let error = model.send(&request).await.err().expect("an error");
    assert!(error.to_string().contains("9000 > 8192"), "{error}");
}

#[tokio::test]
async fn a_model_may_refuse_a_temperature_but_not_the_one_that_is_out_of_range() {
    let server = Scripted::start_with(|body| {
        let message = match body["temperature"].as_f64() {
            None => return stream(&[text(0, "a", "b")], "end_turn"),
            Some(..=1.0) => "`temperature` is deprecated for this model.",
            Some(_) => "temperature: range: 0..1",
        };
        Answer::json(400, &error("invalid_request_error", message).to_string())
    })
    .await;
    let model = server.anthropic(None);
    let mut request = question();
    request.generation.temperature = Some(2.0);
    let error = model.send(&request).await.err().expect("an error");
    assert!(error.to_string().contains("range"), "{error}");
    request.generation.temperature = Some(0.0);
    for count in [3, 4] {
        drop(model.send(&request).await.expect("a response"));
        assert_eq!(server.count(), count);
    }
}

#[tokio::test]
async fn a_server_that_refuses_a_schema_is_told_it_in_words() {
    let server = Scripted::start_with(|body| match body.get("output_config") {
        Some(_) => {
            let message = "output_config.format: Extra inputs are not permitted";
            Answer::json(400, &error("invalid_request_error", message).to_string())
        }
        None => stream(&[text(0, "{", "}")], "end_turn"),
    })
    .await;
    let model = server.anthropic(None);
    let mut request = question();
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}});
    request.generation.response_json_schema = Some(schema);
    for count in [2, 3] {
        drop(model.send(&request).await.expect("a response"));
        assert_eq!(server.count(), count);
        let body = server.last().body;
        let text = body["messages"][0]["content"][1]["text"].as_str();
        let text = text.expect("a text");
        assert!(text.starts_with("Answer with JSON alone"), "{text}");
        assert!(text.contains(r#""minimum":1"#), "{text}");
    }
    // Beside tools it is an error: the same server may take the schema without them.
    request.tools = Arc::new(vec![json!({"name": "a"})]);
    let error = model.send(&request).await.err().expect("an error");
    assert!(error.to_string().contains("output_config"), "{error}");
}

#[test]
fn a_key_is_needed_except_on_this_machine_and_never_printed() {
    let endpoint = |base: Option<&str>, key: Option<&str>| {
        Endpoint::from_vars(&anthropic::SERVICE, |name| {
            let value = match name {
                "ANTHROPIC_BASE_URL" => base,
                "ANTHROPIC_API_KEY" => key,
                other => panic!("{other} is not a variable of this provider"),
            };
            value.map(str::to_owned)
        })
        .map_err(|error| error.to_string())
    };
    let key = || Some(Key::new("s3cr3t"));
    let expected = Endpoint::new(&anthropic::SERVICE, "https://api.anthropic.com", key());
    assert_eq!(endpoint(None, Some("s3cr3t")), Ok(expected));
    let missing = Err("no API key: ANTHROPIC_API_KEY is not set".to_owned());
    assert_eq!(endpoint(None, None), missing);
    let local = endpoint(Some("http://127.0.0.1:8080"), None).expect("an endpoint");
    assert!(!local.exposes_key());
    let remote = endpoint(Some("http://a.example"), Some("s3cr3t")).expect("an endpoint");
    assert!(remote.exposes_key());
    assert!(!format!("{remote:?}").contains("s3cr3t"));
}
