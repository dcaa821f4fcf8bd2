//! The delivery of answers: in events and pieces, and not always to their end.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use cogtools_test_support::{ApiError, Break, FakeGemini, Turn};
use serde_json::{Value, json};

use super::client::{Client, GENERATE, Response, STREAM, hi, request};

/// The answer to a request for a stream.
fn streamed(turn: Turn) -> Response {
    let fake = FakeGemini::start([turn]);
    let response = Client::new(&fake).post(STREAM, &request(&json!([hi()])));
    fake.finish();
    response
}

fn texts(events: &[Value]) -> Vec<&Value> {
    let parts = events
        .iter()
        .map(|event| &event["candidates"][0]["content"]["parts"]);
    parts.map(|parts| &parts[0]["text"]).collect()
}

#[test]
fn each_event_is_a_whole_response() {
    let response = streamed(Turn::texts(["one ", "two"]).thinking("hm"));
    assert_eq!(response.pieces.len(), 3);
    let events = response.events("\r\n\r\n");
    assert_eq!(texts(&events), ["hm", "one ", "two"]);
    for (index, event) in events.iter().enumerate() {
        let is_last = index == 2;
        assert_eq!(event["candidates"][0]["finishReason"].is_string(), is_last);
        assert_eq!(
            event["usageMetadata"]["candidatesTokenCount"].is_u64(),
            is_last
        );
        assert_eq!(event["usageMetadata"]["promptTokenCount"], 16);
        assert_eq!(event["responseId"], "response-1");
    }
}

#[test]
fn calls_arrive_whole() {
    let calls = || Turn::calls([("f", json!({ "a": 1 })), ("f", json!({ "a": 2 }))]);
    let together = streamed(calls().saying("Let me see.")).events("\r\n\r\n");
    assert_eq!(together.len(), 2);
    let parts = &together[1]["candidates"][0]["content"]["parts"];
    assert_eq!(parts[1]["functionCall"]["args"], json!({ "a": 2 }));
    let apart = streamed(calls().calls_apart().without_ids()).events("\r\n\r\n");
    assert_eq!(apart.len(), 2);
    let call = json!({ "name": "f", "args": { "a": 2 } });
    let parts = &apart[1]["candidates"][0]["content"]["parts"];
    assert_eq!(*parts, json!([{ "functionCall": call }]));
}

#[test]
fn stream_without_events_is_a_list() {
    let fake = FakeGemini::start([Turn::texts(["a", "b"])]);
    let target = STREAM.replace("?alt=sse", "");
    let response = Client::new(&fake).post(&target, &request(&json!([hi()])));
    fake.finish();
    assert_eq!(response.kind, "application/json; charset=UTF-8");
    let events = response.json();
    assert_eq!(texts(events.as_array().expect("a list")), ["a", "b"]);
}

#[test]
fn events_end_in_every_way() {
    for separator in ["\n\n", "\r\r", "\r\n\r\n"] {
        let response = streamed(Turn::texts(["a", "b"]).separated_by(separator));
        assert_eq!(texts(&response.events(separator)), ["a", "b"]);
    }
}

#[test]
fn characters_are_split() {
    let response = streamed(Turn::text("größer 👍").in_pieces(1, Duration::ZERO));
    assert!(response.pieces.iter().all(|piece| piece.len() == 1));
    assert_eq!(texts(&response.events("\r\n\r\n")), ["größer 👍"]);
    let fake = FakeGemini::start([Turn::text("ü").in_pieces(7, Duration::ZERO)]);
    let response = Client::new(&fake).post(GENERATE, &request(&json!([hi()])));
    fake.finish();
    assert!(response.pieces.len() > 10, "{response:?}");
    assert_eq!(response.parts(), json!([{ "text": "ü" }]));
}

#[test]
fn pieces_drip() {
    let begin = Instant::now();
    let response = streamed(Turn::text("a").in_pieces(100, Duration::from_millis(20)));
    let least = Duration::from_millis(20) * u32::try_from(response.pieces.len()).unwrap_or(0);
    assert!(begin.elapsed() >= least && least > Duration::from_millis(40));
}

#[test]
fn stream_breaks() {
    let text = || Turn::texts(["one ", "two", "three"]);
    let cut = streamed(text().breaks_after(1, Break::Cut));
    assert_eq!(cut.broken, Some(ErrorKind::UnexpectedEof));
    assert_eq!(cut.pieces.len(), 2);
    assert!(cut.pieces[1].starts_with(b"data: {"), "{cut:?}");
    assert!(!cut.pieces[1].ends_with(b"\r\n\r\n"), "{cut:?}");

    let reset = streamed(text().breaks_after(1, Break::Reset));
    assert_eq!(reset.broken, Some(ErrorKind::ConnectionReset));

    let hung = streamed(text().breaks_after(2, Break::Hang));
    assert_eq!(hung.broken, Some(ErrorKind::WouldBlock));
    assert_eq!(texts(&hung.events("\r\n\r\n")), ["one ", "two"]);

    let error = Break::Error(ApiError::new(503));
    let failed = streamed(text().breaks_after(2, error));
    assert_eq!((failed.status, failed.broken), (200, None));
    let events = failed.events("\r\n\r\n");
    assert_eq!(texts(&events[..2]), ["one ", "two"]);
    assert_eq!(events[2]["error"]["code"], 503);
}

#[test]
fn connection_breaks_before_an_answer() {
    for (turn, expected) in [
        (Turn::reset(), ErrorKind::ConnectionReset),
        (Turn::cut(), ErrorKind::UnexpectedEof),
        (Turn::hang(), ErrorKind::WouldBlock),
    ] {
        let fake = FakeGemini::start([turn]);
        let body = request(&json!([hi()])).to_string();
        let rest = format!(
            "X-Goog-Api-Key: k\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let broken = Client::new(&fake).try_send(&format!("POST {GENERATE}"), &rest);
        assert_eq!(broken.err().map(|error| error.kind()), Some(expected));
        assert_eq!(fake.finish().requests[0].status, 0);
    }
}

#[test]
fn whole_answer_breaks_in_its_middle() {
    let fake = FakeGemini::start([Turn::text("a").breaks_after(0, Break::Cut)]);
    let response = Client::new(&fake).post(GENERATE, &request(&json!([hi()])));
    fake.finish();
    assert_eq!(response.broken, Some(ErrorKind::UnexpectedEof));
    assert!(
        response.text().starts_with("{\"candidates\""),
        "{response:?}"
    );
}
