//! The Messages API of Anthropic, and servers that have it, such as `LiteLLM` and llama.cpp.
//!
//! The blocks of a message of the model go back as they came: signed and redacted thoughts, and
//! kinds that this version does not know.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cogtools_http::http::{HeaderName, HeaderValue, Method};
use cogtools_http::{Client, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use crate::model::sorted;
use crate::wire;
use crate::{Chunks, Endpoint, Model, ModelError, ModelInfo, Request, Service};

mod message;
mod request;

/// The variables that name a server.
pub static SERVICE: Service = Service {
    key: "ANTHROPIC_API_KEY",
    base_url: "ANTHROPIC_BASE_URL",
    address: "https://api.anthropic.com",
    header: "x-api-key",
    scheme: "",
};

/// The version of the API.
const VERSION: (HeaderName, HeaderValue) = (
    HeaderName::from_static("anthropic-version"),
    HeaderValue::from_static("2023-06-01"),
);

/// A client of a server with the Messages API.
#[derive(Clone, Debug)]
pub struct Anthropic {
    client: Client,
    endpoint: Endpoint,
    /// Facts about models, by their names.
    learnt: Arc<Mutex<HashMap<String, Learnt>>>,
}

/// Facts about a model that its server has told in errors.
#[derive(Clone, Copy, Debug, Default)]
struct Learnt {
    /// The limit of output tokens.
    limit: Option<u64>,
    /// True if it refuses a form of the answer.
    has_no_format: bool,
    /// True if it refuses a temperature.
    has_no_temperature: bool,
}

impl Anthropic {
    /// The API at `endpoint`.
    pub fn new(client: Client, endpoint: Endpoint) -> Self {
        Self {
            client,
            endpoint,
            learnt: Arc::default(),
        }
    }

    async fn exchange(&self, to: (Method, &str), body: Vec<u8>) -> Result<Response, ModelError> {
        let headers = [VERSION];
        self.endpoint
            .exchange(&self.client, to, body, &headers)
            .await
    }

    /// Sends the body for `request`, and again if the server has told its limits.
    async fn post(&self, request: &Request) -> Result<Response, ModelError> {
        let learnt = || self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let mut known = learnt().get(&request.model).copied().unwrap_or_default();
            let mut body = request::body(request, known.limit)?;
            if known.has_no_temperature {
                body.shift_remove("temperature");
            }
            if known.has_no_format {
                request::leave_out_format(&mut body);
            }
            let bytes = json!(body).to_string().into_bytes();
            let error = match self.exchange((Method::POST, "v1/messages"), bytes).await {
                Err(ModelError::Api(error)) => error,
                response => return response,
            };
            if let Some(limit) = request::limit_in(&error, request, &body) {
                known.limit = Some(limit);
            } else if request::refuses_format(&error, &body) {
                known.has_no_format = true;
            } else if request::refuses_temperature(&error, &body) {
                known.has_no_temperature = true;
            } else {
                return Err(ModelError::Api(error));
            }
            learnt().insert(request.model.clone(), known);
        }
    }
}

impl Model for Anthropic {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        async move {
            let response = self.post(request).await?;
            let assembler = message::Assembler::default();
            wire::chunks_or_whole(response, self.endpoint.secret(), assembler).await
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        async move {
            let all = (Method::GET, "v1/models?limit=1000");
            let response = self.exchange(all, Vec::new()).await?;
            Ok(models_in(&wire::json(response).await?))
        }
        .boxed()
    }
}

/// All models, sorted by name.
fn models_in(answer: &Value) -> Vec<ModelInfo> {
    let listed = answer["data"].as_array().into_iter().flatten();
    sorted(listed.filter_map(|model| {
        Some(ModelInfo {
            name: model["id"].as_str()?.to_owned(),
            title: model["display_name"].as_str().map(str::to_owned),
            input_tokens: model["max_input_tokens"].as_u64(),
            output_tokens: model["max_tokens"].as_u64(),
        })
    }))
}

/// The fields of a block or a message.
type Fields = Map<String, Value>;
