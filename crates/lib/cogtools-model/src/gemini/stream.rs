//! A streamed response: server-sent events, each a whole `GenerateContentResponse`.

use cogtools_http::Response;
use cogtools_http::sse::SseParser;
use futures::{StreamExt as _, stream};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::api_error::error_in;
use crate::response::checked;
use crate::{ApiError, Chunk, Chunks, ModelError};

struct Events {
    response: Response,
    parser: SseParser,
    stray: Stray,
    secret: String,
    has_chunks: bool,
    /// True if a chunk says why the response ended.
    has_finished: bool,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The body was read to its end.
    Read,
    /// The last chunk or an error was returned.
    Over,
}

/// The chunks of `response`; `secret` is kept out of errors. If the first one is an error, it
/// is returned at once. A later error ends the stream.
pub(super) async fn begin(response: Response, secret: &str) -> Result<Chunks, ModelError> {
    let events = Events {
        response,
        parser: SseParser::default(),
        stray: Stray::default(),
        secret: secret.to_owned(),
        has_chunks: false,
        has_finished: false,
        state: State::Open,
    };
    let next = |mut events: Events| async move {
        let chunk = events.chunk().await.transpose()?;
        Some((chunk, events))
    };
    let mut chunks = stream::unfold(events, next).boxed();
    match chunks.next().await {
        Some(first) => {
            let first = first?;
            Ok(stream::iter([Ok(first)]).chain(chunks).boxed())
        }
        None => Ok(stream::empty().boxed()),
    }
}

impl Events {
    /// The next chunk, `None` after the last one or an error.
    async fn chunk(&mut self) -> Result<Option<Chunk>, ModelError> {
        if self.state == State::Over {
            return Ok(None);
        }
        let chunk = match self.data().await {
            Ok(Some(data)) => self.parse(&data).map(Some),
            Ok(None) => self.check_stray().map(|()| None),
            // The connection of a complete response may end in any way.
            Err(ModelError::Http(_)) if self.has_finished => Ok(None),
            Err(error) => Err(error),
        };
        if !matches!(chunk, Ok(Some(_))) {
            self.state = State::Over;
        }
        chunk
    }

    /// The data of the next event, `None` at the end.
    async fn data(&mut self) -> Result<Option<String>, ModelError> {
        loop {
            let event = match self.parser.next_event() {
                None if self.state != State::Open => return Ok(None),
                None => {
                    if let Some(bytes) = self.response.chunk().await? {
                        self.stray.push(&bytes);
                        let pushed = self.parser.push(&bytes);
                        pushed.map_err(|error| ModelError::InvalidResponse(error.to_string()))?;
                        continue;
                    }
                    self.state = State::Read;
                    let last = std::mem::take(&mut self.parser).finish();
                    // Half an event says no more than that the stream was cut.
                    last.filter(|event| is_json(&event.data))
                }
                event => event,
            };
            // Servers that imitate two APIs end a stream as the other one does.
            let is_data = |data: &str| !data.is_empty() && data != "[DONE]";
            if let Some(event) = event.filter(|event| is_data(event.data.trim())) {
                return Ok(Some(event.data));
            }
        }
    }

    fn parse(&mut self, data: &str) -> Result<Chunk, ModelError> {
        let value: Value = serde_json::from_str(data).map_err(|error| {
            ModelError::InvalidResponse(format!("an event is not JSON: {error}"))
        })?;
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(self.api_error(error));
        }
        let chunk = checked(value)?;
        self.has_chunks = true;
        self.has_finished |= chunk.finishes();
        Ok(chunk)
    }

    /// Fails if the stream was, or ended as, something else.
    fn check_stray(&self) -> Result<(), ModelError> {
        if self.has_finished {
            return Ok(());
        }
        if let Some(error) = self.stray.error() {
            return Err(self.api_error(&error));
        }
        if !self.has_chunks && !self.stray.is_empty() {
            let reason = "the body is not a stream of events".to_owned();
            return Err(ModelError::InvalidResponse(reason));
        }
        Ok(())
    }

    fn api_error(&self, error: &Value) -> ModelError {
        ModelError::Api(ApiError::from_json(200, error).without(&self.secret))
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// How much of it is kept.
const MAX_BYTES: usize = 64 << 10;

/// The lines that are neither fields nor comments of events: those begin with letters and colons.
#[derive(Default)]
pub(super) struct Stray {
    bytes: Vec<u8>,
    line: Line,
}

/// The kind of the line with the last byte.
#[derive(Clone, Copy, Default)]
enum Line {
    #[default]
    None,
    OfEvent,
    Stray,
}

impl Stray {
    /// Looks at the next bytes of the body.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_of_event =
                |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b':' | b'\n' | b'\r');
            let line = match self.line {
                Line::None if piece.first().is_some_and(is_of_event) => Line::OfEvent,
                Line::None => Line::Stray,
                line => line,
            };
            if matches!(line, Line::Stray) {
                let left = MAX_BYTES - self.bytes.len();
                self.bytes
                    .extend_from_slice(&piece[..piece.len().min(left)]);
            }
            let has_ended = piece.ends_with(b"\n") || piece.ends_with(b"\r");
            self.line = if has_ended { Line::None } else { line };
        }
    }

    /// Returns true if there is nothing but blanks.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    /// The error that it is.
    pub(super) fn error(&self) -> Option<Value> {
        error_in(&self.bytes)
    }
}
