//! A streamed response, or a whole one of a server that does not stream.

use cogtools_http::Response;
use cogtools_http::http::header::CONTENT_TYPE;
use futures::StreamExt as _;
use futures::stream;
use serde_json::Value;

use super::assembler::Assembler;
use super::events::{self, DONE, Events};
use super::{api_error, read_json};
use crate::{ApiError, Chunk, Chunks, ModelError};

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
                Some(data) => assembler.push(&checked(events::parse(&data)?, &self.secret)?),
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
