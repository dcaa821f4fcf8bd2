//! When a request is sent again.

use std::time::{Duration, Instant};

use cogtools_model::{ApiError, Chunks, Model, ModelError, Request, RetryPolicy, random_jitter};
use serde_json::json;

use crate::server::{Server, Step, events, json};
use crate::{block_on, collect, gemini, request};

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn error(status: u16) -> ModelError {
    ModelError::Api(ApiError::new(status, b""))
}

#[test]
fn waits_double_up_to_a_limit() {
    let policy = RetryPolicy {
        max_attempts: 100,
        ..RetryPolicy::default()
    };
    let whole = [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0];
    for (failures, whole) in (1..).zip(whole) {
        for (jitter, part) in [
            (0.0, 0.75),
            (0.5, 0.875),
            (1.0, 1.0),
            (-3.0, 0.75),
            (9.0, 1.0),
        ] {
            let wait = policy.wait(failures, &error(503), jitter);
            assert_eq!(wait, Some(seconds(whole * part)), "{failures} {jitter}");
        }
    }
    assert_eq!(policy.wait(99, &error(503), f64::NAN), Some(seconds(22.5)));
    assert_eq!(policy.wait(100, &error(503), 0.0), None);
}

#[test]
fn provider_may_ask_for_more() {
    let policy = RetryPolicy::default();
    let asking = |delay: &str| {
        let body = json!({"error": {"code": 429, "details": [
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
        ]}});
        ModelError::Api(ApiError::new(429, body.to_string().as_bytes()))
    };
    assert_eq!(policy.wait(1, &asking("23s"), 1.0), Some(seconds(23.0)));
    assert_eq!(policy.wait(1, &asking("0.1s"), 1.0), Some(seconds(1.0)));
    assert_eq!(policy.wait(1, &asking("301s"), 1.0), None);
}

#[test]
fn final_errors() {
    let policy = RetryPolicy::default();
    for status in [400, 401, 403, 404] {
        assert_eq!(policy.wait(1, &error(status), 1.0), None, "{status}");
    }
    let others = [
        ModelError::MissingKey { variables: &["K"] },
        ModelError::NotRecorded { nearest: None },
        ModelError::Unsupported("that"),
    ];
    for error in others {
        assert_eq!(policy.wait(1, &error, 1.0), None, "{error}");
    }
    let once = RetryPolicy {
        max_attempts: 1,
        ..policy
    };
    assert_eq!(once.wait(1, &error(503), 1.0), None);
}

#[test]
fn jitters_differ() {
    let jitters: Vec<f64> = (0..50).map(|_| random_jitter()).collect();
    assert!(
        jitters.iter().all(|jitter| (0.0..=1.0).contains(jitter)),
        "{jitters:?}"
    );
    assert!(
        jitters
            .iter()
            .any(|jitter| jitter.to_bits() != jitters[0].to_bits()),
        "{jitters:?}"
    );
}

/// A wait between two tries.
struct Wait<'a> {
    failures: u32,
    duration: Duration,
    error: &'a ModelError,
}

