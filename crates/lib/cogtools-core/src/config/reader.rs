//! Reads the keys of one layer into the configuration, over earlier layers.

use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::layer::Layer;
use super::origin::{Origin, Setting};
use super::{Config, ConfigErrors};
use crate::owner::{self, Owners};
use crate::process::SandboxMode;
use crate::source::{GlobalModules, Packages};
use crate::suggest::did_you_mean;
use crate::text::Span;
use crate::yaml::{Data, Entry, Node};
use crate::{Code, Diagnostic, Level, Project, RuleLevel, Target};

/// What the paths of every layer may refer to.
pub(super) struct Base<'p> {
    /// The project's root.
    pub(super) root: PathBuf,
    /// The user's home directory.
    pub(super) home: Option<&'p Path>,
    /// The source for `node_modules`.
    pub(super) packages: Packages,
}

/// Reads `layer` into `config`.
pub(super) fn read(
    layer: &Layer,
    base: &Base<'_>,
    config: &mut Config,
) -> Result<(), ConfigErrors> {
    let mut reader = Reader {
        layer,
        base,
        diagnostics: Vec::new(),
    };
    reader.config(config);
    if reader.diagnostics.is_empty() {
        Ok(())
    } else {
        Err(ConfigErrors(reader.diagnostics))
    }
}

impl<'p> Base<'p> {
    pub(super) fn new(
        project: &Project,
        home: Option<&'p Path>,
        global: GlobalModules,
        owners: Owners,
    ) -> Self {
        let (root, display_path) = project.resolve(Path::new(""));
        Self {
            packages: Packages::new(root.clone(), display_path, global, owners),
            root,
            home,
        }
    }
}

/// Reads values and collects errors.
pub(super) struct Reader<'l> {
    pub(super) layer: &'l Layer,
    pub(super) base: &'l Base<'l>,
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
        Setting::new(
            key,
            entry.value.to_json(),
            self.layer.origin.clone(),
            self.layer.line.or((!variable).then_some(line)),
            self.layer.is_user,
        )
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
                "tool_sources" => self.tool_sources(entry, config),
                "inherit" => self.inherit(entry, config),
                "env_priority" => {
                    self.env_priority(entry);
                    config.set(self.setting(entry.key.clone(), entry));
                }
                "locked" => self.locked(entry, config),
                "filter" => {
                    for setting in self.filter("filter", entry) {
                        config.set(setting);
                    }
                }
                "budget" => self.budget(entry, "budget", config),
                "hosts" => self.hosts(entry, config),
                "limits" => self.limits(entry, config),
                "sandbox" => {
                    self.sandbox_mode(entry);
                    config.set(self.setting(entry.key.clone(), entry));
                }
                "lint" => self.lint(entry, config),
                "ask" => self.ask(entry, config),
                "prompt" => self.prompt(entry, config),
                "capability_aliases" => self.capability_aliases(entry, config),
                owner::KEY => self.safe_directories(entry, config),
                _ => self.report_unknown_key(entry, &Config::KEYS),
            }
        }
    }

    fn env_priority(&mut self, entry: &Entry) {
        if !matches!(entry.value.text(), Some("project" | "process")) {
            self.reject_value("env_priority", "`project` or `process`", &entry.value);
        }
    }

    fn sandbox_mode(&mut self, entry: &Entry) {
        if entry.value.text().and_then(SandboxMode::parse).is_none() {
            let expected = "`off`, `best-effort` or `required`";
            self.reject_value("sandbox", expected, &entry.value);
        }
    }

    fn hosts(&mut self, entry: &Entry, config: &mut Config) {
        for host in self.map("hosts", entry) {
            if Target::parse(&host.key).is_none() {
                let suggestion = did_you_mean(&host.key, Target::NAMES);
                self.report(&ConfigError::Host(host.key.clone(), suggestion), host.span);
                continue;
            }
            let key = format!("hosts.{}", host.key);
            for setting in self.filter(&key, host) {
                config.set(setting);
            }
            for entry in host.value.entries().into_iter().flatten() {
                match entry.key.as_str() {
                    "budget" => self.budget(entry, &format!("{key}.budget"), config),
                    text if is_mcp_text(&key, text) => self.mcp_text(entry, config),
                    _ => {}
                }
            }
        }
    }

    fn budget(&mut self, entry: &Entry, key: &str, config: &mut Config) {
        let tokens = entry.value.to_json().as_u64();
        if tokens.is_none_or(|tokens| usize::try_from(tokens).is_err()) {
            return self.reject_value("budget", "a whole number of tokens", &entry.value);
        }
        config.set(self.setting(key.to_owned(), entry));
    }

    /// The settings of a filter: each list is a key of its own.
    fn filter(&mut self, key: &str, entry: &Entry) -> Vec<Setting> {
        let mut settings = Vec::new();
        for entry in self.map("filter", entry) {
            match entry.key.as_str() {
                "tools" | "exclude" | "toolsets" => {}
                "budget" if key != "filter" => continue,
                text if is_mcp_text(key, text) => continue,
                _ if key == "filter" => {
                    self.report_unknown_key(entry, &["tools", "exclude", "toolsets"]);
                    continue;
                }
                _ => {
                    self.report_unknown_key(entry, &["tools", "exclude", "toolsets", "budget"]);
                    continue;
                }
            }
            let texts = self.strings(&entry.key, &entry.value);
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
            Data::Text { text, .. } if self.layer.origin.is_variable() => text
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

/// Whether `key` below `host` is a text of our MCP server.
fn is_mcp_text(host: &str, key: &str) -> bool {
    host == "hosts.mcp" && Config::MCP_TEXTS.contains(&key)
}
