//! A streamed response, or a whole one of a server that does not stream, put together from deltas.

use cogtools_http::Response;
use cogtools_http::http::header::CONTENT_TYPE;
use cogtools_http::sse::{Event, SseParser};
use futures::{StreamExt as _, stream};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::openai::{api_error, read_json};
use crate::{ApiError, Chunk, Chunks, ModelError, Part};

struct State {
    events: Events,
    assembler: Option<Assembler>,
    secret: String,
}

/// The chunks of `response`; `secret` is kept out of errors. An error in the stream ends it.
pub(super) async fn chunks(response: Response, secret: &str) -> Result<Chunks, ModelError> {
    let content_type = response.header(CONTENT_TYPE).unwrap_or_default();
    if content_type.starts_with("application/json") {
        let chunks = whole(read_json(response).await?, secret)?;
        return Ok(stream::iter(chunks.into_iter().map(Ok)).boxed());
    }
    let state = State {
        events: Events::new(response),
        assembler: Some(Assembler::default()),
        secret: secret.to_owned(),
    };
    let next = |mut state: State| async move {
        let chunk = state.next().await.transpose()?;
        if chunk.is_err() {
            state.assembler = None;
        }
        Some((chunk, state))
    };
    Ok(stream::unfold(state, next).boxed())
}

impl State {
    async fn next(&mut self) -> Result<Option<Chunk>, ModelError> {
        while let Some(assembler) = &mut self.assembler {
            let data = self.events.next().await.transpose()?;
            let is_done = data.as_deref().is_some_and(|data| data.trim() == DONE);
            let chunk = match data.filter(|_| !is_done) {
                Some(data) => assembler.push(&checked(parse(&data)?, &self.secret)?),
                None => self
                    .assembler
                    .take()
                    .and_then(|assembler| assembler.finish(is_done)),
            };
            if chunk.is_some() {
                return Ok(chunk);
            }
        }
        Ok(None)
    }
}

fn whole(answer: Value, secret: &str) -> Result<Vec<Chunk>, ModelError> {
    let answer = checked(answer, secret)?;
    let mut assembler = Assembler::default();
    let first = assembler.push(&answer);
    Ok([first, assembler.finish(true)]
        .into_iter()
        .flatten()
        .collect())
}

/// `object`, unless it is an error.
fn checked(object: Value, secret: &str) -> Result<Value, ModelError> {
    match object.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(api_error(ApiError::from_json(200, error), secret)),
        None if object.get("choices").is_none() && object.get("usage").is_none() => Err(
            ModelError::InvalidResponse("it has no `choices`".to_owned()),
        ),
        None => Ok(object),
    }
}

/// The data of the last event.
pub(super) const DONE: &str = "[DONE]";

/// The events of a response.
pub(super) struct Events {
    response: Response,
    parser: SseParser,
    has_ended: bool,
}

impl Events {
    pub(super) fn new(response: Response) -> Self {
        Self {
            response,
            parser: SseParser::default(),
            has_ended: false,
        }
    }

    /// The data of the next event. `None` at the end, and after an error.
    pub(super) async fn next(&mut self) -> Option<Result<String, ModelError>> {
        while !self.has_ended {
            let event = match self.next_event().await {
                Ok(event) => event?,
                Err(error) => {
                    self.end();
                    return Some(Err(error));
                }
            };
            if !event.data.trim().is_empty() {
                return Some(Ok(event.data));
            }
        }
        None
    }

    /// Ignores the rest.
    pub(super) const fn end(&mut self) {
        self.has_ended = true;
    }

    async fn next_event(&mut self) -> Result<Option<Event>, ModelError> {
        loop {
            if let Some(event) = self.parser.next_event() {
                return Ok(Some(event));
            }
            let Some(bytes) = self.response.chunk().await? else {
                self.end();
                // Half an event says no more than that the stream was cut.
                let last = std::mem::take(&mut self.parser).finish();
                return Ok(last.filter(|event| is_whole(&event.data)));
            };
            let pushed = self.parser.push(&bytes);
            pushed.map_err(|error| ModelError::InvalidResponse(error.to_string()))?;
        }
    }
}

/// The value of an event.
fn parse(data: &str) -> Result<Value, ModelError> {
    serde_json::from_str(data)
        .map_err(|error| ModelError::InvalidResponse(format!("an event is not JSON: {error}")))
}

fn is_whole(data: &str) -> bool {
    data.trim() == DONE || serde_json::from_str::<IgnoredAny>(data).is_ok()
}

/// The part of a response that has arrived.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    calls: Vec<Call>,
    has_begun: bool,
    is_refused: bool,
    finish: Option<String>,
}

