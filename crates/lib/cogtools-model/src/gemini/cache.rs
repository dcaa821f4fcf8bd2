//! Explicit caches of the Gemini API: `cachedContents`.

use cogtools_http::http::Method;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::Gemini;
use crate::{Cache, Caches, ModelError, Request};

impl Caches for Gemini {
    fn create<'a>(
        &'a self,
        request: &'a Request,
        ttl_seconds: u32,
    ) -> BoxFuture<'a, Result<Cache, ModelError>> {
        let kept = Request {
            generation: crate::Generation::default(),
            cached_content: None,
            ..request.clone()
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
            self.exchange(Method::DELETE, url, Vec::new())
                .await
                .map(drop)
        }
        .boxed()
    }
}

impl Gemini {
    fn cache_url(&self, name: &str) -> Result<String, ModelError> {
        let url = self.endpoint.cache_url(name);
        url.ok_or_else(|| ModelError::InvalidResponse("that is not the name of a cache".to_owned()))
    }
}

/// A duration in protobuf's JSON.
fn ttl(seconds: u32) -> Value {
    format!("{seconds}s").into()
}
