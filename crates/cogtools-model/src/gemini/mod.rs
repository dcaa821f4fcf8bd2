//! The Gemini API: Google AI with a key, Vertex AI with a token.

mod cache;
mod endpoint;
mod model_list;
mod stream;

use cogtools_http::Bytes;
use cogtools_http::http::header::CONTENT_TYPE;
use cogtools_http::http::{HeaderValue, Method};
use cogtools_http::{Client, Response, http};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

pub use endpoint::{Endpoint, KEYS, TOKENS};

use crate::{ApiError, Caches, Chunks, Model, ModelError, ModelInfo, Request};

/// The longest body of an answer that is not a stream.
const MAX_BODY_BYTES: u64 = 16 << 20;

/// A client of the Gemini API.
#[derive(Clone, Debug)]
pub struct Gemini {
    client: Client,
    endpoint: Endpoint,
}

impl Gemini {
    /// The API at `endpoint`.
    pub const fn new(client: Client, endpoint: Endpoint) -> Self {
        Self { client, endpoint }
    }

    /// Sends a request, and returns the answer if it has a status of success.
    async fn exchange(
        &self,
        method: Method,
        url: String,
        body: Vec<u8>,
    ) -> Result<Response, ModelError> {
        let (name, value) = self.endpoint.authorization()?;
        let request = http::Request::builder()
            .method(method)
            .uri(url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(name, value)
            .body(Bytes::from(body))
            .map_err(|error| ModelError::InvalidResponse(error.to_string()))?;
        let response = self.client.send(request).await?;
        let status = response.status;
        if status.is_success() {
            return Ok(response);
        }
        let body = response.bytes(MAX_BODY_BYTES).await?;
        Err(ModelError::Api(ApiError::new(status.as_u16(), &body)))
    }

    /// The same for an answer that is one JSON value.
    async fn exchange_json(
        &self,
        method: Method,
        url: String,
        body: Vec<u8>,
    ) -> Result<Value, ModelError> {
        let response = self.exchange(method, url, body).await?;
        let body = response.bytes(MAX_BODY_BYTES).await?;
        serde_json::from_slice(&body)
            .map_err(|error| ModelError::InvalidResponse(error.to_string()))
    }
}

impl Model for Gemini {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        let url = self.endpoint.stream_url(&request.model);
        async move {
            let response = self.exchange(Method::POST, url, request.body()).await?;
            Ok(stream::chunks(response))
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        model_list::list(self).boxed()
    }

    fn caches(&self) -> Option<&dyn Caches> {
        Some(self)
    }
}
