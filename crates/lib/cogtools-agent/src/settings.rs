//! How an agent works.

use cogtools_model::RetryPolicy;
use serde_json::Value;

use crate::{Permissions, Price, RequestOptions};

/// The settings of a run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The model and how it answers.
    pub request: RequestOptions,
    /// Which calls may run.
    pub permissions: Permissions,
    /// When to send again.
    pub retry: RetryPolicy,
    /// What tokens cost, if it is known.
    pub price: Option<Price>,
    /// How much of the conversation is sent.
    pub history: HistorySettings,
    /// The JSON Schema of an answer that is the arguments of a call, which the model has to make.
    /// It then makes no other calls. A model that cannot make calls is asked for JSON.
    pub answer_call: Option<Value>,
}

/// How much of a conversation is sent, and what is cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistorySettings {
    /// How many results of tools are sent whole; older ones are named only.
    pub whole_results: usize,
    /// After how many further tasks a result is not sent whole any more.
    pub result_tasks: usize,
    /// The number of tokens that are not cached from which a cache pays off. `None`: no caches.
    pub cache_threshold: Option<u64>,
    /// How long a cache lives, in seconds.
    pub cache_ttl: u32,
    /// The number of tokens of a request from which old turns are summarised.
    pub compact_at: Option<u64>,
}

impl Default for HistorySettings {
    fn default() -> Self {
        Self {
            whole_results: 30,
            result_tasks: 3,
            cache_threshold: Some(20_000),
            cache_ttl: 900,
            compact_at: Some(400_000),
        }
    }
}
