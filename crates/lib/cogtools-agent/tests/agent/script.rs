//! A model that plays a script, and keeps the requests.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use cogtools_model::{ApiError, Chunk, Chunks, Model, ModelError, ModelInfo, Request};
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt as _};
use futures::{FutureExt as _, Stream};
use serde_json::{Value, json};

/// Parts of a response, in order of arrival.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Chunk(Value),
    /// A chunk that takes a moment.
    Late(Value),
    Error(u16),
    Hang,
}

/// A response, or an error.
pub(crate) type Reply = Vec<Step>;

#[derive(Debug, Default)]
pub(crate) struct Script {
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<Request>>,
}

impl Script {
    pub(crate) fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            replies: Mutex::new(replies.into_iter().collect()),
            requests: Mutex::default(),
        }
    }

    /// The contents of each request.
    pub(crate) fn contents(&self) -> Vec<Value> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let contents = requests.iter().map(|request| json!(request.contents));
        contents.collect()
    }

    /// The schema of each request, and how many tools it declares.
    pub(crate) fn schemas(&self) -> Vec<(Option<Value>, usize)> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let schema = |request: &Request| request.generation.response_json_schema.clone();
        let schemas = requests.iter();
        let schemas = schemas.map(|request| (schema(request), request.tools.len()));
        schemas.collect()
    }

    /// The limit of output tokens of each request.
    pub(crate) fn limits(&self) -> Vec<Option<u32>> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = |request: &Request| request.generation.max_output_tokens;
        requests.iter().map(limit).collect()
    }

    /// Number of replies that were not played.
    pub(crate) fn left(&self) -> usize {
        let replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        replies.len()
    }
}

impl Model for Script {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.push(request.clone());
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = replies
            .pop_front()
            .unwrap_or_else(|| panic!("the script has ended: {:#?}", request.contents));
        async move {
            if let Some(Step::Error(status)) = reply.first() {
                return Err(error(*status));
            }
            Ok(play(reply).boxed())
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        async { Ok(Vec::new()) }.boxed()
    }
}

fn play(reply: Reply) -> impl Stream<Item = Result<Chunk, ModelError>> {
    stream::iter(reply).then(|step| async move {
        match step {
            Step::Chunk(chunk) => Ok(Chunk::from_wire(chunk)),
            Step::Late(chunk) => {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                Ok(Chunk::from_wire(chunk))
            }
            Step::Error(status) => Err(error(status)),
            Step::Hang => std::future::pending().await,
        }
    })
}

fn error(status: u16) -> ModelError {
    let body = json!({"error": {"code": status}}).to_string();
    ModelError::Api(ApiError::new(status, body.as_bytes()))
}

/// A chunk with these parts.
pub(crate) fn chunk(parts: &Value, finish: Option<&str>) -> Step {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    Step::Chunk(json!({
        "candidates": [candidate],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
    }))
}

/// An answer.
pub(crate) fn text(text: &str) -> Reply {
    vec![chunk(&json!([{"text": text}]), Some("STOP"))]
}

/// A part that calls `name`.
pub(crate) fn call_part(id: &str, name: &str, args: &Value) -> Value {
    json!({"functionCall": {"id": id, "name": name, "args": args}})
}

/// A call of `name`.
pub(crate) fn call(id: &str, name: &str, args: &Value) -> Reply {
    calls(&[call_part(id, name, args)])
}

/// Several calls.
pub(crate) fn calls(parts: &[Value]) -> Reply {
    vec![chunk(&json!(parts), Some("STOP"))]
}

/// The part with a result.
pub(crate) fn result(id: &str, name: &str, response: &Value) -> Value {
    json!({"functionResponse": {"id": id, "name": name, "response": response}})
}
