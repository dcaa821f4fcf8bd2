//! The models that the fake has.

use serde_json::{Value, json};

/// A model: what `models` says of it, and the rules that depend on it.
#[derive(Clone, Debug)]
pub struct Model {
    name: String,
    min_cache_tokens: u64,
    signs: bool,
}

/// The models of a fake, unless the test adds others.
const KNOWN: [&str; 8] = [
    "gemini-flash-latest",
    "gemini-flash-lite-latest",
    "gemini-pro-latest",
    "gemini-3-flash-preview",
    "gemini-3-pro-preview",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
    "gemini-2.5-pro",
];

impl Model {
    /// The model `name`. It signs its thoughts unless it is older than Gemini 3, and its
    /// caches have at least 4,096 tokens (`pro`) or 2,048.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let min_cache_tokens = if name.contains("-pro") { 4_096 } else { 2_048 };
        let old = ["gemini-1", "gemini-2"];
        Self {
            signs: !old.iter().any(|old| name.contains(old)),
            min_cache_tokens,
            name,
        }
    }

    /// The minimum size of its caches.
    #[must_use]
    pub fn min_cache_tokens(mut self, tokens: u64) -> Self {
        self.min_cache_tokens = tokens;
        self
    }

    /// All models of a fake.
    pub(super) fn known() -> Vec<Self> {
        KNOWN.into_iter().map(Self::new).collect()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if it issues thought signatures and insists on them.
    pub(super) fn signs(&self) -> bool {
        self.signs
    }

    pub(super) fn smallest_cache(&self) -> u64 {
        self.min_cache_tokens
    }

    /// The entry of the model in `models`.
    pub(super) fn shown(&self) -> Value {
        json!({
            "name": format!("models/{}", self.name),
            "version": "001",
            "displayName": self.name,
            "description": "Plays a script",
            "inputTokenLimit": 1_048_576,
            "outputTokenLimit": 65_536,
            "supportedGenerationMethods": ["generateContent", "countTokens", "createCachedContent"],
            "temperature": 1,
            "topP": 0.95,
            "topK": 64,
            "maxTemperature": 2,
            "thinking": true,
        })
    }
}
