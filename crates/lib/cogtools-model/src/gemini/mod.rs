//! The Gemini API: Google AI with a key, Vertex AI with a token.

use std::sync::Arc;

use cogtools_http::http::Method;
use cogtools_http::{Client, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::content::fill_missing;
use crate::model::sorted;
use crate::wire::{self, Decoder, Outgoing};
use crate::{Cache, Caches, Chunk, Chunks, Model, ModelError, ModelInfo, Request};

mod endpoint;

pub use endpoint::{BASE, Endpoint, KEYS, TOKENS};

/// The model to use if the user names none: models change monthly, this name does not.
pub const DEFAULT_MODEL: &str = "gemini-flash-latest";

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

    async fn exchange(
        &self,
        method: Method,
        url: String,
        body: Vec<u8>,
    ) -> Result<Response, ModelError> {
        let outgoing = Outgoing {
            method,
            url,
            body,
            headers: vec![self.endpoint.authorization()?],
            secret: self.endpoint.secret(),
        };
        outgoing.send(&self.client).await
    }

    /// Sends a request whose answer is one JSON object.
    async fn exchange_json(
        &self,
        method: Method,
        url: String,
        body: Vec<u8>,
    ) -> Result<Value, ModelError> {
        let json = wire::json(self.exchange(method, url, body).await?).await?;
        if json.is_object() {
            return Ok(json);
        }
        let reason = "the body is not a JSON object".to_owned();
        Err(ModelError::InvalidResponse(reason))
    }

    fn cache_url(&self, name: &str) -> Result<String, ModelError> {
        let url = self.endpoint.cache_url(name);
        url.ok_or_else(|| ModelError::InvalidResponse("that is not the name of a cache".to_owned()))
    }
}

/// Types of files that results of calls may have.
const RESULT_FILES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "application/pdf"];

/// Returns true if `model` is older than Gemini 3: it neither signs nor asks for it, and takes no
/// files in results.
fn is_old(model: &str) -> bool {
    let mut old = ["gemini-1", "gemini-2"].iter();
    old.any(|old| model.contains(old))
}

/// Returns `request` with the files in results that its model takes.
fn with_known_files(request: &Request) -> Request {
    let mut request = request.clone();
    let files: &[&str] = if is_old(&request.model) {
        &[]
    } else {
        &RESULT_FILES
    };
    let contents = request.contents.iter_mut();
    for content in contents.filter(|content| content.has_results()) {
        for part in Arc::make_mut(content).parts_mut() {
            part.keep_files(files);
        }
    }
    request
}

/// A stream whose objects are chunks.
#[derive(Default)]
struct Whole {
    has_finished: bool,
}

impl Decoder for Whole {
    fn push(&mut self, object: Value) -> Result<Option<Chunk>, ModelError> {
        let chunk = Chunk::checked(object)?;
        self.has_finished |= chunk.finishes();
        Ok(Some(chunk))
    }

    fn finish(&mut self, _: bool) -> Option<Chunk> {
        None
    }

    fn has_finished(&self) -> bool {
        self.has_finished
    }
}

impl Model for Gemini {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        async move {
            let mut request = with_known_files(request);
            if !is_old(&request.model) {
                fill_missing(&mut request.contents);
            }
            let url = self.endpoint.stream_url(&request.model);
            let response = self.exchange(Method::POST, url, request.body()).await?;
            wire::chunks(response, self.endpoint.secret(), Whole::default()).await
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        list_models(self).boxed()
    }

    fn caches(&self) -> Option<&dyn Caches> {
        Some(self)
    }
}

