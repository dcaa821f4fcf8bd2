//! Streaming from a server: as it arrives, however it is cut into pieces.

use std::time::{Duration, Instant};

use cogtools_model::{Finish, Model as _};
use futures::StreamExt as _;
use serde_json::{Value, json};

use crate::server::{Server, Step, event, events, head};
use crate::{KEY, ask, block_on, collect, gemini, request};

fn text(text: &str) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]})
}

fn last(text: &str) -> Value {
    json!({
        "candidates": [{
            "content": {"role": "model", "parts": [{"text": text}]},
            "finishReason": "STOP",
        }],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3},
    })
}

#[test]
fn request_on_the_wire() {
    let server = Server::answering(events(&[text("Be"), last("cause.")]));
    let (response, error) = ask(&server.url());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(response.text(), "Because.");
    assert_eq!(response.finish, Some(Finish::Stop));
    assert_eq!(response.usage.total, 3);
    let seen = server.seen().remove(0);
    assert_eq!(
        seen.line,
        "POST /v1beta/models/gemini-test:streamGenerateContent?alt=sse"
    );
    assert!(seen.headers.contains(&format!("x-goog-api-key: {KEY}")));
    assert!(
        seen.headers
            .contains(&"content-type: application/json".to_owned())
    );
    let expected = json!({"contents": [{"role": "user", "parts": [{"text": "Why?"}]}]});
    assert_eq!(seen.body, expected);
}

#[test]
fn chunks_arrive_at_once() {
    let server = Server::start(vec![vec![
        Step::Send(head(200, "text/event-stream")),
        Step::Send(event(&text("a"))),
        Step::Pause(Duration::from_millis(800)),
        Step::Send(event(&last("b"))),
    ]]);
    let gemini = gemini(&server.url());
    block_on(async {
        let begin = Instant::now();
        let mut chunks = gemini.send(&request()).await.expect("a response");
        chunks.next().await.expect("a chunk").expect("no error");
        let first = begin.elapsed();
        let (rest, error) = collect(&mut chunks).await;
        assert!(error.is_none() && rest.text() == "b", "{error:?}");
        let second = begin.elapsed();
        assert!(
            second > first + Duration::from_millis(400),
            "{first:?} {second:?}"
        );
    });
}

#[test]
fn dropping_it_closes_the_connection() {
    let endless = vec![
        Step::Send(head(200, "text/event-stream")),
        Step::Repeat(event(&text("a")), 10_000_000),
    ];
    let server = Server::start(vec![endless]);
    let gemini = gemini(&server.url());
    let begin = Instant::now();
    block_on(async {
        let mut chunks = gemini.send(&request()).await.expect("a response");
        chunks.next().await.expect("a chunk").expect("no error");
    });
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn ends_of_lines() {
    for end in ["\n", "\r", "\r\n"] {
        let data = |chunk: &Value| format!("data: {chunk}{end}{end}");
        let body = format!(
            ": hello{end}{}event: x{end}id: 1{end}{}",
            data(&text("a")),
            data(&last("b"))
        );
        let answer = [head(200, "text/event-stream"), body.into_bytes()].concat();
        let (response, error) = ask(&Server::answering(answer).url());
        assert!(error.is_none(), "{end:?}: {error:?}");
        assert_eq!(response.text(), "ab", "{end:?}");
    }
}

#[test]
fn every_split() {
    let body = [event(&text("é€😀")), event(&last("\u{2028}b"))].concat();
    for split in 0..=body.len() {
        let server = Server::start(vec![vec![
            Step::Send(head(200, "text/event-stream")),
            Step::Send(body[..split].to_vec()),
            Step::Pause(Duration::from_millis(2)),
            Step::Send(body[split..].to_vec()),
        ]]);
        let (response, error) = ask(&server.url());
        assert!(error.is_none(), "{split}: {error:?}");
        assert_eq!(response.text(), "é€😀\u{2028}b", "{split}");
    }
}

#[test]
fn last_event_may_lack_its_end() {
    for end in [
        "",
        "\n",
        "\r\n\r\n\r\n",
        "\n\ndata: [DONE]\n\n",
        "\n\n: end",
    ] {
        let body = format!("data: {}{end}", last("a"));
        let answer = [head(200, "text/event-stream"), body.into_bytes()].concat();
        let (response, error) = ask(&Server::answering(answer).url());
        assert!(error.is_none(), "{end:?}: {error:?}");
        assert_eq!(response.text(), "a", "{end:?}");
        assert!(!response.is_cut(), "{end:?}");
    }
}

#[test]
fn slow_drips() {
    let body = event(&last("drip"));
    let mut steps = vec![Step::Send(head(200, "text/event-stream"))];
    for byte in &body {
        steps.push(Step::Send(vec![*byte]));
        steps.push(Step::Pause(Duration::from_millis(1)));
    }
    let (response, error) = ask(&Server::start(vec![steps]).url());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(response.text(), "drip");
}
