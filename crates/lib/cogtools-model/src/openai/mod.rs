//! Any server with the Chat Completions API of OpenAI, such as Ollama, llama.cpp, vLLM, LM Studio
//! and `LiteLLM`.
//!
//! Signatures, caches and fields of the Gemini API that have no counterpart are not sent.

mod assembler;
mod endpoint;
mod events;
mod message;
mod model_list;
mod request;
mod stream;

use cogtools_http::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use cogtools_http::http::{HeaderValue, Method};
use cogtools_http::{Bytes, Client, Response, http};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

pub use endpoint::{BASE_URL, Endpoint, KEY};

use crate::{ApiError, ApiErrorKind, Chunks, Model, ModelError, ModelInfo, Request};

/// The longest body of an answer that is not a stream.
const MAX_BODY_BYTES: u64 = 16 << 20;

/// The longest body of an error.
const MAX_ERROR_BYTES: u64 = 1 << 20;

/// A client of a server with the API of OpenAI.
#[derive(Clone, Debug)]
pub struct OpenAi {
    client: Client,
    endpoint: Endpoint,
}

impl OpenAi {
    /// The API at `endpoint`.
    pub const fn new(client: Client, endpoint: Endpoint) -> Self {
        Self { client, endpoint }
    }

    async fn post(&self, body: &Value) -> Result<Response, ModelError> {
        let body = body.to_string().into_bytes();
        self.exchange(Method::POST, "chat/completions", body).await
    }

    /// Sends a request, and returns the answer if it has a status of success.
    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Response, ModelError> {
        let mut request = http::Request::builder()
            .method(method)
            .uri(self.endpoint.url(path))
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(authorization) = self.endpoint.authorization()? {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request
            .body(Bytes::from(body))
            .map_err(|error| ModelError::InvalidResponse(error.to_string()))?;
        let response = self.client.send(request).await?;
        if response.status.is_success() {
            return Ok(response);
        }
        let status = response.status.as_u16();
        let wait = response.header(RETRY_AFTER).map(str::to_owned);
        // An error without its body is still that error.
        let body = response.bytes(MAX_ERROR_BYTES).await.unwrap_or_default();
        let error = ApiError::new(status, &body).with_retry_after(wait.as_deref());
        Err(api_error(error, self.endpoint.secret()))
    }
}

impl Model for OpenAi {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        async move {
            let mut body = request::body(request, self.endpoint.limit_key())?;
            let response = match self.post(&body).await {
                // Some servers count no tokens of a stream, and reject what they do not know.
                Err(ModelError::Api(error)) if request::is_about_usage(&error) => {
                    request::remove_usage(&mut body);
                    self.post(&body).await?
                }
                response => response?,
            };
            stream::chunks(response, self.endpoint.secret()).await
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        async move {
            let response = self.exchange(Method::GET, "models", Vec::new()).await?;
            Ok(model_list::read(&read_json(response).await?))
        }
        .boxed()
    }
}

/// The body of a response that is one JSON value.
async fn read_json(response: Response) -> Result<Value, ModelError> {
    let body = response.bytes(MAX_BODY_BYTES).await?;
    serde_json::from_slice(&body).map_err(|error| ModelError::InvalidResponse(error.to_string()))
}

/// An error of the server, without `secret`; an account without credit is one that no wait
/// repairs.
fn api_error(mut error: ApiError, secret: &str) -> ModelError {
    if error.name.as_deref() == Some("insufficient_quota") {
        error.kind = ApiErrorKind::QuotaExhausted;
        error.retry_after = None;
    }
    ModelError::Api(error.without(secret))
}
