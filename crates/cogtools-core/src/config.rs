//! The configuration of a project: `.cogtoolrc.yaml`.

use std::path::Path;

use crate::source::Folder;
use crate::suggest::did_you_mean;
use crate::text::{Span, Text, TextError};
use crate::yaml::{self, Data, Entry, Node};
use crate::{Code, Fault, Level, Project, RuleLevel};

/// What a project says of its tools.
#[derive(Clone, Debug)]
pub struct Config {
    /// The folders with tools, in order: the first that has a tool wins.
    pub sources: Vec<Folder>,
    /// What the linter's rules weigh here, as far as it differs from the rules' own words.
    pub rules: Vec<RuleLevel>,
}

/// Why a configuration cannot be used.
#[derive(Debug)]
pub struct ConfigError(Vec<Fault>);

/// What can be wrong with a configuration.
#[derive(Debug, thiserror::Error)]
enum ConfigFault {
    #[error("the configuration is a map of keys, not {0}")]
    NotAMap(&'static str),
    #[error("unknown key `{0}`")]
    UnknownKey(String, Option<String>),
    #[error("`tool_sources` takes a list of sources, not {0}")]
    Sources(&'static str),
    #[error("a source is a map such as `local: ./tools`, not {0}")]
    Source(&'static str),
    #[error("`{0}` sources are not read by this version")]
    Unsupported(String),
    #[error("`local` takes the path of a folder, not {0}")]
    Local(&'static str),
    #[error("`{0}` takes a map, not {1}")]
    Lint(&'static str, &'static str),
    #[error("a rule is set to off, warn or error, not {0}")]
    Level(String, Option<String>),
}

/// The folder of tools where nothing else is configured.
const DEFAULT_FOLDER: &str = "tools";
/// Keys of the configuration.
const KEYS: [&str; 2] = ["tool_sources", "lint"];
/// Kinds of sources that have a name but no reader yet.
const UNSUPPORTED: [&str; 3] = ["node_modules", "command", "mcp"];

impl Config {
    /// The keys of the file.
    pub const KEYS: [&'static str; 2] = KEYS;

    /// The configuration of `project`; without a file, the tools are in `tools`.
    pub fn load(project: &Project) -> Result<Self, ConfigError> {
        let (path, shown) = project.resolve(Path::new(Project::CONFIG));
        let text = match Text::read(&path, &shown) {
            Ok(text) => text,
            Err(TextError::Absent(_)) => return Ok(Self::standard(project)),
            Err(error) => return Err(ConfigError(vec![error.fault(Code::InvalidConfig)])),
        };
        let document = yaml::parse(&text)
            .map_err(|error| ConfigError(vec![error.fault(Code::InvalidConfig, &text)]))?;
        let mut reader = Reader {
            text: &text,
            project,
            faults: Vec::new(),
        };
        let config = reader.config(&document);
        if reader.faults.is_empty() {
            Ok(config)
        } else {
            Err(ConfigError(reader.faults))
        }
    }

    fn standard(project: &Project) -> Self {
        let (path, shown) = project.resolve(Path::new(DEFAULT_FOLDER));
        Self {
            sources: vec![Folder::new(path, shown, false)],
            rules: Vec::new(),
        }
    }
}

impl ConfigError {
    /// All that is wrong, ready to be shown.
    pub fn faults(self) -> Vec<Fault> {
        self.0
    }
}

struct Reader<'t> {
    text: &'t Text,
    project: &'t Project,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn refuse(&mut self, fault: &ConfigFault, span: Span) {
        let mut shown =
            Fault::new(Code::InvalidConfig, fault.to_string()).at(self.text.place(span));
        shown.hints.push(fault.hint());
        self.faults.push(shown);
    }

    fn config(&mut self, document: &Node) -> Config {
        let mut config = Config::standard(self.project);
        let entries = match &document.data {
            Data::Map(entries) => entries.as_slice(),
            Data::Null => &[],
            _ => {
                self.refuse(&ConfigFault::NotAMap(document.kind()), document.span);
                &[]
            }
        };
        for entry in entries {
            match entry.key.as_str() {
                "tool_sources" => config.sources = self.sources(entry),
                "lint" => config.rules = self.lint(entry),
                _ => self.unknown(entry, &KEYS),
            }
        }
        config
    }

    fn unknown(&mut self, entry: &Entry, known: &[&str]) {
        let meant = did_you_mean(&entry.key, known.iter().copied());
        self.refuse(
            &ConfigFault::UnknownKey(entry.key.clone(), meant),
            entry.span,
        );
    }

    fn lint(&mut self, entry: &Entry) -> Vec<RuleLevel> {
        let mut levels = Vec::new();
        for entry in self.map("lint", entry) {
            if entry.key == "rules" {
                let rules = self.map("rules", entry).iter();
                levels.extend(rules.filter_map(|rule| self.level(rule)));
            } else {
                self.unknown(entry, &["rules"]);
            }
        }
        levels
    }

    fn map<'n>(&mut self, key: &'static str, entry: &'n Entry) -> &'n [Entry] {
        match &entry.value.data {
            Data::Map(entries) => entries,
            Data::Null => &[],
            _ => {
                let fault = ConfigFault::Lint(key, entry.value.kind());
                self.refuse(&fault, entry.value.span);
                &[]
            }
        }
    }

    fn level(&mut self, entry: &Entry) -> Option<RuleLevel> {
        let word = entry.value.text();
        let Some(level) = word.and_then(Level::parse) else {
            let found = word.map_or(entry.value.kind().to_owned(), |word| format!("`{word}`"));
            let meant = word.and_then(|word| did_you_mean(word, Level::NAMES));
            self.refuse(&ConfigFault::Level(found, meant), entry.value.span);
            return None;
        };
        Some(RuleLevel {
            rule: entry.key.clone(),
            level,
            place: self.text.place(entry.span),
        })
    }

    fn sources(&mut self, entry: &Entry) -> Vec<Folder> {
        let Some(items) = entry.value.items() else {
            self.refuse(&ConfigFault::Sources(entry.value.kind()), entry.value.span);
            return Vec::new();
        };
        items.iter().filter_map(|item| self.source(item)).collect()
    }

    fn source(&mut self, item: &Node) -> Option<Folder> {
        let (word, span, value) = match &item.data {
            Data::Map(entries) if entries.len() == 1 => (
                entries[0].key.as_str(),
                entries[0].span,
                Some(&entries[0].value),
            ),
            Data::Text { text, .. } => (text.as_str(), item.span, None),
            _ => {
                self.refuse(&ConfigFault::Source(item.kind()), item.span);
                return None;
            }
        };
        match (word, value) {
            ("local", Some(value)) => match value.text() {
                Some(path) => {
                    let (path, shown) = self.project.resolve(Path::new(path));
                    return Some(Folder::new(path, shown, true));
                }
                None => self.refuse(&ConfigFault::Local(value.kind()), value.span),
            },
            (word, _) if UNSUPPORTED.contains(&word) => {
                self.refuse(&ConfigFault::Unsupported(word.to_owned()), span);
            }
            (_, None) => self.refuse(&ConfigFault::Source("a string"), span),
            (word, Some(_)) => {
                let meant = did_you_mean(word, ["local"]);
                self.refuse(&ConfigFault::UnknownKey(word.to_owned(), meant), span);
            }
        }
        None
    }
}

impl ConfigFault {
    fn hint(&self) -> String {
        match self {
            Self::UnknownKey(_, meant) => meant
                .clone()
                .unwrap_or_else(|| "see cogtoolrc(5) for the keys there are".into()),
            Self::Level(_, Some(meant)) => meant.clone(),
            Self::Lint(..) | Self::Level(_, None) => {
                "write `lint: {rules: {no-examples: off}}`".into()
            }
            Self::NotAMap(_) | Self::Sources(_) => {
                "write `tool_sources: [{local: ./tools}]`".into()
            }
            Self::Source(_) | Self::Local(_) | Self::Unsupported(_) => {
                "write `- local: ./tools`".into()
            }
        }
    }
}
