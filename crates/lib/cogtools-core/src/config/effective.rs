//! The effective values of keys that several layers set together.

use serde_json::Value;

use super::{Config, protection};
use crate::environment::EnvPriority;
use crate::filter::{Filter, Pattern};
use crate::process::{Bounds, SandboxMode};
use crate::source::Source;
use crate::{Budget, Target};

impl Config {
    /// Combines the settings of the user with the additions of the project, and derives
    /// the values of the keys that protect.
    pub(super) fn combine(&mut self) {
        self.inherit_sources();
        self.settings = protection::combine(&self.settings, &self.additions);
        self.env_priority = match self.value("env_priority").and_then(Value::as_str) {
            Some("process") => EnvPriority::Process,
            _ => EnvPriority::Project,
        };
        let sandbox = self.value("sandbox").and_then(Value::as_str);
        self.sandbox = sandbox.and_then(SandboxMode::parse).unwrap_or_default();
        self.filter = self.filter_at("filter");
        let keys = |name: &str| (Target::parse(name), format!("hosts.{name}"));
        for (target, key) in Target::NAMES.into_iter().map(keys) {
            let filter = self.filter_at(&key);
            let filter = target
                .zip(Some(filter))
                .filter(|(_, filter)| !filter.is_empty());
            self.hosts.extend(filter);
            self.set_budget(target, &format!("{key}.budget"));
        }
        self.set_budget(None, "budget");
        self.combine_ask();
    }

    /// What it says about every program.
    pub const fn bounds(&self) -> Bounds {
        Bounds {
            limits: self.limits,
            sandbox: self.sandbox,
        }
    }

    /// Whether listing the sources may run programs.
    pub fn runs_programs(&self) -> bool {
        let runs = |source: &Source| matches!(source, Source::Provider(_));
        self.sources.iter().any(runs)
    }

    fn set_budget(&mut self, host: Option<Target>, key: &str) {
        let tokens = self.value(key).and_then(Value::as_u64);
        let tokens = tokens.and_then(|tokens| usize::try_from(tokens).ok());
        self.budgets
            .extend(tokens.map(|tokens| (host, Budget::new(tokens))));
    }

    /// The effective value of `key`.
    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        let mut settings = self.settings.iter();
        let setting = settings.find(|setting| setting.key == key);
        setting.map(|setting| &setting.value)
    }

    /// The effective filter below `key`.
    fn filter_at(&self, key: &str) -> Filter {
        let lists = |list: &str| -> Vec<Vec<Pattern>> {
            let key = format!("{key}.{list}");
            let mut additions = self.additions.iter();
            let addition = additions.find(|setting| setting.key == key);
            let is_specific = |text: &&str| {
                addition.is_some_and(|addition| protection::texts(&addition.value).contains(text))
            };
            let pattern = |text: &str| match Some(text).filter(is_specific) {
                Some(text) => Pattern::new(text),
                None => Pattern::general(text),
            };
            let lists = self.value(&key).map(protection::lists).unwrap_or_default();
            let patterns = |list: Vec<&str>| list.into_iter().map(pattern).collect();
            lists.into_iter().map(patterns).collect()
        };
        Filter {
            tools: lists("tools"),
            exclude: lists("exclude").into_iter().flatten().collect(),
            toolsets: lists("toolsets"),
        }
    }
}
