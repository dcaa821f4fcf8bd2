//! The keys below `ask`: how a model is asked.
//!
//! What protects the user is combined: limits of the budget to the stricter one, names in `deny`
//! and `ask` to all of them. What only the user may set decides where a key is sent, which calls
//! need no question and what tokens cost.

use serde_json::Value;

use super::Config;
use super::error::ConfigError;
use super::prompt::ConfigFile;
use super::reader::Reader;
use crate::yaml::{Entry, Node};

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
    pub budget: AskBudget,
    /// How much of a conversation is sent.
    pub history: AskHistory,
    /// The user's file with prices.
    pub prices: Option<ConfigFile>,
    /// The kind of API that the provider has.
    pub provider: Option<AskProvider>,
    /// Where the provider is reached.
    pub base_url: Option<String>,
}

/// The limits of a run; an absent one does not limit it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AskBudget {
    /// Requests to a model.
    pub turns: Option<u64>,
    /// Calls of tools.
    pub calls: Option<u64>,
    /// Tokens, sent and received.
    pub tokens: Option<u64>,
    /// Time.
    pub seconds: Option<u64>,
    /// Money, in the currency of the user's prices.
    pub money: Option<f64>,
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

const TEXT: &str = "a text";
const NUMBER: &str = "a whole number of at least 1";
const COUNT: &str = "a whole number";
const THRESHOLD: &str = "a number of tokens, or `off`";
const URL: &str = "a URL that begins with https:// or http://";
/// The keys of `ask`.
const KEYS: [&str; 12] = [
    "model",
    "temperature",
    "seed",
    "max_tokens",
    "allow",
    "ask",
    "deny",
    "budget",
    "history",
    "prices",
    "provider",
    "base_url",
];

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
}