/// Sends `request` until there is a response, the error is final or the tries are used up.
/// `on_wait` learns of each wait before it begins. To cancel it, drop the future.
///
/// A request that fails after the first chunk is not sent again: only the caller knows whether a
/// part of the response was shown.
async fn send_with_retry(
    model: &dyn Model,
    request: &Request,
    policy: &RetryPolicy,
    on_wait: &mut (dyn FnMut(Wait<'_>) + Send),
) -> Result<Chunks, ModelError> {
    let mut failures = 0;
    loop {
        let error = match model.send(request).await {
            Ok(chunks) => return Ok(chunks),
            Err(error) => error,
        };
        failures += 1;
        let Some(duration) = policy.wait(failures, &error, random_jitter()) else {
            return Err(error);
        };
        on_wait(Wait {
            failures,
            duration,
            error: &error,
        });
        tokio::time::sleep(duration).await;
    }
}

fn quick() -> RetryPolicy {
    RetryPolicy {
        max_attempts: 4,
        first_wait: Duration::from_millis(20),
        max_wait: Duration::from_millis(30),
    }
}

fn overloaded() -> serde_json::Value {
    json!({"error": {"code": 503, "message": "later", "status": "UNAVAILABLE"}})
}

/// Sends with retries; the text or the error, and the waits.
fn send(server: &Server) -> (Result<String, String>, Vec<String>) {
    let gemini = gemini(&server.url());
    let mut waits = Vec::new();
    let mut on_wait = |wait: Wait<'_>| {
        let most = Duration::from_millis(20 * u64::from(wait.failures)).min(quick().max_wait);
        let is_within = (most / 2..=most).contains(&wait.duration);
        waits.push(format!("{} {is_within} {}", wait.failures, wait.error));
    };
    let result = block_on(async {
        let sent = send_with_retry(&gemini, &request(), &quick(), &mut on_wait).await;
        let mut chunks = sent.map_err(|error| error.to_string())?;
        let (response, error) = collect(&mut chunks).await;
        error.map_or_else(|| Ok(response.text()), |error| Err(error.to_string()))
    });
    (result, waits)
}

fn answer() -> Vec<u8> {
    events(&[json!({"candidates": [
        {"content": {"parts": [{"text": "Because."}]}, "finishReason": "STOP"},
    ]})])
}

#[test]
fn tries_until_there_is_a_response() {
    let server = Server::start(vec![
        vec![Step::Send(json(503, &overloaded()))],
        vec![Step::Send(events(&[overloaded()]))],
        vec![Step::Send(answer())],
    ]);
    let (result, waits) = send(&server);
    assert_eq!(result.as_deref(), Ok("Because."));
    let error = "the provider answered with 503 UNAVAILABLE: later";
    assert_eq!(
        waits,
        [format!("1 true {error}"), format!("2 true {error}")]
    );
    assert_eq!(server.lines().len(), 3);
    assert!(
        server
            .seen()
            .windows(2)
            .all(|pair| pair[0].body == pair[1].body)
    );
}

#[test]
fn gives_up() {
    let server = Server::answering(json(503, &overloaded()));
    let (result, waits) = send(&server);
    let error = "the provider answered with 503 UNAVAILABLE: later";
    assert_eq!(result, Err(error.to_owned()));
    assert_eq!((waits.len(), server.lines().len()), (3, 4));
    let server = Server::answering(json(404, &json!({"error": {"message": "no"}})));
    let (result, waits) = send(&server);
    assert_eq!(result, Err("the provider answered with 404: no".to_owned()));
    assert_eq!((waits.len(), server.lines().len()), (0, 1));
}

#[test]
fn later_failures_are_not_sent_again() {
    let part = json!({"candidates": [{"content": {"parts": [{"text": "Be"}]}}]});
    let server = Server::answering(events(&[part, overloaded()]));
    let (result, waits) = send(&server);
    assert_eq!(
        result,
        Err("the provider answered with 503 UNAVAILABLE: later".to_owned())
    );
    assert_eq!((waits.len(), server.lines().len()), (0, 1));
}

#[test]
fn waiting_can_be_cancelled() {
    let server = Server::answering(json(503, &overloaded()));
    let gemini = gemini(&server.url());
    let policy = RetryPolicy {
        first_wait: Duration::from_mins(1),
        max_wait: Duration::from_mins(1),
        ..quick()
    };
    let begin = Instant::now();
    let mut waits = 0;
    block_on(async {
        let mut on_wait = |_: Wait<'_>| waits += 1;
        let request = request();
        let sending = send_with_retry(&gemini, &request, &policy, &mut on_wait);
        let limit = Duration::from_millis(500);
        assert!(
            tokio::time::timeout(limit, sending).await.is_err(),
            "it waits"
        );
    });
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
    assert_eq!((waits, server.lines().len()), (1, 1));
}
