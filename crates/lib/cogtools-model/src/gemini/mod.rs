//! The Gemini API: Google AI with a key, Vertex AI with a token.

mod address;
mod cache;
mod endpoint;
mod model_list;
mod stray;
mod stream;

use cogtools_http::Bytes;
use cogtools_http::http::header::{CONTENT_TYPE, RETRY_AFTER};
use cogtools_http::http::{HeaderValue, Method};
use cogtools_http::{Client, HttpError, Reason, Response, http};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

pub use endpoint::{BASE, Endpoint, IgnoredKey, KEYS, TOKENS};

use crate::{ApiError, Caches, Chunks, Model, ModelError, ModelInfo, Request, signature};

/// The model to use if the user names none: models change monthly, this name does not.
pub const DEFAULT_MODEL: &str = "gemini-flash-latest";

/// The longest body of an answer that is not a stream.
const MAX_BODY_BYTES: u64 = 16 << 20;

/// The longest body of an error.
const MAX_ERROR_BYTES: u64 = 1 << 20;

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

    /// Where it is, and who asks.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
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
            .map_err(|_| self.invalid_url())?;
        let response = self.client.send(request).await?;
        if response.status.is_success() {
            return Ok(response);
        }
        let status = response.status.as_u16();
        let retry_after = response.header(RETRY_AFTER).map(str::to_owned);
        // An error without its body is still that error.
        let body = response.bytes(MAX_ERROR_BYTES).await.unwrap_or_default();
        let error = ApiError::new(status, &body).with_retry_after(retry_after.as_deref());
        Err(ModelError::Api(error.without(self.endpoint.secret())))
    }

    /// The same for an answer that is one JSON object.
    async fn exchange_json(
        &self,
        method: Method,
        url: String,
        body: Vec<u8>,
    ) -> Result<Value, ModelError> {
        let response = self.exchange(method, url, body).await?;
        let body = response.bytes(MAX_BODY_BYTES).await?;
        let json: Value = serde_json::from_slice(&body)
            .map_err(|error| ModelError::InvalidResponse(error.to_string()))?;
        if json.is_object() {
            return Ok(json);
        }
        let reason = "the body is not a JSON object".to_owned();
        Err(ModelError::InvalidResponse(reason))
    }

    fn invalid_url(&self) -> ModelError {
        ModelError::Http(HttpError {
            host: self.endpoint.shown(),
            reason: Reason::InvalidUrl("its URL is invalid"),
        })
    }
}

impl Model for Gemini {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        async move {
            let url = self.endpoint.stream_url(&request.model);
            let response = self
                .exchange(Method::POST, url, signature::signed(request).body())
                .await?;
            stream::begin(response, self.endpoint.secret()).await
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