impl AskBudget {
    /// The names of the limits.
    pub const KEYS: [&'static str; 5] = ["turns", "calls", "tokens", "seconds", "money"];
}

impl Default for AskBudget {
    fn default() -> Self {
        Self {
            turns: Some(50),
            calls: Some(200),
            tokens: None,
            seconds: None,
            money: None,
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

impl Reader<'_> {
    /// Reads the keys below `ask`.
    pub(super) fn ask(&mut self, entry: &Entry, config: &mut Config) {
        for entry in self.map("ask", entry) {
            match entry.key.as_str() {
                "budget" => self.ask_budget(entry, config),
                "history" => self.ask_history(entry, config),
                "deny" | "ask" | "allow" => self.permission(entry, config),
                _ => self.ask_value(entry, config),
            }
        }
    }

    fn ask_value(&mut self, entry: &Entry, config: &mut Config) {
        let ask = &mut config.ask;
        let is_set = match entry.key.as_str() {
            "model" => self.set(&mut ask.model, entry, TEXT, text),
            "temperature" => {
                let expected = "a number from 0 to 2";
                self.set(&mut ask.temperature, entry, expected, temperature)
            }
            "seed" => {
                let seed = |node: &Node| i32::try_from(node.to_json().as_i64()?).ok();
                self.set(&mut ask.seed, entry, COUNT, seed)
            }
            "max_tokens" => {
                let tokens = |node: &Node| u32::try_from(positive(node)?).ok();
                self.set(&mut ask.max_tokens, entry, NUMBER, tokens)
            }
            "prices" if self.is_users("ask.prices", entry) => {
                let file = self.file(&entry.key, &entry.value);
                ask.prices = file.or(ask.prices.take());
                true
            }
            "provider" if self.is_users("ask.provider", entry) => {
                let provider = |node: &Node| AskProvider::parse(node.text()?);
                self.set(&mut ask.provider, entry, "`gemini` or `openai`", provider)
            }
            "base_url" if self.is_users("ask.base_url", entry) => {
                self.set(&mut ask.base_url, entry, URL, url)
            }
            "prices" | "provider" | "base_url" => false,
            _ => {
                self.report_unknown_key(entry, &KEYS);
                false
            }
        };
        if is_set {
            config.set(self.setting(format!("ask.{}", entry.key), entry));
        }
    }

    /// Sets `target`, unless the value is not what is expected.
    fn set<T>(
        &mut self,
        target: &mut Option<T>,
        entry: &Entry,
        expected: &'static str,
        parse: impl FnOnce(&Node) -> Option<T>,
    ) -> bool {
        let Some(value) = parse(&entry.value) else {
            self.reject_value(&entry.key, expected, &entry.value);
            return false;
        };
        *target = Some(value);
        true
    }

    /// Whether this layer may set a key that only the user may set.
    fn is_users(&mut self, key: &'static str, entry: &Entry) -> bool {
        if !self.layer.is_user {
            self.report(&ConfigError::UsersOnly(key), entry.span);
        }
        self.layer.is_user
    }

    fn permission(&mut self, entry: &Entry, config: &mut Config) {
        if entry.key == "allow" && !self.is_users("ask.allow", entry) {
            return;
        }
        let texts = self.strings(&entry.key, &entry.value);
        let mut setting = self.setting(format!("ask.{}", entry.key), entry);
        setting.value = texts.into();
        config.extend(setting);
    }

    fn ask_budget(&mut self, entry: &Entry, config: &mut Config) {
        for entry in self.map("budget", entry) {
            let is_valid = match entry.key.as_str() {
                "money" => amount(&entry.value).is_some(),
                key if AskBudget::KEYS.contains(&key) => entry.value.to_json().is_u64(),
                _ => {
                    self.report_unknown_key(entry, &AskBudget::KEYS);
                    continue;
                }
            };
            if is_valid {
                config.set(self.setting(format!("ask.budget.{}", entry.key), entry));
            } else {
                let expected = if entry.key == "money" {
                    "an amount"
                } else {
                    COUNT
                };
                self.reject_value(&entry.key, expected, &entry.value);
            }
        }
    }

    fn ask_history(&mut self, entry: &Entry, config: &mut Config) {
        let history = &mut config.ask.history;
        let mut settings = Vec::new();
        for entry in self.map("history", entry) {
            let count = |node: &Node| usize::try_from(node.to_json().as_u64()?).ok();
            let is_set = match entry.key.as_str() {
                "whole_results" => self.set(&mut history.whole_results, entry, COUNT, count),
                "result_tasks" => self.set(&mut history.result_tasks, entry, COUNT, count),
                "cache_threshold" => {
                    self.set(&mut history.cache_threshold, entry, THRESHOLD, threshold)
                }
                "cache_ttl" => {
                    let expected = "a whole number of seconds, at least 60";
                    let seconds = |node: &Node| {
                        let seconds = u32::try_from(node.to_json().as_u64()?).ok();
                        seconds.filter(|seconds| *seconds >= 60)
                    };
                    self.set(&mut history.cache_ttl, entry, expected, seconds)
                }
                "compact_at" => self.set(&mut history.compact_at, entry, THRESHOLD, threshold),
                _ => {
                    self.report_unknown_key(entry, &AskHistory::KEYS);
                    false
                }
            };
            if is_set {
                settings.push(self.setting(format!("ask.history.{}", entry.key), entry));
            }
        }
        for setting in settings {
            config.set(setting);
        }
    }
}

impl Config {
    /// Derives the values of the keys below `ask` that protect.
    pub(super) fn combine_ask(&mut self) {
        let texts = |key: &str| {
            let list = self.value(key).map(super::protection::texts);
            let list = list.unwrap_or_default().into_iter();
            list.map(str::to_owned).collect::<Vec<_>>()
        };
        let (allow, ask, deny) = (texts("ask.allow"), texts("ask.ask"), texts("ask.deny"));
        let standard = AskBudget::default();
        let budget = AskBudget {
            turns: self.limit("turns", standard.turns, Value::as_u64),
            calls: self.limit("calls", standard.calls, Value::as_u64),
            tokens: self.limit("tokens", standard.tokens, Value::as_u64),
            seconds: self.limit("seconds", standard.seconds, Value::as_u64),
            money: self.limit("money", standard.money, Value::as_f64),
        };
        (self.ask.allow, self.ask.ask, self.ask.deny) = (allow, ask, deny);
        self.ask.budget = budget;
    }

    /// A limit of the budget. Only the user can raise a default.
    fn limit<T: PartialOrd>(
        &self,
        name: &str,
        standard: Option<T>,
        read: fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let key = format!("ask.budget.{name}");
        let mut settings = self.settings.iter();
        let Some(setting) = settings.find(|setting| setting.key == key) else {
            return standard;
        };
        match (read(&setting.value), standard) {
            (Some(value), Some(standard)) if !setting.own && value > standard => Some(standard),
            (value, _) => value,
        }
    }
}

fn text(node: &Node) -> Option<String> {
    let text = node.text().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned)
}

fn url(node: &Node) -> Option<String> {
    let is_url = |text: &String| text.starts_with("https://") || text.starts_with("http://");
    text(node).filter(is_url)
}

fn positive(node: &Node) -> Option<u64> {
    node.to_json().as_u64().filter(|number| *number > 0)
}

fn amount(node: &Node) -> Option<f64> {
    let amount = node.to_json().as_f64();
    amount.filter(|amount| amount.is_finite() && *amount >= 0.0)
}

fn temperature(node: &Node) -> Option<f64> {
    amount(node).filter(|temperature| *temperature <= 2.0)
}

fn threshold(node: &Node) -> Option<Threshold> {
    if node.text() == Some("off") {
        return Some(Threshold::Off);
    }
    node.to_json().as_u64().map(Threshold::Tokens)
}
