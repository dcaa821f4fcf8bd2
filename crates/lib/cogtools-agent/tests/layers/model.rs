//! A model that answers "done", keeps its requests, and has caches.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cogtools_model::{Cache, Caches, Chunk, Chunks, Model, ModelError, ModelInfo, Request};
use futures::FutureExt as _;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream;
use serde_json::json;

/// Events of caches, in order.
#[derive(Clone, Debug)]
pub(crate) enum CacheCall {
    Create(Box<Request>, u32),
    Refresh,
    Delete,
}

#[derive(Debug, Default)]
pub(crate) struct Caching {
    pub(crate) refuses: bool,
    pub(crate) requests: Mutex<Vec<Request>>,
    pub(crate) calls: Mutex<Vec<CacheCall>>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Model for Caching {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        lock(&self.requests).push(request.clone());
        let chunk = Chunk::from_wire(json!({"candidates": [{
            "content": {"role": "model", "parts": [{"text": "done"}]},
            "finishReason": "STOP",
        }]}));
        async move { Ok(stream::iter([Ok(chunk)]).boxed()) }.boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        async { Ok(Vec::new()) }.boxed()
    }

    fn caches(&self) -> Option<&dyn Caches> {
        Some(self)
    }
}

impl Caches for Caching {
    fn create<'a>(
        &'a self,
        request: &'a Request,
        ttl_seconds: u32,
    ) -> BoxFuture<'a, Result<Cache, ModelError>> {
        let mut calls = lock(&self.calls);
        calls.push(CacheCall::Create(Box::new(request.clone()), ttl_seconds));
        let name = "cachedContents/c1".to_owned();
        let created = if self.refuses {
            Err(ModelError::InvalidResponse("too small".to_owned()))
        } else {
            Ok(Cache { name, tokens: 1 })
        };
        async move { created }.boxed()
    }

    fn refresh<'a>(
        &'a self,
        _name: &'a str,
        _ttl_seconds: u32,
    ) -> BoxFuture<'a, Result<(), ModelError>> {
        lock(&self.calls).push(CacheCall::Refresh);
        async { Ok(()) }.boxed()
    }

    fn delete<'a>(&'a self, _name: &'a str) -> BoxFuture<'a, Result<(), ModelError>> {
        lock(&self.calls).push(CacheCall::Delete);
        async { Ok(()) }.boxed()
    }
}
