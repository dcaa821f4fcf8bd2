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
        let url = format!("{}?updateMask=ttl", self.endpoint.cache_url(name));
        let body = json!({"ttl": ttl(ttl_seconds)}).to_string().into_bytes();
        async move { self.exchange(Method::PATCH, url, body).await.map(drop) }.boxed()
    }

    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), ModelError>> {
        let url = self.endpoint.cache_url(name);
        async move {
            self.exchange(Method::DELETE, url, Vec::new())
                .await
                .map(drop)
        }
        .boxed()
    }
}

/// A duration in protobuf's JSON.
fn ttl(seconds: u32) -> Value {
    format!("{seconds}s").into()
}
