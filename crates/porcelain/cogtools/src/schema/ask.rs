//! The shape of the key `ask` in a configuration.

use schemars::JsonSchema;

use crate::schema::shape::match_parser;

/// How cogtools ask asks a model.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
#[expect(clippy::struct_field_names, reason = "the names of the keys")]
pub struct Ask {
    /// The model. By default, gemini-flash-latest.
    #[schemars(regex(pattern = r"\S"))]
    pub model: Option<String>,
    /// How varied answers are.
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    /// Makes answers repeatable, as far as the provider can. By default, a hash of the task.
    #[schemars(range(min = -2_147_483_648_i64, max = 2_147_483_647_i64))]
    pub seed: Option<i64>,
    /// The limit of tokens of a response.
    #[schemars(range(min = 1, max = 4_294_967_295_u64))]
    pub max_tokens: Option<u64>,
    /// Patterns of tools whose calls need no approval. Only in the user's own file.
    pub allow: Option<Vec<String>>,
    /// Patterns of tools whose calls need an approval, in addition to those of other
    /// configurations.
    pub ask: Option<Vec<String>>,
    /// Patterns of tools that are never called, in addition to those of other configurations.
    pub deny: Option<Vec<String>>,
    /// The limits of a run. Those of a project only lower the user's, or the defaults.
    pub budget: Option<AskBudget>,
    /// How much of a conversation is sent, and what is cached.
    pub history: Option<AskHistory>,
    /// A file with prices and sizes of models. Only in the user's own file.
    #[schemars(regex(pattern = r"\S"))]
    pub prices: Option<String>,
    /// The kind of API that the provider has. Only in the user's own file.
    pub provider: Option<AskProvider>,
    /// Where the provider is reached. Only in the user's own file.
    #[schemars(regex(pattern = "^https?://"))]
    pub base_url: Option<String>,
}

/// The limits of a run.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct AskBudget {
    /// Requests to the model. By default, 50.
    pub turns: Option<u64>,
    /// Calls of tools. By default, 200.
    pub calls: Option<u64>,
    /// Tokens, sent and received.
    pub tokens: Option<u64>,
    /// Seconds.
    pub seconds: Option<u64>,
    /// Money, in the currency of the file with prices.
    #[schemars(range(min = 0))]
    pub money: Option<f64>,
}

/// How much of a conversation is sent, and what is cached.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct AskHistory {
    /// How many results of tools are sent whole. By default, 30.
    pub whole_results: Option<u64>,
    /// After how many further tasks a result is not sent whole any more. By default, 3.
    pub result_tasks: Option<u64>,
    /// The number of tokens that are not cached from which a cache is made. By default, 20000.
    pub cache_threshold: Option<Threshold>,
    /// How many seconds a cache lives. By default, 900.
    #[schemars(range(min = 60, max = 4_294_967_295_u64))]
    pub cache_ttl: Option<u64>,
    /// The number of tokens of a request from which old turns are summarised. By default, 400000.
    pub compact_at: Option<Threshold>,
}

/// A number of tokens, or never.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum Threshold {
    /// A number of tokens.
    Tokens(u64),
    /// Never.
    Off(Off),
}

/// Never.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
pub enum Off {
    /// Never.
    Off,
}

/// The kind of API that a provider has.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
pub enum AskProvider {
    /// The Gemini API.
    Gemini,
    /// An API that is compatible with that of OpenAI.
    Openai,
}
