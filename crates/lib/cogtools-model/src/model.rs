//! The interface of providers.

use std::fmt;
use std::fmt::Debug;
use std::pin::Pin;

use futures::future::{self, BoxFuture};
use futures::{FutureExt as _, Stream};

use crate::{Chunk, ModelError, Request};

/// The chunks of a response, as they arrive. Dropping it cancels the request.
pub type Chunks = Pin<Box<dyn Stream<Item = Result<Chunk, ModelError>> + Send>>;

/// A provider of models.
pub trait Model: Debug + Send + Sync {
    /// Sends `request` once. An error before the first chunk is returned at once, later ones end
    /// the stream.
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>>;

    /// Lists the models of the provider, sorted by name. Without a provider there is no list.
    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        future::ready(Err(ModelError::Unsupported("a list of models"))).boxed()
    }

    /// Its explicit caches, if it has any.
    fn caches(&self) -> Option<&dyn Caches> {
        None
    }
}

impl<M: Model + ?Sized> Model for Box<M> {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        (**self).send(request)
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        (**self).models()
    }

    fn caches(&self) -> Option<&dyn Caches> {
        (**self).caches()
    }
}

/// A model of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name to use in requests.
    pub name: String,
    /// The title, in the provider's words.
    pub title: Option<String>,
    /// The limit of tokens of a request.
    pub input_tokens: Option<u64>,
    /// The limit of tokens of a response.
    pub output_tokens: Option<u64>,
}

/// Sorts models by their names.
pub(crate) fn sorted(models: impl IntoIterator<Item = ModelInfo>) -> Vec<ModelInfo> {
    let mut models: Vec<ModelInfo> = models.into_iter().collect();
    models.sort_by(|one, other| one.name.cmp(&other.name));
    models
}

/// Explicit caches: the beginning of a request, kept by the provider for a while.
pub trait Caches: Send + Sync {
    /// Keeps the instructions, tools and contents of `request` for `ttl_seconds`.
    fn create<'a>(
        &'a self,
        request: &'a Request,
        ttl_seconds: u32,
    ) -> BoxFuture<'a, Result<Cache, ModelError>>;

    /// Keeps the cache of that name for `ttl_seconds` from now.
    fn refresh<'a>(
        &'a self,
        name: &'a str,
        ttl_seconds: u32,
    ) -> BoxFuture<'a, Result<(), ModelError>>;

    /// Deletes the cache of that name.
    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), ModelError>>;
}

/// A cache that was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// The name to use in requests.
    pub name: String,
    /// Number of tokens in it.
    pub tokens: u64,
}

/// An API key or a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Keeps `secret`.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The secret, for the header of a request.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}
