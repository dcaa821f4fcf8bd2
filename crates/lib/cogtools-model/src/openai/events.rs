//! The server-sent events of a response, whose data is JSON.

use cogtools_http::Response;
use cogtools_http::sse::{Event, SseParser};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::ModelError;

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
pub(super) fn parse(data: &str) -> Result<Value, ModelError> {
    serde_json::from_str(data)
        .map_err(|error| ModelError::InvalidResponse(format!("an event is not JSON: {error}")))
}

fn is_whole(data: &str) -> bool {
    data.trim() == DONE || serde_json::from_str::<IgnoredAny>(data).is_ok()
}
