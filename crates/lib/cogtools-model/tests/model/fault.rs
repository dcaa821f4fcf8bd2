//! Faults between a program and a provider.

use std::fmt::Write as _;
use std::time::Duration;

use cogtools_model::{ApiErrorKind, Model as _, ModelError};
use cogtools_test_support::{assert_text, conformance, str};
use serde_json::{Value, json};

use crate::server::{Server, Step, event, events, head, json};
use crate::{ask, block_on, gemini, message, request};

fn part() -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "Be"}]}}]})
}

fn end() -> Value {
    json!({"candidates": [{"finishReason": "STOP"}]})
}

fn overloaded() -> Value {
    json!({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}})
}

#[test]
fn recorded_errors_from_a_server() {
    let file = "agents/gemini_errors.jsonl";
    let Some(rows) = conformance::recorded(file, "recorded_errors_from_a_server") else {
        return;
    };
    for row in rows {
        let expected = &row["expected"];
        let status = u16::try_from(expected["http_status"].as_u64().unwrap()).unwrap();
        let error = &expected["body"]["error"];
        let server = Server::answering(json(status, &expected["body"]));
        let found = message(ask(&server.url()).1);
        let (name, text) = (
            error["status"].as_str().unwrap(),
            error["message"].as_str().unwrap(),
        );
        assert_eq!(
            found,
            format!("the provider answered with {status} {name}: {text}"),
            "{}",
            row["id"]
        );
        assert_eq!(server.lines().len(), 1, "one request, no retry");
    }
}

