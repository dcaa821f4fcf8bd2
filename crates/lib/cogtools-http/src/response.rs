//! A response, whose body is read in bounded steps.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Bytes, Incoming};

use crate::causes;
use crate::error::{HttpError, Reason};

/// A response. Dropped before its end, it closes the connection.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    pub(crate) body: Incoming,
    pub(crate) host: String,
    pub(crate) read_timeout: Duration,
    /// The limit for the body, and how much of it is left.
    pub(crate) max_bytes: u64,
    pub(crate) left: u64,
}

impl Response {
    /// The next piece of the body, as soon as it arrives; `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        loop {
            let frame = tokio::time::timeout(self.read_timeout, self.body.frame()).await;
            let frame = frame.map_err(|_| self.error(Reason::ReadTimeout(self.read_timeout)))?;
            let Some(frame) = frame else {
                return Ok(None);
            };
            let frame = frame.map_err(|error| self.error(causes::of_body(&error)))?;
            // A trailer is not a part of the body.
            let Ok(bytes) = frame.into_data() else {
                continue;
            };
            self.left = u64::try_from(bytes.len())
                .ok()
                .and_then(|length| self.left.checked_sub(length))
                .ok_or_else(|| self.error(Reason::TooLarge(self.max_bytes)))?;
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }

    /// The whole body, of at most `limit` bytes.
    pub async fn bytes(mut self, limit: u64) -> Result<Bytes, HttpError> {
        if limit < self.left {
            (self.max_bytes, self.left) = (limit, limit);
        }
        if self.body.size_hint().lower() > self.left {
            return Err(self.error(Reason::TooLarge(self.max_bytes)));
        }
        let mut all = Vec::new();
        while let Some(bytes) = self.chunk().await? {
            all.extend_from_slice(&bytes);
        }
        Ok(all.into())
    }

    /// The whole body as text, of at most `limit` bytes; invalid UTF-8 is replaced.
    pub async fn text(self, limit: u64) -> Result<String, HttpError> {
        let bytes = self.bytes(limit).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A header, if it is text.
    pub fn header(&self, name: impl http::header::AsHeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn error(&self, reason: Reason) -> HttpError {
        HttpError {
            host: self.host.clone(),
            reason,
        }
    }
}
