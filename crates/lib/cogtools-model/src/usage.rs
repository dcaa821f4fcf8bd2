//! The tokens of a request and its response.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Token counts. A provider that does not report one leaves it at zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "snake_case")]
pub struct Usage {
    /// Of the request, cached ones included.
    pub prompt: u64,
    /// Of the request, those that came from a cache.
    pub cached: u64,
    /// Of the answer and its calls.
    pub output: u64,
    /// Of thoughts.
    pub thoughts: u64,
    /// As the provider sums them up.
    pub total: u64,
}

impl Usage {
    /// Reads a `usageMetadata` object.
    pub(crate) fn from_wire(metadata: &Value) -> Self {
        let count = |key: &str| metadata.get(key).and_then(Value::as_u64).unwrap_or(0);
        Self {
            prompt: count("promptTokenCount"),
            cached: count("cachedContentTokenCount"),
            output: count("candidatesTokenCount"),
            thoughts: count("thoughtsTokenCount"),
            total: count("totalTokenCount"),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt += other.prompt;
        self.cached += other.cached;
        self.output += other.output;
        self.thoughts += other.thoughts;
        self.total += other.total;
    }
}
