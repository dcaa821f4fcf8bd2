//! The keys below `ask`: how a model is asked.
//!
//! What protects the user is combined: limits of the budget to the stricter one, names in `deny`
//! and `ask` to all of them. What only the user may set decides where a key is sent, which calls
//! need no question and what tokens cost.

use super::prompt::ConfigFile;
use crate::tool::AgentBudget;

/// How a model is asked. What is absent has a default where it is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskConfig {
    /// The model.
    pub model: Option<String>,
    /// How varied its answers are.
    pub temperature: Option<f64>,
    /// Makes its answers repeatable.
    pub seed: Option<i32>,
    /// The limit of tokens of a response.
    pub max_tokens: Option<u32>,
    /// Patterns of tools whose calls need no answer: of the user only.
    pub allow: Vec<String>,
    /// Patterns of tools whose calls need an answer.
    pub ask: Vec<String>,
    /// Patterns of tools that are never called.
    pub deny: Vec<String>,
    /// The limits of a run.
    pub budget: AgentBudget,
    /// How much of a conversation is sent.
    pub history: AskHistory,
    /// The user's file with prices.
    pub prices: Option<ConfigFile>,
    /// The kind of API that the provider has.
    pub provider: Option<AskProvider>,
    /// Where the provider is reached.
    pub base_url: Option<String>,
}

/// How much of a conversation is sent. What is absent has a default where it is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AskHistory {
    /// How many results of tools are sent whole.
    pub whole_results: Option<usize>,
    /// After how many further tasks a result is not sent whole any more.
    pub result_tasks: Option<usize>,
    /// The number of tokens from which a cache is made.
    pub cache_threshold: Option<Threshold>,
    /// How long a cache lives, in seconds.
    pub cache_ttl: Option<u32>,
    /// The number of tokens from which old turns are summarised.
    pub compact_at: Option<Threshold>,
}

/// A number of tokens from which something is done, or that it is never done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// From this number.
    Tokens(u64),
    /// Never.
    Off,
}

/// The kinds of APIs that models have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskProvider {
    /// The Gemini API.
    Gemini,
    /// An API that is compatible with that of OpenAI.
    OpenAi,
}

impl AskConfig {
    /// The keys below `ask`, those of inner maps as paths with dots.
    pub const KEYS: [&'static str; 20] = [
        "model",
        "temperature",
        "seed",
        "max_tokens",
        "allow",
        "ask",
        "deny",
        "budget.turns",
        "budget.calls",
        "budget.tokens",
        "budget.seconds",
        "budget.money",
        "history.whole_results",
        "history.result_tasks",
        "history.cache_threshold",
        "history.cache_ttl",
        "history.compact_at",
        "prices",
        "provider",
        "base_url",
    ];
    /// Those that only the user may set.
    pub const USERS_ONLY: [&'static str; 4] =
        ["ask.allow", "ask.prices", "ask.provider", "ask.base_url"];

    /// What holds without a configuration.
    pub(super) fn standard() -> Self {
        Self {
            budget: AgentBudget::STANDARD,
            ..Self::default()
        }
    }
}

impl AskHistory {
    /// The names of the settings.
    pub const KEYS: [&'static str; 5] = [
        "whole_results",
        "result_tasks",
        "cache_threshold",
        "cache_ttl",
        "compact_at",
    ];
}

impl AskProvider {
    /// The names of all.
    pub const NAMES: [&'static str; 2] = ["gemini", "openai"];

    /// The one of that name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "gemini" => Some(Self::Gemini),
            "openai" => Some(Self::OpenAi),
            _ => None,
        }
    }
}
