//! A streamed response: server-sent events, each a whole `GenerateContentResponse`.

use cogtools_http::Response;
use cogtools_http::sse::SseParser;
use futures::StreamExt as _;
use futures::stream;
use serde_json::Value;

use crate::{ApiError, Chunk, Chunks, ModelError};

struct Events {
    response: Response,
    parser: SseParser,
    has_ended: bool,
}

/// The chunks of `response`. An error in the stream ends it.
pub(crate) fn chunks(response: Response) -> Chunks {
    let events = Events {
        response,
        parser: SseParser::default(),
        has_ended: false,
    };
    let next = |mut events: Events| async move {
        if events.has_ended {
            return None;
        }
        let next = match events.next().await {
            Ok(data) => data.map(|data| parse(&data)),
            Err(error) => Some(Err(error)),
        };
        events.has_ended |= matches!(next, Some(Err(_)));
        next.map(|next| (next, events))
    };
    stream::unfold(events, next).boxed()
}

impl Events {
    /// The data of the next event, `None` at the end.
    async fn next(&mut self) -> Result<Option<String>, ModelError> {
        loop {
            let event = match self.parser.next_event() {
                None if self.has_ended => return Ok(None),
                None => match self.response.chunk().await? {
                    Some(bytes) => {
                        let pushed = self.parser.push(&bytes);
                        pushed.map_err(|error| ModelError::InvalidResponse(error.to_string()))?;
                        continue;
                    }
                    None => {
                        self.has_ended = true;
                        std::mem::take(&mut self.parser).finish()
                    }
                },
                event => event,
            };
            if let Some(event) = event.filter(|event| !event.data.trim().is_empty()) {
                return Ok(Some(event.data));
            }
        }
    }
}

fn parse(data: &str) -> Result<Chunk, ModelError> {
    let value: Value = serde_json::from_str(data)
        .map_err(|error| ModelError::InvalidResponse(format!("an event is not JSON: {error}")))?;
    match value.get("error") {
        Some(error) => Err(ModelError::Api(ApiError::from_json(200, error))),
        None => Ok(Chunk::from_wire(value)),
    }
}
