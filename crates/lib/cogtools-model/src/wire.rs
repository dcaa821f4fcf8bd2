//! The exchange with a provider over HTTP: a request, its errors, and the chunks of a stream.

use cogtools_document::json::well_formed;
use cogtools_http::http::header::{CONTENT_TYPE, RETRY_AFTER};
use cogtools_http::http::{HeaderName, HeaderValue, Method};
use cogtools_http::sse::SseParser;
use cogtools_http::{Bytes, Client, HttpError, Reason, Response, http};
use futures::{StreamExt as _, stream};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::api_error::error_in;
use crate::{ApiError, Chunk, Chunks, ModelError};

/// The longest body of an answer, which is kept until its end.
const MAX_BODY_BYTES: u64 = 16 << 20;

/// The longest body of an error.
const MAX_ERROR_BYTES: u64 = 1 << 20;

/// A request to a provider.
pub(crate) struct Outgoing<'a> {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) body: Vec<u8>,
    /// The headers of the API, one of which says who asks. They are never printed.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// The key, which no error may repeat; empty if there is none.
    pub(crate) secret: &'a str,
}

impl Outgoing<'_> {
    /// Sends the request, and returns the answer if it has a status of success.
    pub(crate) async fn send(self, client: &Client) -> Result<Response, ModelError> {
        let invalid = || HttpError {
            host: shown(&self.url),
            reason: Reason::InvalidUrl("its URL is invalid"),
        };
        let request = http::Request::builder()
            .method(self.method)
            .uri(&self.url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(Bytes::from(self.body));
        let mut request = request.map_err(|_| ModelError::Http(invalid()))?;
        request.headers_mut().extend(self.headers);
        let response = client.send(request).await?;
        if response.status.is_success() {
            return Ok(response);
        }
        let status = response.status.as_u16();
        let retry_after = response.header(RETRY_AFTER).map(str::to_owned);
        // An error without its body is still that error.
        let body = response.bytes(MAX_ERROR_BYTES).await.unwrap_or_default();
        let error = ApiError::new(status, &body).with_retry_after(retry_after.as_deref());
        Err(ModelError::Api(error.without(self.secret)))
    }
}

/// `url` without anything secret: no user, no query.
pub(crate) fn shown(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    url.split_once("://")
        .map_or_else(String::new, |(scheme, rest)| {
            let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            format!("{scheme}://{host}")
        })
}

/// Reads the body of a response that is one JSON value.
pub(crate) async fn json(response: Response) -> Result<Value, ModelError> {
    let body = response.bytes(MAX_BODY_BYTES).await?;
    let text = String::from_utf8_lossy(&body);
    parse(&text).map_err(|error| ModelError::InvalidResponse(error.to_string()))
}

/// Parses JSON of a provider: half of a surrogate pair becomes U+FFFD, as everywhere.
fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&well_formed(text.to_owned())))
}

/// Makes chunks out of the objects of a stream.
pub(crate) trait Decoder: Send + 'static {
    /// Takes the next object, which is no error. Returns what is new.
    fn push(&mut self, object: Value) -> Result<Option<Chunk>, ModelError>;

    /// Ends the stream. `is_done` says that the server has sent its last event.
    fn finish(&mut self, is_done: bool) -> Option<Chunk>;

    /// Returns true if an object has said why the response ended.
    fn has_finished(&self) -> bool;

    /// Returns true if the last object was the last one of the stream.
    fn is_done(&self) -> bool {
        false
    }
}

/// `object`, unless it is an error; `secret` is kept out of that.
fn without_error(object: Value, secret: &str) -> Result<Value, ModelError> {
    match object.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(api_error(error, secret)),
        None => Ok(object),
    }
}

fn api_error(error: &Value, secret: &str) -> ModelError {
    ModelError::Api(ApiError::from_json(200, error).without(secret))
}

/// The data of the last event, of servers that have one.
const DONE: &str = "[DONE]";

/// A stream on its way.
struct Events<D> {
    response: Response,
    parser: SseParser,
    stray: Stray,
    decoder: D,
    secret: String,
    has_objects: bool,
    /// True if the body was read to its end.
    is_read: bool,
    /// True if the last chunk or an error was returned.
    is_over: bool,
}

/// The chunks of `response`, which is a stream, or one object from a server that does not stream.
pub(crate) async fn chunks_or_whole<D: Decoder>(
    response: Response,
    secret: &str,
    mut decoder: D,
) -> Result<Chunks, ModelError> {
    let kind = response.header(CONTENT_TYPE).unwrap_or_default();
    if !kind.starts_with("application/json") {
        return chunks(response, secret, decoder).await;
    }
    let answer = without_error(json(response).await?, secret)?;
    let chunks = [decoder.push(answer)?, decoder.finish(true)];
    Ok(stream::iter(chunks.into_iter().flatten().map(Ok)).boxed())
}

