//! Any server with the Chat Completions API of OpenAI, such as Ollama, llama.cpp, vLLM, LM Studio
//! and `LiteLLM`.
//!
//! Signatures, caches and fields of the Gemini API that have no counterpart are not sent.

use cogtools_http::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use cogtools_http::http::{HeaderValue, Method, Uri};
use cogtools_http::{Bytes, Client, Response, http, is_loopback};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::{ApiError, ApiErrorKind, Chunks, Key, Model, ModelError, ModelInfo, Request};

mod request;
mod stream;

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
            Ok(models_in(&read_json(response).await?))
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

/// The variable with the key.
pub const KEY: &str = "OPENAI_API_KEY";
/// The variable with the address of the server, such as `http://localhost:11434/v1`.
pub const BASE_URL: &str = "OPENAI_BASE_URL";

const OPENAI: &str = "https://api.openai.com/v1";

/// The address of a server, and the key for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Without a slash at its end.
    base: String,
    key: Option<Key>,
}

impl Endpoint {
    /// The server at `base`.
    pub fn new(base: &str, key: Option<Key>) -> Self {
        Self {
            base: base.trim_end_matches('/').to_owned(),
            key,
        }
    }

    /// The endpoint that variables describe. `var` returns a variable that the user has set; one
    /// that a project sets could send the key elsewhere. A server on this machine needs no key.
    pub fn from_vars(var: impl Fn(&str) -> Option<String>) -> Result<Self, ModelError> {
        let var = |name: &str| var(name).filter(|value| !value.is_empty());
        let base = var(BASE_URL).unwrap_or_else(|| OPENAI.to_owned());
        let invalid = |reason: &str| ModelError::InvalidVariable {
            variable: BASE_URL,
            reason: reason.to_owned(),
        };
        let uri = base.parse::<Uri>().ok();
        let is_http = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        let uri = uri
            .filter(is_http)
            .ok_or_else(|| invalid("it is not a URL that begins with http:// or https://"))?;
        if uri.query().is_some() {
            return Err(invalid("it must not have a query"));
        }
        let key = var(KEY).map(Key::new);
        if key.is_none() && !is_loopback(&uri) {
            return Err(ModelError::MissingKey { variables: &[KEY] });
        }
        Ok(Self::new(&base, key))
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    /// The header that says who asks. It is never printed.
    fn authorization(&self) -> Result<Option<HeaderValue>, ModelError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let value = HeaderValue::try_from(format!("Bearer {}", key.expose()));
        let mut value = value.map_err(|_| ModelError::InvalidVariable {
            variable: KEY,
            reason: "it has characters that a header cannot have".to_owned(),
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// The secret that no message may repeat; empty if there is none.
    fn secret(&self) -> &str {
        self.key.as_ref().map_or("", Key::expose)
    }

    /// The key of the limit of output tokens: OpenAI itself has renamed it for newer models,
    /// other servers know the first name.
    fn limit_key(&self) -> &'static str {
        if self.base == OPENAI {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }
}

/// Where servers say how many tokens a model reads: vLLM, `OpenRouter`, LM Studio, llama.cpp.
const CONTEXT: [&str; 4] = [
    "/max_model_len",
    "/context_length",
    "/max_context_length",
    "/meta/n_ctx_train",
];

/// All models, sorted by name.
fn models_in(answer: &Value) -> Vec<ModelInfo> {
    let listed = answer.get("data").unwrap_or(answer);
    let listed = listed.as_array().into_iter().flatten();
    let mut models: Vec<ModelInfo> = listed.filter_map(info).collect();
    models.sort_by(|one, other| one.name.cmp(&other.name));
    models
}

fn info(model: &Value) -> Option<ModelInfo> {
    let count = |pointer: &&str| model.pointer(pointer).and_then(Value::as_u64);
    Some(ModelInfo {
        name: model.get("id")?.as_str()?.to_owned(),
        title: model.get("name").and_then(Value::as_str).map(str::to_owned),
        input_tokens: CONTEXT.iter().find_map(count),
        output_tokens: None,
    })
}
