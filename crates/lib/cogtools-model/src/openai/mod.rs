//! Any server with the Chat Completions API of OpenAI, such as Ollama, llama.cpp, vLLM, LM Studio
//! and `LiteLLM`.
//!
//! A message of the model goes back as it came. Signatures, caches and fields of the Gemini API that
//! have no counterpart are not sent.

use std::sync::{Arc, Mutex, PoisonError};

use cogtools_http::http::header::{AUTHORIZATION, CONTENT_TYPE};
use cogtools_http::http::{HeaderValue, Method, Uri};
use cogtools_http::{Client, Response, is_loopback};
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use serde_json::{Map, Value, json};

use crate::wire::{self, Decoder as _, Outgoing};
use crate::{Chunks, Key, Model, ModelError, ModelInfo, Request};

mod message;
mod request;

pub use request::messages;

/// A client of a server with the API of OpenAI.
#[derive(Clone, Debug)]
pub struct OpenAi {
    client: Client,
    endpoint: Endpoint,
    /// Optional fields that the server has refused.
    refused: Arc<Mutex<Vec<&'static str>>>,
}

impl OpenAi {
    /// The API at `endpoint`.
    pub fn new(client: Client, endpoint: Endpoint) -> Self {
        Self {
            client,
            endpoint,
            refused: Arc::default(),
        }
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Response, ModelError> {
        let authorization = self.endpoint.authorization()?;
        let outgoing = Outgoing {
            method,
            url: self.endpoint.url(path),
            body,
            authorization: authorization.map(|value| (AUTHORIZATION, value)),
            secret: self.endpoint.secret(),
        };
        outgoing.send(&self.client).await
    }

    /// Sends `body` without the optional fields that the server does not know.
    async fn post(&self, mut body: Map<String, Value>) -> Result<Response, ModelError> {
        let refused = || self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        for field in refused().iter() {
            request::leave_out(&mut body, field);
        }
        loop {
            let bytes = json!(body).to_string().into_bytes();
            let error = match self.exchange(Method::POST, "chat/completions", bytes).await {
                Err(ModelError::Api(error)) => error,
                response => return response,
            };
            let Some(field) = request::refused_field(&error, &body) else {
                return Err(ModelError::Api(error));
            };
            request::leave_out(&mut body, field);
            refused().push(field);
        }
    }
}

impl Model for OpenAi {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        async move {
            let body = request::body(request, self.endpoint.limit_key())?;
            let response = self.post(body).await?;
            let secret = self.endpoint.secret();
            let mut assembler = message::Assembler::default();
            let kind = response.header(CONTENT_TYPE).unwrap_or_default();
            if !kind.starts_with("application/json") {
                return wire::chunks(response, secret, assembler).await;
            }
            let answer = wire::without_error(wire::json(response).await?, secret)?;
            let chunks = [assembler.push(answer)?, assembler.finish(true)];
            Ok(stream::iter(chunks.into_iter().flatten().map(Ok)).boxed())
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        async move {
            let response = self.exchange(Method::GET, "models", Vec::new()).await?;
            Ok(models_in(&wire::json(response).await?))
        }
        .boxed()
    }
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

    /// Returns true if everyone on the way to the server, on another machine, can read the key.
    pub fn exposes_key(&self) -> bool {
        let is_plain = |uri: Uri| uri.scheme_str() == Some("http") && !is_loopback(&uri);
        self.key.is_some() && self.base.parse().is_ok_and(is_plain)
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
    let listed = answer.get("data").unwrap_or(answer).as_array();
    let count = |model: &Value| {
        let mut counts = CONTEXT.iter().filter_map(|pointer| model.pointer(pointer));
        counts.find_map(Value::as_u64)
    };
    let models = listed.into_iter().flatten().filter_map(|model| {
        Some(ModelInfo {
            name: model["id"].as_str()?.to_owned(),
            title: model["name"].as_str().map(str::to_owned),
            input_tokens: count(model),
            output_tokens: None,
        })
    });
    let mut models: Vec<ModelInfo> = models.collect();
    models.sort_by(|one, other| one.name.cmp(&other.name));
    models
}
