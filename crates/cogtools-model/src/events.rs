//! The server-sent events of a response, whose data is JSON.

use cogtools_http::Response;
use cogtools_http::sse::{Event, SseParser};
use serde_json::Value;

use crate::ModelError;

/// The events of a response.
pub(crate) struct Events {
    response: Response,
    parser: SseParser,
    has_ended: bool,
}

impl Events {
    pub(crate) fn new(response: Response) -> Self {
        Self {
            response,
            parser: SseParser::default(),
            has_ended: false,
        }
    }

    /// The data of the next event. `None` at the end, and after an error.
    pub(crate) async fn next(&mut self) -> Option<Result<String, ModelError>> {
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
    pub(crate) const fn end(&mut self) {
        self.has_ended = true;
    }

    async fn next_event(&mut self) -> Result<Option<Event>, ModelError> {
        loop {
            if let Some(event) = self.parser.next_event() {
                return Ok(Some(event));
            }
            let Some(bytes) = self.response.chunk().await? else {
                self.end();
                return Ok(std::mem::take(&mut self.parser).finish());
            };
            let pushed = self.parser.push(&bytes);
            pushed.map_err(|error| ModelError::InvalidResponse(error.to_string()))?;
        }
    }
}

/// The value of an event.
pub(crate) fn parse(data: &str) -> Result<Value, ModelError> {
    serde_json::from_str(data)
        .map_err(|error| ModelError::InvalidResponse(format!("an event is not JSON: {error}")))
}