impl Caches for Gemini {
    fn create<'a>(
        &'a self,
        request: &'a Request,
        ttl_seconds: u32,
    ) -> BoxFuture<'a, Result<Cache, ModelError>> {
        let kept = Request {
            generation: crate::Generation::default(),
            cached_content: None,
            ..with_known_files(request)
        };
        let mut body: Value = serde_json::from_slice(&kept.body()).unwrap_or_default();
        if let Some(fields) = body.as_object_mut().filter(|_| kept.contents.is_empty()) {
            fields.remove("contents");
        }
        body["model"] = self.endpoint.model_resource(&request.model).into();
        body["ttl"] = ttl(ttl_seconds);
        let url = self.endpoint.caches_url();
        async move {
            let body = body.to_string().into_bytes();
            let answer = self.exchange_json(Method::POST, url, body).await?;
            let name = answer.get("name").and_then(Value::as_str).ok_or_else(|| {
                ModelError::InvalidResponse("a cache that was created has no name".to_owned())
            })?;
            let tokens = answer.pointer("/usageMetadata/totalTokenCount");
            // It must be usable: it becomes a part of addresses.
            self.cache_url(name)?;
            Ok(Cache {
                name: name.to_owned(),
                tokens: tokens.and_then(Value::as_u64).unwrap_or(0),
            })
        }
        .boxed()
    }

    fn refresh<'a>(
        &'a self,
        name: &'a str,
        ttl_seconds: u32,
    ) -> BoxFuture<'a, Result<(), ModelError>> {
        let body = json!({"ttl": ttl(ttl_seconds)}).to_string().into_bytes();
        async move {
            let url = format!("{}?updateMask=ttl", self.cache_url(name)?);
            self.exchange(Method::PATCH, url, body).await.map(drop)
        }
        .boxed()
    }

    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), ModelError>> {
        async move {
            let url = self.cache_url(name)?;
            let deleted = self.exchange(Method::DELETE, url, Vec::new()).await;
            deleted.map(drop)
        }
        .boxed()
    }
}

/// A duration in protobuf's JSON.
fn ttl(seconds: u32) -> Value {
    format!("{seconds}s").into()
}

/// Maximum number of pages.
const MAX_PAGES: usize = 20;

/// Maximum number of listed models.
const MAX_MODELS: usize = 10_000;

/// All models that generate text, sorted by name.
async fn list_models(gemini: &Gemini) -> Result<Vec<ModelInfo>, ModelError> {
    let mut models = Vec::new();
    let mut page: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let url = gemini.endpoint.models_url(page.as_deref());
        let answer = gemini.exchange_json(Method::GET, url, Vec::new()).await?;
        let listed = answer.get("models").or(answer.get("publisherModels"));
        let listed = listed.and_then(Value::as_array).into_iter().flatten();
        models.extend(listed.filter(|model| generates(model)).filter_map(info));
        let next = answer.get("nextPageToken").and_then(Value::as_str);
        let next = next.filter(|next| !next.is_empty() && page.as_deref() != Some(*next));
        if next.is_none() || models.len() >= MAX_MODELS {
            break;
        }
        page = next.map(str::to_owned);
    }
    models.truncate(MAX_MODELS);
    Ok(sorted(models))
}

/// Vertex AI does not say what a model does.
fn generates(model: &Value) -> bool {
    let methods = model["supportedGenerationMethods"].as_array();
    methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
}

fn info(model: &Value) -> Option<ModelInfo> {
    let name = model["name"].as_str()?;
    let id = name.rsplit_once("models/").map_or(name, |(_, id)| id);
    Some(ModelInfo {
        name: id.to_owned(),
        title: model["displayName"].as_str().map(str::to_owned),
        input_tokens: model["inputTokenLimit"].as_u64(),
        output_tokens: model["outputTokenLimit"].as_u64(),
    })
}

#[cfg(test)]
mod tests {
    use crate::Content;

    use super::*;

    #[test]
    fn results_have_the_files_that_a_model_takes() {
        let file = |kind: &str| json!({"inlineData": {"mimeType": kind, "data": "QQ=="}});
        let content = json!({"role": "user", "parts": [{"functionResponse": {
            "name": "shot", "response": {"output": "a"},
            "parts": [file("image/png"), file("image/gif")],
        }}]});
        let check = |model: &str, parts: Value, omitted: &str| {
            let request = Request {
                model: model.to_owned(),
                contents: vec![Content::from_wire(content.clone()).expect("one").into()],
                ..Request::default()
            };
            let sent = json!(with_known_files(&request).contents);
            let sent = &sent[0]["parts"][0]["functionResponse"];
            assert_eq!(sent.get("parts").unwrap_or(&Value::Null), &parts, "{model}");
            let note =
                format!("a\n\n[not shown: {omitted}; this model takes no such files in results]");
            assert_eq!(sent["response"]["output"], note, "{model}");
        };
        check(DEFAULT_MODEL, json!([file("image/png")]), "image/gif");
        // A result that is replaced, as when it expires, goes with its files.
        let mut part = Content::from_wire(content.clone()).expect("one").parts()[0].clone();
        part.set_result(json!({"output": "b"}));
        let expected = json!({"functionResponse": {"name": "shot", "response": {"output": "b"}}});
        assert_eq!(json!(part), expected);
        check("gemini-2.5-pro", Value::Null, "image/png, image/gif");
    }
}