/// A call of a tool, whose arguments arrive in pieces.
#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Assembler {
    /// Takes the next object of the stream, or the whole answer. Returns what is new.
    pub(super) fn push(&mut self, object: &Value) -> Option<Chunk> {
        let mut fields = Map::new();
        let choice = object.pointer("/choices/0");
        let message = choice.and_then(|choice| {
            let message = choice.get("delta").or_else(|| choice.get("message"));
            message.filter(|message| message.is_object())
        });
        let parts = message.map_or_else(Vec::new, |message| self.parts(message));
        let reason = choice.and_then(|choice| choice.get("finish_reason"));
        if let Some(reason) = reason.and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
        }
        if !parts.is_empty() {
            let content = json!({"role": "model", "parts": parts});
            fields.insert("candidates".to_owned(), json!([{"content": content}]));
        }
        if let Some(usage) = object.get("usage").filter(|usage| usage.is_object()) {
            fields.insert("usageMetadata".to_owned(), usage_metadata(usage));
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            for (key, name) in [("modelVersion", "model"), ("responseId", "id")] {
                if let Some(value) = object.get(name).filter(|value| value.is_string()) {
                    fields.insert(key.to_owned(), value.clone());
                }
            }
        }
        (!fields.is_empty()).then(|| Chunk::from_wire(Value::Object(fields)))
    }

    /// The end: the calls, which are whole now, and the reason. A stream that ends without a
    /// reason was cut, unless `is_done` says that the server was.
    pub(super) fn finish(self, is_done: bool) -> Option<Chunk> {
        let reason = match self.finish.as_deref() {
            None if !is_done => return None,
            _ if self.is_refused => "SAFETY",
            None | Some("stop" | "tool_calls" | "function_call" | "eos") => "STOP",
            Some("length" | "max_tokens") => "MAX_TOKENS",
            Some("content_filter") => "SAFETY",
            Some(other) => other,
        };
        let mut candidate = json!({"finishReason": reason});
        let calls: Vec<Part> = self.calls.into_iter().map(Call::into_part).collect();
        if !calls.is_empty() {
            candidate["content"] = json!({"role": "model", "parts": calls});
        }
        Some(Chunk::from_wire(json!({"candidates": [candidate]})))
    }

    /// The parts of a delta or a message; calls are kept until the end.
    fn parts(&mut self, message: &Value) -> Vec<Value> {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut parts = Vec::new();
        // The same thought under two names, by servers that serve both kinds of clients.
        let thought = [text("reasoning_content"), text("reasoning")];
        if let Some(thought) = thought.into_iter().find(|thought| !thought.is_empty()) {
            parts.push(json!({"text": thought, "thought": true}));
        }
        let refusal = text("refusal");
        self.is_refused |= !refusal.is_empty();
        for text in [&content(message.get("content")), refusal] {
            if !text.is_empty() {
                parts.push(json!({ "text": text }));
            }
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        for delta in calls.into_iter().flatten() {
            self.push_call(delta);
        }
        parts
    }

    fn push_call(&mut self, delta: &Value) {
        let index = delta.get("index").and_then(Value::as_u64);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let id = text(delta.get("id")).filter(|id| !id.is_empty());
        let name = text(delta.pointer("/function/name")).unwrap_or_default();
        let arguments = match delta.pointer("/function/arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(whole) => whole.to_string(),
        };
        // Some servers send whole calls, all with the same index or with none.
        let is_same = |call: &Call| match (&id, index) {
            (Some(id), _) if call.id.is_some() => call.id.as_ref() == Some(id),
            (_, Some(_)) => call.index == index,
            (_, None) => name.is_empty(),
        };
        match self.calls.iter_mut().rev().find(|call| is_same(call)) {
            Some(call) => {
                call.id = call.id.take().or(id);
                if call.name.is_empty() {
                    call.name = name;
                }
                call.arguments.push_str(&arguments);
            }
            None => self.calls.push(Call {
                index,
                id,
                name,
                arguments,
            }),
        }
    }
}

impl Call {
    /// Makes the part. Arguments that are not JSON stay text: the caller reports them to the model.
    fn into_part(self) -> Part {
        let args = match self.arguments.trim() {
            "" => json!({}),
            text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(self.arguments)),
        };
        Part::call_of(self.id.as_deref(), &self.name, args)
    }
}

/// The text of a message: a string, or parts of which some are text.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text")?.as_str())
            .collect(),
        _ => String::new(),
    }
}

fn usage_metadata(usage: &Value) -> Value {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let prompt = count("/prompt_tokens").unwrap_or(0);
    let completion = count("/completion_tokens").unwrap_or(0);
    let thoughts = count("/completion_tokens_details/reasoning_tokens").unwrap_or(0);
    let cached = count("/prompt_tokens_details/cached_tokens")
        .or_else(|| count("/prompt_cache_hit_tokens"))
        .unwrap_or(0);
    json!({
        "promptTokenCount": prompt,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": completion.saturating_sub(thoughts),
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": count("/total_tokens").unwrap_or(prompt + completion),
    })
}
