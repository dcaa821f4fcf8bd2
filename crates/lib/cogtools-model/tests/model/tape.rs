//! Tapes: what is recorded comes back, and nothing else is answered.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use cogtools_model::{
    ApiError, Chunk, Chunks, Content, Generation, Model, ModelError, ModelInfo, Part, Recorder,
    Replay, Request, Tape,
};
use cogtools_test_support::{assert_text, str};
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, future, stream};
use serde_json::{Value, json};

use crate::{block_on, collect, request};

/// Answer of a model: chunks, and an error after them.
pub(crate) type Answer = (Vec<Value>, Option<ModelError>);

/// A model that gives these answers, in turn.
#[derive(Debug, Default)]
pub(crate) struct Script(Mutex<VecDeque<Answer>>);

impl Model for Script {
    fn send<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        let answer = self.0.lock().expect("no panic").pop_front();
        let (chunks, error) = answer.expect("an answer");
        let sent = match error {
            Some(error) if chunks.is_empty() => Err(error),
            error => {
                let chunks = chunks.into_iter().map(Chunk::from_wire).map(Ok);
                Ok(stream::iter(chunks.chain(error.map(Err))).boxed())
            }
        };
        future::ready(sent).boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        future::ready(Ok(Vec::new())).boxed()
    }
}

pub(crate) fn recorder(answers: impl IntoIterator<Item = Answer>) -> Recorder<Script> {
    let tape = Tape {
        time: "2026-11-22T09:00:00Z".to_owned(),
        model: "gemini-test".to_owned(),
    };
    Recorder::new(Script(Mutex::new(answers.into_iter().collect())), tape)
}

pub(crate) fn says(text: &str) -> Answer {
    let chunk = json!({"candidates": [{"content": {"role": "model", "parts": [
        {"text": text, "thoughtSignature": "AAFzaWf/", "futureField": 1.5},
    ]}, "finishReason": "STOP"}]});
    (vec![chunk], None)
}

pub(crate) fn asking(text: &str) -> Request {
    Request {
        contents: vec![Content::user(vec![Part::text_of(text)]).into()],
        generation: Generation {
            temperature: Some(0.2),
            ..Generation::default()
        },
        ..request()
    }
}

/// Sends a request, and reads all of the response: its text, or its text and an error.
pub(crate) fn send(model: &dyn Model, request: &Request) -> String {
    block_on(async {
        let (response, error) = match model.send(request).await {
            Ok(mut chunks) => collect(&mut chunks).await,
            Err(error) => (cogtools_model::Response::default(), Some(error)),
        };
        match error {
            Some(error) => format!("{}! {error}", response.text()),
            None => response.text(),
        }
    })
}

pub(crate) fn replay(lines: &[u8]) -> Replay {
    Replay::new("tape.jsonl", lines).expect("a tape")
}

fn rate_limit() -> ModelError {
    let body = json!({"error": {"code": 429, "message": "slowly", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "x.RetryInfo", "retryDelay": "7s"}]}});
    ModelError::Api(ApiError::new(429, body.to_string().as_bytes()))
}

#[test]
fn bytes_of_a_tape() {
    let recorder = recorder([says("Because."), (Vec::new(), Some(rate_limit()))]);
    send(&recorder, &asking("Why?"));
    send(&recorder, &asking("When?"));
    assert_text(
        recorder.lines(),
        str![[r#"
{"tape":1,"time":"2026-11-22T09:00:00Z","model":"gemini-test","calls":true}
{"hash":"dc40a08b4b8fa767f75644f70930aa646a41de4528eac6e9bc85a0eacb2b4f75","model":"gemini-test","request":{"contents":[{"role":"user","parts":[{"text":"Why?"}]}],"generationConfig":{"temperature":0.2}},"response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Because.","thoughtSignature":"AAFzaWf/","futureField":1.5}]},"finishReason":"STOP"}]}]}
{"hash":"f7a6f90056d85a8dc22c418d1d5520d4269dfb2d5e9195ba61c7d0b12388fb5e","model":"gemini-test","request":{"contents":[{"role":"user","parts":[{"text":"When?"}]}],"generationConfig":{"temperature":0.2}},"response":[],"error":{"kind":"rate_limited","status":429,"name":"RESOURCE_EXHAUSTED","message":"slowly","retry_after_ms":7000}}

"#]],
    );
}

#[test]
fn what_was_recorded_comes_back() {
    let recorder = recorder([says("Because."), says("Now.")]);
    let recorded = [
        send(&recorder, &asking("Why?")),
        send(&recorder, &asking("When?")),
    ];
    let replay = replay(&recorder.lines());
    let replayed = [
        send(&replay, &asking("Why?")),
        send(&replay, &asking("When?")),
    ];
    assert_eq!(replayed, recorded);
    assert_eq!(replay.tape().time, "2026-11-22T09:00:00Z");
    assert_eq!(replay.tape().model, "gemini-test");
    let chunks = block_on(async {
        let chunks = replay.send(&asking("Why?")).await.expect("recorded");
        chunks
            .map(|chunk| chunk.expect("no error").as_json().clone())
            .collect::<Vec<_>>()
            .await
    });
    assert_eq!(chunks, says("Because.").0);
    assert!(replay.caches().is_none() && recorder.caches().is_none());
    let listed = block_on(replay.models()).expect_err("not recorded");
    assert_eq!(
        listed.to_string(),
        "the provider does not support listing models in a replay"
    );
}

