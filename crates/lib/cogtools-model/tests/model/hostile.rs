//! A server that means harm: all of it is bounded, nothing crashes.

use std::time::{Duration, Instant};

use cogtools_http::{Client, ClientOptions};
use cogtools_model::gemini::{Endpoint, Gemini};
use cogtools_model::{Key, Model as _};
use serde_json::json;

use crate::server::{Server, Step, event, head};
use crate::{ask, block_on, collect, gemini, request};

fn stream(steps: Vec<Step>) -> Server {
    let mut all = vec![Step::Send(head(200, "text/event-stream"))];
    all.extend(steps);
    Server::start(vec![all])
}

#[test]
fn line_without_end() {
    let server = stream(vec![
        Step::Send(b"data: {\"x\": \"".to_vec()),
        Step::Repeat(vec![b'a'; 1 << 16], 300),
    ]);
    let (_, error) = ask(&server.url());
    let message = error.expect("an error").to_string();
    let expected = "` sent a response larger than 16777216 bytes";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn large_text_in_one_line() {
    let text = "x".repeat(15 << 20);
    let chunk =
        json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]});
    let (response, error) = ask(&stream(vec![Step::Send(event(&chunk))]).url());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(response.text().len(), 15 << 20);
}

#[test]
fn many_chunks() {
    let chunk = json!({"candidates": [{"content": {"parts": [{"text": "x"}]}}]});
    let begin = Instant::now();
    let (response, error) = ask(&stream(vec![Step::Repeat(event(&chunk), 100_000)]).url());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        (response.parts().len(), response.text().len()),
        (100_000, 100_000)
    );
    assert!(response.is_cut());
    assert!(
        begin.elapsed() < Duration::from_mins(1),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn endless_stream() {
    let chunk = json!({"candidates": [{"content": {"parts": [{"text": "x".repeat(1 << 20)}]}}]});
    let server = stream(vec![Step::Repeat(event(&chunk), 1_000)]);
    let options = ClientOptions {
        max_response_bytes: 4 << 20,
        ..ClientOptions::default()
    };
    let client = Client::new(options);
    let gemini = Gemini::new(client, Endpoint::google_ai(&server.url(), Key::new("k")));
    let (_, error) = block_on(async {
        let mut chunks = gemini.send(&request()).await.expect("a response");
        collect(&mut chunks).await
    });
    let message = error.expect("an error").to_string();
    assert!(
        message.ends_with("` sent a response larger than 4194304 bytes"),
        "{message}"
    );
    // An answer has a limit of its own.
    let (_, error) = ask(&stream(vec![Step::Repeat(event(&chunk), 1_000)]).url());
    let message = error.expect("an error").to_string();
    assert!(message.ends_with("larger than 16777216 bytes"), "{message}");
}

#[test]
fn a_lone_surrogate_is_replaced() {
    let chunk = r#"{"candidates": [{"content": {"parts": [{"text": "a\ud800b"}]}, "finishReason": "STOP"}]}"#;
    let data = format!("data: {chunk}\n\n").into_bytes();
    let (response, error) = ask(&stream(vec![Step::Send(data)]).url());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(response.text(), "a\u{FFFD}b");
}

#[test]
fn deep_nesting() {
    let deep = format!("data: {}1{}\n\n", "[".repeat(100_000), "]".repeat(100_000));
    let (_, error) = ask(&stream(vec![Step::Send(deep.into_bytes())]).url());
    let message = error.expect("an error").to_string();
    assert!(message.contains("recursion limit exceeded"), "{message}");
}

#[test]
fn strange_bytes() {
    let mut bytes =
        b"data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"a\xff\xfe".to_vec();
    bytes.extend(b"\"}]}, \"finishReason\": \"STOP\"}]}\n\n");
    let (response, error) = ask(&stream(vec![Step::Send(bytes)]).url());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(response.text(), "a\u{fffd}\u{fffd}");
    for bytes in [
        b"\0\0\0\0".to_vec(),
        b"data: \0\n\n".to_vec(),
        vec![0xff; 1_000],
    ] {
        let (response, _) = ask(&stream(vec![Step::Send(bytes)]).url());
        assert!(response.is_cut() && response.is_empty());
    }
}

#[test]
fn numbers_of_any_size() {
    let chunk = br#"data: {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"n": 1e400}}}]}}]}

"#;
    let (response, error) = ask(&stream(vec![Step::Send(chunk.to_vec())]).url());
    assert!(error.is_some() && response.is_empty(), "{response:?}");
    let chunk = br#"data: {"usageMetadata": {"promptTokenCount": -1, "totalTokenCount": 1.5, "candidatesTokenCount": "3"}, "candidates": [{"index": -1, "finishReason": 5}]}

"#;
    let (response, error) = ask(&stream(vec![Step::Send(chunk.to_vec())]).url());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(response.usage, cogtools_model::Usage::default());
    assert!(response.is_cut());
}

#[test]
fn large_error_is_still_that_error() {
    let steps = vec![
        Step::Send(head(503, "text/plain")),
        Step::Repeat(vec![b'x'; 1 << 16], 10_000),
    ];
    let error = ask(&Server::start(vec![steps]).url()).1.expect("an error");
    assert_eq!(error.to_string(), "the provider answered with 503");
    assert!(error.is_transient());
}

#[test]
fn pages_without_end() {
    let page = |number: usize| {
        let models: Vec<_> = (0..5_000)
            .map(|model| json!({"name": format!("models/{number}-{model}")}))
            .collect();
        crate::server::json(
            200,
            &json!({"models": models, "nextPageToken": format!("{number}")}),
        )
    };
    let many = Server::start(
        (0..9)
            .map(|number| vec![Step::Send(page(number))])
            .collect(),
    );
    let listed = block_on(gemini(&many.url()).models()).expect("models");
    assert_eq!((listed.len(), many.lines().len()), (10_000, 2));
    // The same page for ever.
    let same = json!({"models": [{"name": "models/m"}], "nextPageToken": "again"});
    let server = Server::answering(crate::server::json(200, &same));
    let listed = block_on(gemini(&server.url()).models()).expect("models");
    assert_eq!((listed.len(), server.lines().len()), (2, 2));
    // Another page for ever.
    let empty =
        |number: usize| crate::server::json(200, &json!({"nextPageToken": format!("{number}")}));
    let server = Server::start(
        (0..100)
            .map(|number| vec![Step::Send(empty(number))])
            .collect(),
    );
    let listed = block_on(gemini(&server.url()).models()).expect("models");
    assert_eq!((listed.len(), server.lines().len()), (0, 20));
}