#[test]
fn answers_that_are_errors() {
    let retry = json!({"error": {"code": 429, "message": "q", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "23s"}]}});
    let answers = [
        json(429, &retry),
        [
            head(502, "text/html"),
            b"<html><h1>Bad Gateway</h1></html>".to_vec(),
        ]
        .concat(),
        head(500, "text/plain"),
        [head(403, "text/plain"), b"no such customer".to_vec()].concat(),
        b"HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n".to_vec(),
        b"HTTP/1.1 503 No\r\nContent-Length: 900\r\n\r\n{\"error\":".to_vec(),
    ];
    let mut found = String::new();
    for answer in answers {
        let error = ask(&Server::answering(answer).url()).1.expect("an error");
        let (is_transient, wait) = (error.is_transient(), error.retry_after());
        writeln!(found, "{error} | {is_transient} {wait:?}").unwrap();
    }
    assert_text(
        &found,
        str![[r#"
the provider answered with 429 RESOURCE_EXHAUSTED: q | true Some(23s)
the provider answered with 502 | true None
the provider answered with 500 | true None
the provider answered with 403: no such customer | false None
the provider answered with 503 | true Some(7s)
the provider answered with 503 | true None

"#]],
    );
}

/// The beginning of a response.
fn begin() -> Vec<u8> {
    [head(200, "text/event-stream"), event(&part())].concat()
}

/// Data in the chunked encoding.
fn chunk(data: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", data.len()).as_bytes(), data, b"\r\n"].concat()
}

#[test]
fn streams_that_break() {
    let chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
                   Transfer-Encoding: chunked\r\n\r\n";
    let pretty = serde_json::to_vec_pretty(&overloaded()).unwrap();
    let cases = [
        ("no finish", begin()),
        (
            "half an event",
            [begin(), b"data: {\"candidates\": [".to_vec()].concat(),
        ),
        (
            "error event",
            [begin(), event(&overloaded()), event(&end())].concat(),
        ),
        ("error without an event", [begin(), pretty.clone()].concat()),
        (
            "error in a list",
            [begin(), json!([overloaded()]).to_string().into_bytes()].concat(),
        ),
        ("not JSON", [begin(), b"data: oops\n\n".to_vec()].concat()),
        (
            "reset",
            [
                chunked.into(),
                chunk(&event(&part())),
                b"ff\r\ndata: {".to_vec(),
            ]
            .concat(),
        ),
        (
            "reset after the end",
            [
                chunked.into(),
                chunk(&event(&part())),
                chunk(&event(&end())),
            ]
            .concat(),
        ),
    ];
    let mut found = String::new();
    for (name, answer) in cases {
        let (response, error) = ask(&Server::answering(answer).url());
        let error = error.map_or("no error".to_owned(), |error| error.to_string());
        let error = error.split("127.0.0.1").last().unwrap_or_default();
        let error = error.trim_start_matches(|next: char| next.is_ascii_digit() || next == ':');
        assert_eq!(response.text(), "Be", "{name}");
        writeln!(found, "{name}: {error}; cut: {}", response.is_cut()).unwrap();
    }
    assert_text(
        &found,
        str![[r#"
no finish: no error; cut: true
half an event: no error; cut: true
error event: the provider answered with 503 UNAVAILABLE: The model is overloaded.; cut: true
error without an event: the provider answered with 503 UNAVAILABLE: The model is overloaded.; cut: true
error in a list: the provider answered with 503 UNAVAILABLE: The model is overloaded.; cut: true
not JSON: the provider sent something other than a response: an event is not JSON: expected value at line 1 column 1; cut: true
reset: ` closed the connection in the middle of a response; cut: true
reset after the end: no error; cut: false

"#]],
    );
}

#[test]
fn first_event_that_is_an_error_is_returned_at_once() {
    let server = Server::answering(events(&[overloaded()]));
    let gemini = gemini(&server.url());
    let error = block_on(async { gemini.send(&request()).await.map(drop) });
    match error {
        Err(ModelError::Api(error)) => assert_eq!(error.kind, ApiErrorKind::Overloaded),
        other => panic!("{other:?}"),
    }
}

#[test]
fn bodies_that_are_not_streams() {
    let bodies = [
        "",
        "\n\n",
        "<html>Sign in to this network</html>",
        "[]",
        "data: 5\n\n",
        "data: []\n\n",
        "data: \"text\"\n\n",
        "data: {\"candidates\": 5}\n\n",
        "data: {\"candidates\": [{\"content\": \"text\"}]}\n\n",
        "data: {\"candidates\": [{\"content\": {\"parts\": {}}}]}\n\n",
        "data: {\"candidates\": [{\"content\": {\"parts\": [\"text\"]}}]}\n\n",
        "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": NaN}]}}]}\n\n",
    ];
    let mut found = String::new();
    for body in bodies {
        let answer = [head(200, "text/event-stream"), body.into()].concat();
        let (response, error) = ask(&Server::answering(answer).url());
        assert!(response.is_cut(), "{body}");
        let error = error.map_or("cut".to_owned(), |error| error.to_string());
        writeln!(found, "{error}").unwrap();
    }
    assert_text(
        &found,
        str![[r#"
cut
cut
the provider sent something other than a response: the body is not a stream of events
the provider sent something other than a response: the body is not a stream of events
the provider sent something other than a response: an event is not a JSON object
the provider sent something other than a response: an event is not a JSON object
the provider sent something other than a response: an event is not a JSON object
the provider sent something other than a response: `candidates` is not a list
the provider sent something other than a response: `content` is not an object with a list of parts
the provider sent something other than a response: `content` is not an object with a list of parts
the provider sent something other than a response: `content` is not an object with a list of parts
the provider sent something other than a response: an event is not JSON: expected value at line 1 column 49

"#]],
    );
}

#[test]
fn silence_ends() {
    let silence = Step::Pause(Duration::from_secs(30));
    let begin = Step::Send([head(200, "text/event-stream"), event(&part())].concat());
    for (steps, text) in [(vec![silence.clone()], ""), (vec![begin, silence], "Be")] {
        let (response, error) = ask(&Server::start(vec![steps]).url());
        assert_eq!(response.text(), text);
        let error = error.expect("a time-out");
        assert!(
            error.is_transient() && error.to_string().ends_with("` sent nothing for 2s"),
            "{error}"
        );
    }
}

#[test]
fn nothing_answers() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let error = ask(&format!("http://{address}")).1.expect("an error");
    assert!(error.is_transient(), "{error}");
    let resets = Server::start(vec![vec![]]);
    let error = ask(&resets.url()).1.expect("an error");
    assert!(error.is_transient(), "{error}");
}

#[test]
fn redirects_do_not_take_the_key_along() {
    let other = Server::answering(events(&[end()]));
    let answer = format!(
        "HTTP/1.1 307 Moved\r\nLocation: {}/\r\nContent-Length: 0\r\n\r\n",
        other.url()
    );
    let error = ask(&Server::answering(answer.into_bytes()).url())
        .1
        .expect("an error");
    assert!(!error.is_transient(), "{error}");
    assert_eq!(other.lines(), Vec::<String>::new());
}