#[test]
fn hash_is_that_of_the_request() {
    let recorder = recorder([says("Because.")]);
    send(&recorder, &asking("Why?"));
    let lines = recorder.lines();
    let line = lines
        .split(|byte| *byte == b'\n')
        .nth(1)
        .expect("a recording");
    let recording: Value = serde_json::from_slice(line).expect("JSON");
    assert_eq!(recording["hash"], asking("Why?").hash());
}

#[test]
fn same_request_gets_each_response_in_turn() {
    let recorder = recorder([says("1"), (Vec::new(), Some(rate_limit())), says("2")]);
    let recorded: Vec<String> = (0..3).map(|_| send(&recorder, &asking("Why?"))).collect();
    let error = "! the provider answered with 429 RESOURCE_EXHAUSTED: slowly";
    assert_eq!(recorded, ["1", error, "2"]);
    let replay = replay(&recorder.lines());
    let replayed: Vec<String> = (0..5).map(|_| send(&replay, &asking("Why?"))).collect();
    assert_eq!(replayed, ["1", error, "2", "2", "2"]);
}

#[test]
fn recorded_error_is_the_same_error() {
    let (mut chunks, _) = says("Be");
    chunks.truncate(1);
    let recorder = recorder([
        (Vec::new(), Some(rate_limit())),
        (chunks, Some(rate_limit())),
    ]);
    send(&recorder, &asking("Why?"));
    let broken = send(&recorder, &asking("Why?"));
    let replay = replay(&recorder.lines());
    let first = block_on(async { replay.send(&asking("Why?")).await.map(drop) });
    match first {
        Err(ModelError::Api(error)) => {
            assert_eq!(
                ModelError::Api(error.clone()).to_string(),
                rate_limit().to_string()
            );
            assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
            assert!(error.is_transient());
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(send(&replay, &asking("Why?")), broken);
    assert!(broken.starts_with("Be! "), "{broken}");
}

#[test]
fn failures_of_the_network_are_not_recorded() {
    let cut = || ModelError::InvalidResponse("cut".to_owned());
    let recorder = recorder([
        (Vec::new(), Some(cut())),
        (says("Be").0, Some(cut())),
        says("Because."),
    ]);
    for _ in 0..3 {
        send(&recorder, &asking("Why?"));
    }
    // Not read to its end.
    recorder_with_unread_response();
    let replay = replay(&recorder.lines());
    assert_eq!(send(&replay, &asking("Why?")), "Because.");
}

fn recorder_with_unread_response() {
    let recorder = recorder([says("Because.")]);
    block_on(async {
        let mut chunks = recorder.send(&asking("Why?")).await.expect("a response");
        chunks.next().await.expect("a chunk").expect("no error");
    });
    assert_eq!(recorder.lines().split(|byte| *byte == b'\n').count(), 2);
}

#[test]
fn order_is_that_of_the_requests() {
    let recorder = recorder([says("1"), says("2")]);
    block_on(async {
        let mut first = recorder.send(&asking("one")).await.expect("a response");
        let mut second = recorder.send(&asking("two")).await.expect("a response");
        collect(&mut second).await;
        collect(&mut first).await;
    });
    let lines = String::from_utf8(recorder.lines()).expect("text");
    let position = |text: &str| lines.find(text).expect(text);
    assert!(position("one") < position("two"), "{lines}");
}

#[test]
fn secrets_stay_off_the_tape() {
    let secrets = || {
        [
            "hunter2-hunter2".to_owned(),
            "hunter2-hunter2-long".to_owned(),
            "a".to_owned(),
        ]
    };
    let asked = asking("PASSWORD=hunter2-hunter2-long and hunter2-hunter2");
    let error = json!({"error": {"code": 400, "message": "not hunter2-hunter2"}}).to_string();
    let error = ModelError::Api(ApiError::new(400, error.as_bytes()));
    let recorder =
        recorder([says("It is hunter2-hunter2."), (Vec::new(), Some(error))]).masking(secrets());
    assert_eq!(send(&recorder, &asked), "It is hunter2-hunter2.");
    send(&recorder, &asked);
    let lines = String::from_utf8(recorder.lines()).expect("text");
    assert!(
        !lines.contains("hunter2") && !format!("{recorder:?}").contains("hunter2"),
        "{lines}"
    );
    let replay = replay(lines.as_bytes()).masking(secrets());
    assert_eq!(send(&replay, &asked), "It is [secret].");
    assert_eq!(
        send(&replay, &asked),
        "! the provider answered with 400: not [secret]"
    );
}
