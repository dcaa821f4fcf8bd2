//! Any server with the Chat Completions API of OpenAI, such as Ollama, llama.cpp, vLLM, LM Studio
//! and `LiteLLM`.
//!
//! A message of the model goes back as it came. Signatures, caches and fields of the Gemini API that
//! have no counterpart are not sent.

use std::sync::{Arc, Mutex, PoisonError};

use cogtools_http::http::Method;
use cogtools_http::{Client, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use crate::model::sorted;
use crate::wire;
use crate::{Chunks, Endpoint, Model, ModelError, ModelInfo, Request, Service};

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

    /// The key of the limit of output tokens: OpenAI itself has renamed it for newer models,
    /// other servers know the first name.
    fn limit_key(&self) -> &'static str {
        if self.endpoint.is_default() {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }

    async fn exchange(&self, to: (Method, &str), body: Vec<u8>) -> Result<Response, ModelError> {
        self.endpoint.exchange(&self.client, to, body, &[]).await
    }

    /// Sends `body` without the optional fields that the server does not know.
    async fn post(&self, mut body: Map<String, Value>) -> Result<Response, ModelError> {
        let refused = || self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        for field in refused().iter() {
            request::leave_out(&mut body, field);
        }
        loop {
            let bytes = json!(body).to_string().into_bytes();
            let error = match self
                .exchange((Method::POST, "chat/completions"), bytes)
                .await
            {
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
            let body = request::body(request, self.limit_key())?;
            let response = self.post(body).await?;
            let assembler = message::Assembler::default();
            wire::chunks_or_whole(response, self.endpoint.secret(), assembler).await
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        async move {
            let response = self.exchange((Method::GET, "models"), Vec::new()).await?;
            Ok(models_in(&wire::json(response).await?))
        }
        .boxed()
    }
}

/// The variables that name a server.
pub static SERVICE: Service = Service {
    key: "OPENAI_API_KEY",
    base_url: "OPENAI_BASE_URL",
    address: "https://api.openai.com/v1",
    header: "authorization",
    scheme: "Bearer ",
};

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
    sorted(listed.into_iter().flatten().filter_map(|model| {
        Some(ModelInfo {
            name: model["id"].as_str()?.to_owned(),
            title: model["name"].as_str().map(str::to_owned),
            input_tokens: count(model),
            output_tokens: None,
        })
    }))
}