/// The chunks of `response`; `secret` is kept out of errors. If the first one is an error, it
/// is returned at once. A later error ends the stream.
pub(crate) async fn chunks<D: Decoder>(
    response: Response,
    secret: &str,
    decoder: D,
) -> Result<Chunks, ModelError> {
    let events = Events {
        response: response.within(MAX_BODY_BYTES),
        parser: SseParser::default(),
        stray: Stray::default(),
        decoder,
        secret: secret.to_owned(),
        has_objects: false,
        is_read: false,
        is_over: false,
    };
    let next = |mut events: Events<D>| async move {
        let chunk = events.chunk().await.transpose()?;
        Some((chunk, events))
    };
    let mut chunks = stream::unfold(events, next).fuse().boxed();
    let first = chunks.next().await.transpose()?;
    Ok(stream::iter(first.map(Ok)).chain(chunks).boxed())
}

impl<D: Decoder> Events<D> {
    /// The next chunk, `None` after the last one or an error.
    async fn chunk(&mut self) -> Result<Option<Chunk>, ModelError> {
        while !self.is_over {
            let chunk = match self.data().await {
                Ok(Some(data)) if data.trim() == DONE => Ok(self.end(true)),
                Ok(Some(data)) => self.object(&data),
                Ok(None) => self.check_stray().map(|()| self.end(false)),
                // The connection of a complete response may end in any way.
                Err(ModelError::Http(_)) if self.decoder.has_finished() => Ok(self.end(false)),
                Err(error) => Err(error),
            };
            self.is_over |= chunk.is_err();
            if let Some(chunk) = chunk? {
                return Ok(Some(chunk));
            }
        }
        Ok(None)
    }

    fn end(&mut self, is_done: bool) -> Option<Chunk> {
        self.is_over = true;
        self.decoder.finish(is_done)
    }

    fn object(&mut self, data: &str) -> Result<Option<Chunk>, ModelError> {
        let object = parse(data).map_err(|error| {
            ModelError::InvalidResponse(format!("an event is not JSON: {error}"))
        })?;
        let object = without_error(object, &self.secret)?;
        self.has_objects = true;
        let chunk = self.decoder.push(object)?;
        if chunk.is_none() && self.decoder.is_done() {
            return Ok(self.end(true));
        }
        Ok(chunk)
    }

    /// The data of the next event, `None` at the end.
    async fn data(&mut self) -> Result<Option<String>, ModelError> {
        loop {
            let mut event = self.parser.next_event();
            if event.is_none() {
                if self.is_read {
                    return Ok(None);
                }
                if let Some(bytes) = self.response.chunk().await? {
                    self.stray.push(&bytes);
                    let pushed = self.parser.push(&bytes);
                    pushed.map_err(|error| ModelError::InvalidResponse(error.to_string()))?;
                    continue;
                }
                self.is_read = true;
                // Half an event says no more than that the stream was cut.
                let last = std::mem::take(&mut self.parser).finish();
                event = last.filter(|event| is_whole(&event.data));
            }
            if let Some(event) = event.filter(|event| !event.data.trim().is_empty()) {
                return Ok(Some(event.data));
            }
        }
    }

    /// Fails if the stream was, or ended as, something else.
    fn check_stray(&self) -> Result<(), ModelError> {
        if self.decoder.has_finished() {
            return Ok(());
        }
        if let Some(error) = error_in(&self.stray.bytes) {
            return Err(api_error(&error, &self.secret));
        }
        if !self.has_objects && !self.stray.bytes.trim_ascii().is_empty() {
            let reason = "the body is not a stream of events".to_owned();
            return Err(ModelError::InvalidResponse(reason));
        }
        Ok(())
    }
}

fn is_whole(data: &str) -> bool {
    data.trim() == DONE || serde_json::from_str::<IgnoredAny>(data).is_ok()
}

/// Maximum number of bytes of stray lines that are kept.
const MAX_STRAY_BYTES: usize = 64 << 10;

/// The lines that are neither fields nor comments of events: those begin with letters and colons.
#[derive(Default)]
struct Stray {
    bytes: Vec<u8>,
    /// True if the line with the last byte is such a line; `None` at the beginning of a line.
    is_stray: Option<bool>,
}

impl Stray {
    /// Looks at the next bytes of the body.
    fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_stray = self.is_stray.unwrap_or_else(|| {
                let first = piece.first().copied().unwrap_or(b'\n');
                !first.is_ascii_alphabetic() && !b":\n\r".contains(&first)
            });
            if is_stray {
                let left = MAX_STRAY_BYTES - self.bytes.len();
                let kept = &piece[..piece.len().min(left)];
                self.bytes.extend_from_slice(kept);
            }
            let has_ended = piece.ends_with(b"\n") || piece.ends_with(b"\r");
            self.is_stray = (!has_ended).then_some(is_stray);
        }
    }
}
