//! Reads the keys below `ask`.

use serde_json::Value;

use super::Config;
use super::ask::{AskHistory, AskProvider, Threshold};
use super::error::ConfigError;
use super::reader::Reader;
use crate::tool::AgentBudget;
use crate::yaml::{Entry, Node};

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
                key if AgentBudget::KEYS.contains(&key) => entry.value.to_json().is_u64(),
                _ => {
                    self.report_unknown_key(entry, &AgentBudget::KEYS);
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
        let standard = AgentBudget::STANDARD;
        let budget = AgentBudget {
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
