//! The keys of `ask`, besides its prompt.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Target;
use crate::config::options::{ConfigFile, Folder, source};
use crate::tool::AgentBudget;

/// The model that cogtools ask uses, and its limits.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AskConfig {
    /// The model. By default, gemini-flash-latest.
    ///
    /// Example: `model: gemini-flash-latest`
    #[serde(deserialize_with = "source::some_text")]
    #[schemars(regex(pattern = r"\S"))]
    pub model: Option<String>,
    /// Short names of models, each with the model that is asked.
    ///
    /// Example: `aliases: {fast: gemini-flash-latest}`
    pub aliases: BTreeMap<String, String>,
    /// The aliases of the user, if a name that the user types is looked up in them alone.
    #[serde(skip)]
    pub users_aliases: Option<BTreeMap<String, String>>,
    /// The temperature of the model: the variety of its answers.
    ///
    /// Example: `temperature: 0.2`
    #[serde(deserialize_with = "source::temperature")]
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    /// Makes answers repeatable, as far as the provider can. By default, a hash of the task.
    #[schemars(range(min = -2_147_483_648_i64, max = 2_147_483_647_i64))]
    pub seed: Option<i32>,
    /// The limit of tokens of a response.
    #[serde(deserialize_with = "source::at_least_1")]
    #[schemars(range(min = 1, max = 4_294_967_295_u64))]
    pub max_tokens: Option<u32>,
    /// Patterns of tools whose calls need no approval. Only in the user's own file.
    ///
    /// Example: `allow: [read_*]`
    pub allow: Vec<String>,
    /// Patterns of tools whose calls need an approval, in addition to other
    /// configurations.
    ///
    /// Example: `ask: [deploy_*]`
    pub ask: Vec<String>,
    /// Patterns of tools that are never called, in addition to other configurations.
    ///
    /// Example: `deny: [deploy_*]`
    pub deny: Vec<String>,
    /// The limits of a run. Those of a project only lower the user's, or the defaults.
    ///
    /// Example: `budget: {turns: 20, calls: 50, tokens: 100000, seconds: 300, money: 1.5}`
    pub budget: AgentBudget,
    /// The number of tokens of the tools' declarations from which the model gets `run_code` instead
    /// of the tools, or off: it writes programs that call them. By default, off.
    ///
    /// Example: `code: 20000`
    pub code: Option<Threshold>,
    /// The part of a conversation that is sent, and what is cached.
    pub history: AskHistory,
    /// A file with prices and sizes of models. Only in the user's own file.
    ///
    /// Example: `prices: prices.yaml`
    ///
    /// It is a YAML file with a date, a currency, and models: a map from names or patterns of
    /// models to input, output and, optionally, cached and written (each for a million tokens, the
    /// last one for those that are written to a cache) and context (the number of tokens that the
    /// model reads). A limit of money needs it.
    #[schemars(with = "Option<Folder>")]
    pub prices: Option<ConfigFile>,
    /// The kind of API that the provider has: gemini, openai or anthropic. Only in the user's own
    /// file.
    ///
    /// Example: `provider: openai`
    pub provider: Option<AskProvider>,
    /// Where the provider is reached. Only in the user's own file.
    ///
    /// Example: `base_url: http://127.0.0.1:11434/v1`
    #[serde(deserialize_with = "source::url")]
    #[schemars(regex(pattern = "^https?://"))]
    pub base_url: Option<String>,
}

impl AskConfig {
    /// The model that `name` stands for: itself, unless it is an alias.
    pub fn model_of<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, String::as_str)
    }

    /// The model that `name` stands for where the user has typed it.
    pub fn typed_model<'n>(&'n self, name: &'n str) -> &'n str {
        let aliases = self.users_aliases.as_ref().unwrap_or(&self.aliases);
        aliases.get(name).map_or(name, String::as_str)
    }
}

/// The part of a conversation that is sent, and what is cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AskHistory {
    /// The number of newest tool results that stay whole when old ones are shortened, which is when
    /// a cache is made or the conversation is too long. By default, 30.
    #[schemars(with = "u64")]
    pub whole_results: Option<usize>,
    /// After how many further tasks a result is old. By default, 3.
    #[schemars(with = "u64")]
    pub result_tasks: Option<usize>,
    /// The number of tokens that are not cached from which a cache is made, or off. By default,
    /// 20000.
    pub cache_threshold: Option<Threshold>,
    /// The lifetime of a cache in seconds. By default, 900.
    #[serde(deserialize_with = "source::a_minute")]
    #[schemars(range(min = 60, max = 4_294_967_295_u64))]
    pub cache_ttl: Option<u32>,
    /// The number of tokens of a request from which old results are shortened and, if that is not
    /// enough, old turns are summarised, or off. By default, half of what the model reads if prices
    /// says so, or else 400000.
    pub compact_at: Option<Threshold>,
}

/// A number of tokens from which something is done, or that it is never done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number of tokens, or `off`")]
pub enum Threshold {
    /// From this number.
    Tokens(u64),
    /// Never.
    Off(Never),
}

/// The word for a threshold that is never reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Never {
    /// Never.
    Off,
}

/// The kind of API that a provider has.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Deserialize,
    JsonSchema,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum AskProvider {
    /// The Gemini API.
    #[default]
    Gemini,
    /// An API that is compatible with OpenAI's.
    OpenAi,
    /// An API that is compatible with Anthropic's.
    Anthropic,
}

impl AskProvider {
    /// The names of all, the default first.
    pub const NAMES: &'static [&'static str] = <Self as strum::VariantNames>::VARIANTS;

    /// The API whose rules the declarations of tools follow. Servers that are compatible with
    /// OpenAI's have fewer rules than OpenAI.
    pub const fn target(self) -> Target {
        match self {
            Self::Gemini | Self::OpenAi => Target::Gemini,
            Self::Anthropic => Target::Anthropic,
        }
    }
}
