//! A streamed response: server-sent events, each a whole `GenerateContentResponse`.

use cogtools_http::Response;
use futures::StreamExt as _;
use futures::stream;

use crate::events::{self, Events};
use crate::{ApiError, Chunk, Chunks, ModelError};

/// The chunks of `response`. An error in the stream ends it.
pub(crate) fn chunks(response: Response) -> Chunks {
    let next = |mut events: Events| async move {
        let chunk = events.next().await?.and_then(|data| parse(&data));
        if chunk.is_err() {
            events.end();
        }
        Some((chunk, events))
    };
    stream::unfold(Events::new(response), next).boxed()
}

fn parse(data: &str) -> Result<Chunk, ModelError> {
    let value = events::parse(data)?;
    match value.get("error") {
        Some(error) => Err(ModelError::Api(ApiError::from_json(200, error))),
        None => Ok(Chunk::from_wire(value)),
    }
}
