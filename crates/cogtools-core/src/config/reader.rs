//! Reads the keys of one layer into the configuration, over earlier layers.

use super::error::ConfigError;
use super::layer::Layer;
use super::locked;
use super::origin::{Origin, Setting};
use super::{Config, ConfigErrors};
use crate::environment::EnvPriority;
use crate::filter::{Filter, Pattern};
use crate::source::Packages;
use crate::suggest::did_you_mean;
use crate::text::Span;
use crate::yaml::{Data, Entry, Node};
use crate::{Budget, Code, Diagnostic, Level, RuleLevel, Target};

/// Reads `layer` into `config`; `packages` is the source for `node_modules`.
pub(super) fn read(
    layer: &Layer,
    packages: &Packages,
    config: &mut Config,
) -> Result<(), ConfigErrors> {
    let mut reader = Reader {
        layer,
        packages,
        diagnostics: Vec::new(),
    };
    reader.config(config);
    if reader.diagnostics.is_empty() {
        Ok(())
    } else {
        Err(ConfigErrors(reader.diagnostics))
    }
}

/// Reads values and collects errors.
pub(super) struct Reader<'l> {
    pub(super) layer: &'l Layer,
    pub(super) packages: &'l Packages,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    pub(super) fn report(&mut self, error: &ConfigError, span: Span) {
        let location = self.layer.text.location(span);
        let diagnostic = Diagnostic::new(Code::InvalidConfig, error.to_string()).at(location);
        self.diagnostics.push(diagnostic.hint(error.hint()));
    }

    /// Whether there were no errors so far.
    pub(super) const fn has_no_errors(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Reports that `node`, the value of `key`, should be `expected`.
    pub(super) fn reject_value(&mut self, key: &str, expected: &'static str, node: &Node) {
        let text = node.text().filter(|text| text.len() <= 40);
        let error = ConfigError::InvalidValue {
            key: key.to_owned(),
            expected,
            found: text.map_or_else(|| node.kind().to_owned(), |text| format!("`{text}`")),
            suggestion: None,
        };
        self.report(&error, node.span);
    }

    pub(super) fn report_unknown_key(&mut self, entry: &Entry, known: &[&str]) {
        let suggestion = did_you_mean(&entry.key, known.iter().copied());
        let error = ConfigError::UnknownKey(entry.key.clone(), suggestion);
        self.report(&error, entry.span);
    }

    pub(super) fn setting(&self, key: String, entry: &Entry) -> Setting {
        let line = self.layer.text.location(entry.span).line;
        let variable = matches!(self.layer.origin, Origin::Variable(_));
        Setting {
            key,
            value: entry.value.to_json(),
            origin: self.layer.origin.clone(),
            line: (!variable).then_some(line),
        }
    }

    fn config(&mut self, config: &mut Config) {
        let layer = self.layer;
        let document = &layer.document;
        let entries = match &document.data {
            Data::Map(entries) => entries.as_slice(),
            Data::Null => &[],
            _ => {
                self.report(&ConfigError::NotAMap(document.kind()), document.span);
                &[]
            }
        };
        for entry in entries {
            match entry.key.as_str() {
                "tool_sources" => {
                    config.sources = self.sources(entry);
                    config.set(self.setting(entry.key.clone(), entry));
                }
                "env_priority" => {
                    config.env_priority = self.env_priority(entry);
                    config.set(self.setting(entry.key.clone(), entry));
                }
                "locked" => locked::read(self, entry, config),
                "filter" => {
                    for setting in self.filter("filter", entry, &mut config.filter) {
                        config.set(setting);
                    }
                }
                "budget" => self.budget(entry, "budget", None, config),
                "hosts" => self.hosts(entry, config),
                "lint" => self.lint(entry, config),
                _ => self.report_unknown_key(entry, &Config::KEYS),
            }
        }
    }

    fn env_priority(&mut self, entry: &Entry) -> EnvPriority {
        match entry.value.text() {
            Some("project") => EnvPriority::Project,
            Some("process") => EnvPriority::Process,
            _ => {
                self.reject_value("env_priority", "`project` or `process`", &entry.value);
                EnvPriority::default()
            }
        }
    }

    fn hosts(&mut self, entry: &Entry, config: &mut Config) {
        for host in self.map("hosts", entry) {
            let Some(target) = Target::parse(&host.key) else {
                let suggestion = did_you_mean(&host.key, Target::NAMES);
                self.report(&ConfigError::Host(host.key.clone(), suggestion), host.span);
                continue;
            };
            let mut filter = config.host(target).cloned().unwrap_or_default();
            let key = format!("hosts.{}", host.key);
            for setting in self.filter(&key, host, &mut filter) {
                config.set(setting);
            }
            for entry in host.value.entries().into_iter().flatten() {
                if entry.key == "budget" {
                    self.budget(entry, &format!("{key}.budget"), Some(target), config);
                }
            }
            config.hosts.retain(|(name, _)| *name != target);
            config.hosts.push((target, filter));
        }
    }

    fn budget(&mut self, entry: &Entry, key: &str, host: Option<Target>, config: &mut Config) {
        let tokens = entry.value.to_json().as_u64();
        let Some(tokens) = tokens.and_then(|tokens| usize::try_from(tokens).ok()) else {
            return self.reject_value("budget", "a whole number of tokens", &entry.value);
        };
        config.budgets.retain(|(name, _)| *name != host);
        config.budgets.push((host, Budget::new(tokens)));
        config.set(self.setting(key.to_owned(), entry));
    }

    /// Reads a filter over the earlier `filter`; a later layer replaces single keys.
    fn filter(&mut self, key: &str, entry: &Entry, filter: &mut Filter) -> Vec<Setting> {
        let mut settings = Vec::new();
        for entry in self.map("filter", entry) {
            let patterns = match entry.key.as_str() {
                "tools" => &mut filter.tools,
                "exclude" => &mut filter.exclude,
                "toolsets" => &mut filter.toolsets,
                "budget" if key != "filter" => continue,
                _ if key == "filter" => {
                    self.report_unknown_key(entry, &["tools", "exclude", "toolsets"]);
                    continue;
                }
                _ => {
                    self.report_unknown_key(entry, &["tools", "exclude", "toolsets", "budget"]);
                    continue;
                }
            };
            let texts = self.strings(&entry.key, &entry.value);
            *patterns = texts.iter().map(|text| Pattern::new(text)).collect();
            let mut setting = self.setting(format!("{key}.{}", entry.key), entry);
            setting.value = texts.into();
            settings.push(setting);
        }
        settings
    }

    /// A list of strings. In a variable, a string is a comma-separated list.
    pub(super) fn strings(&mut self, key: &str, node: &Node) -> Vec<String> {
        match &node.data {
            Data::List(items) => {
                let mut strings = Vec::new();
                for item in items {
                    match item.text() {
                        Some(text) => strings.push(text.to_owned()),
                        None => self.reject_value(key, "a list of strings", item),
                    }
                }
                strings
            }
            Data::Text { text, .. } if matches!(self.layer.origin, Origin::Variable(_)) => text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(str::to_owned)
                .collect(),
            _ => {
                self.reject_value(key, "a list of strings", node);
                Vec::new()
            }
        }
    }

    fn lint(&mut self, entry: &Entry, config: &mut Config) {
        for entry in self.map("lint", entry) {
            if entry.key != "rules" {
                self.report_unknown_key(entry, &["rules"]);
                continue;
            }
            for rule in self.map("rules", entry) {
                if let Some(level) = self.level(rule) {
                    config.rules.retain(|other| other.rule != level.rule);
                    config.rules.push(level);
                    config.set(self.setting(format!("lint.rules.{}", rule.key), rule));
                }
            }
        }
    }

    pub(super) fn map<'n>(&mut self, key: &str, entry: &'n Entry) -> &'n [Entry] {
        match &entry.value.data {
            Data::Map(entries) => entries,
            Data::Null => &[],
            _ => {
                self.reject_value(key, "a map", &entry.value);
                &[]
            }
        }
    }

    fn level(&mut self, entry: &Entry) -> Option<RuleLevel> {
        let text = entry.value.text();
        let Some(level) = text.and_then(Level::parse) else {
            let found = text.map_or(entry.value.kind().to_owned(), |text| format!("`{text}`"));
            let suggestion = text.and_then(|text| did_you_mean(text, Level::NAMES));
            self.report(&ConfigError::Level(found, suggestion), entry.value.span);
            return None;
        };
        Some(RuleLevel {
            rule: entry.key.clone(),
            level,
            location: self.layer.text.location(entry.span),
        })
    }
}
