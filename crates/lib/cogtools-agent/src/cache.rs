//! Explicit caches: when one is made, used, renewed, given up.

use cogtools_log::{CacheState, Event, Id, LogError, Timestamp};
use cogtools_model::ModelError;

use crate::Agent;
use crate::history::{Split, call_border, history_len};
use crate::observer::Activity;
use crate::state::cache_key;

/// A cache as the log knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheRecord {
    /// The provider's name of it.
    pub name: String,
    /// The hash of the model, the instructions and the tools that it was made with.
    pub key: String,
    /// The last turn that it holds; `None` if it holds instructions and tools only.
    pub up_to: Option<Id>,
    /// When the provider deletes it.
    pub expires: Timestamp,
}

impl CacheRecord {
    /// Updates `record` by an event about the cache `name`.
    pub(crate) fn update(record: &mut Option<Self>, name: &str, state: &CacheState) {
        match state {
            CacheState::Created {
                key,
                up_to,
                expires,
            } => {
                *record = Some(Self {
                    name: name.to_owned(),
                    key: key.clone(),
                    up_to: *up_to,
                    expires: *expires,
                });
            }
            CacheState::Refreshed { expires } => {
                if let Some(record) = record.as_mut().filter(|record| record.name == name) {
                    record.expires = *expires;
                }
            }
            CacheState::Deleted | CacheState::Failed { .. } => {
                record.take_if(|record| record.name == name);
            }
            CacheState::Used => {}
        }
    }
}

/// True if and how a request uses a cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// Number of turns in the first layer.
    pub turns: usize,
    /// The name of the cache that holds it.
    pub name: Option<String>,
}

impl CacheUse {
    /// Returns the layer with all turns, for a request without a cache.
    #[must_use]
    pub fn in_full(&self) -> Self {
        Self {
            turns: self.turns,
            name: None,
        }
    }
}

impl Agent<'_> {
    /// The cache for the next request, made or renewed if that pays.
    pub(crate) async fn prepare_cache(&mut self) -> Result<CacheUse, LogError> {
        let (Some(caches), Some(_)) = (self.model.caches(), self.settings.history.cache_threshold)
        else {
            return Ok(CacheUse::default());
        };
        let (state, now) = (self.journal.state(), self.journal.log().now());
        let (model, history) = (&self.settings.request.model, self.settings.history);
        let current = state.usable_cache(&self.fixed, model, now);
        let kinds = state.conversation.kinds();
        let split = Split::new(history_len(&kinds), state.sent, history.cache_threshold);
        let cut = call_border(&kinds, split.cached);
        let is_better = current.as_ref().is_none_or(|current| cut > current.turns);
        let is_lapsed = state.has_lapsed_cache(&self.fixed, model, now);
        let is_due = (split.is_due || is_lapsed) && state.may_create_cache();
        if !is_due || !is_better {
            return self.refresh_cache(current.unwrap_or_default()).await;
        }
        // A new cache is paid for as a whole: old results stay out of it.
        let mut cached = state.clone();
        let expired = state.conversation.expire(&history);
        if let (Some(head), Some(event)) = (state.head, &expired) {
            cached.apply(head.next(), event);
        }
        let layer = cached.static_layer(&self.fixed, cut);
        let request = layer.cache_request(model);
        let key = cache_key(&self.fixed, model);
        match caches.create(&request, history.cache_ttl).await {
            Ok(cache) => {
                let old = current.and_then(|current| current.name);
                let turns = self.journal.conversation().turns();
                let up_to = cut.checked_sub(1).map(|last| turns[last].id);
                let expires = self.cache_expiry();
                if let Some(event) = expired {
                    self.journal.append(event)?;
                }
                let state = CacheState::Created {
                    key,
                    up_to,
                    expires,
                };
                self.record_cache(&cache.name, state, cache.tokens)?;
                if let Some(old) = old {
                    self.delete_cache(&old).await?;
                }
                Ok(CacheUse {
                    turns: cut,
                    name: Some(cache.name),
                })
            }
            Err(error) => {
                self.fail_cache("", &error)?;
                // What the cache would hold is sent, in its place.
                let in_full = CacheUse {
                    turns: cut,
                    name: None,
                };
                self.refresh_cache(current.unwrap_or(in_full)).await
            }
        }
    }

    /// Renews a cache that lives for less than half of its time.
    async fn refresh_cache(&mut self, usage: CacheUse) -> Result<CacheUse, LogError> {
        let Some(name) = usage.name.clone() else {
            return Ok(usage);
        };
        let ttl = self.settings.history.cache_ttl;
        let half = self.journal.log().now().plus_seconds(i64::from(ttl / 2));
        let cache = self.journal.state().cache.as_ref();
        if cache.is_some_and(|cache| cache.expires > half) {
            return Ok(usage);
        }
        let Some(caches) = self.model.caches() else {
            return Ok(CacheUse::default());
        };
        match caches.refresh(&name, ttl).await {
            Ok(()) => {
                let expires = self.cache_expiry();
                self.record_cache(&name, CacheState::Refreshed { expires }, 0)?;
                Ok(usage)
            }
            Err(error) => {
                self.fail_cache(&name, &error)?;
                Ok(usage.in_full())
            }
        }
    }

    async fn delete_cache(&mut self, name: &str) -> Result<(), LogError> {
        let Some(caches) = self.model.caches() else {
            return Ok(());
        };
        match caches.delete(name).await {
            Ok(()) => self.record_cache(name, CacheState::Deleted, 0),
            // It expires by itself.
            Err(error) => self.fail_cache(name, &error),
        }
    }

    /// Notes that the cache `name` cannot be used: the first layer is sent in full.
    pub(crate) fn fail_cache(&mut self, name: &str, error: &ModelError) -> Result<(), LogError> {
        self.observer.on(&Activity::CacheFailed(error));
        let reason = error.to_string();
        self.record_cache(name, CacheState::Failed { reason }, 0)
    }

    fn cache_expiry(&self) -> Timestamp {
        let ttl = i64::from(self.settings.history.cache_ttl);
        self.journal.log().now().plus_seconds(ttl)
    }

    fn record_cache(&mut self, name: &str, state: CacheState, tokens: u64) -> Result<(), LogError> {
        let event = Event::Cache {
            name: name.to_owned(),
            state,
            tokens,
        };
        self.journal.append(event).map(drop)
    }
}
