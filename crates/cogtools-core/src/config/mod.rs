//! The configuration of a project, layered: the system, the user, the project and the
//! environment, in order of increasing precedence.

mod error;
mod layer;
mod locked;
mod origin;
mod package;
mod reader;
mod server;
mod source;

pub use layer::ConfigPaths;
pub use origin::{Origin, Setting};

use std::path::Path;

use crate::environment::EnvPriority;
use crate::filter::Filter;
use crate::source::{Folder, GlobalModules, Packages, Source};
use crate::text::Text;
use crate::{Budget, Diagnostic, Project, RuleLevel, Target};

/// The configuration of a project.
#[derive(Clone, Debug)]
pub struct Config {
    /// The sources of tools, in order: the first that has a tool wins.
    pub sources: Vec<Source>,
    /// Which value of an environment variable takes precedence.
    pub env_priority: EnvPriority,
    /// Whether only the tools that `cogtools.lock` pins are declared and called.
    pub locked: bool,
    /// The filter for all hosts.
    pub filter: Filter,
    /// The additional filters of single hosts.
    pub hosts: Vec<(Target, Filter)>,
    /// The budgets for declarations: for all hosts, and for single ones.
    pub budgets: Vec<(Option<Target>, Budget)>,
    /// The levels of the linter's rules that differ from their defaults.
    pub rules: Vec<RuleLevel>,
    /// The effective value of every key that is set, in the order of the reference.
    pub settings: Vec<Setting>,
}

/// Why a configuration cannot be used.
#[derive(Debug)]
pub struct ConfigErrors(Vec<Diagnostic>);

/// The default folder of tools.
const DEFAULT_FOLDER: &str = "tools";

impl Config {
    /// The keys of the file.
    pub const KEYS: [&'static str; 7] = [
        "tool_sources",
        "env_priority",
        "locked",
        "filter",
        "budget",
        "hosts",
        "lint",
    ];

    /// Loads the configuration of `project`, with the layers that `paths` names
    /// outside it. Without configured sources, the tools are in `tools`.
    pub fn load(project: &Project, paths: &ConfigPaths) -> Result<Self, ConfigErrors> {
        let mut config = Self::standard(project);
        let (root, display_path) = project.resolve(Path::new(""));
        let packages = Packages::new(root, display_path, paths.packages.clone());
        for layer in layer::layers(project, paths)? {
            reader::read(&layer, &packages, &mut config)?;
        }
        config
            .settings
            .sort_by_key(|setting| Self::KEYS.iter().position(|key| setting.is_below(key)));
        Ok(config)
    }

    /// Checks what `text` would set at `origin`, as the whole document or as the value
    /// at the path `keys`.
    pub fn check(
        project: &Project,
        text: Text,
        keys: &[&str],
        origin: Origin,
    ) -> Result<Vec<Setting>, ConfigErrors> {
        let (root, display_path) = project.resolve(Path::new(""));
        let packages = Packages::new(root, display_path, GlobalModules::default());
        let mut config = Self::standard(project);
        config.settings.clear();
        let layer = layer::from_text(text, keys, origin, project)?;
        reader::read(&layer, &packages, &mut config)?;
        Ok(config.settings)
    }

    /// The built-in configuration.
    fn standard(project: &Project) -> Self {
        let (path, display_path) = project.resolve(Path::new(DEFAULT_FOLDER));
        Self {
            sources: vec![Source::Folder(Folder::new(path, display_path, false))],
            env_priority: EnvPriority::default(),
            locked: false,
            filter: Filter::default(),
            hosts: Vec::new(),
            budgets: Vec::new(),
            rules: Vec::new(),
            settings: vec![
                Setting::built_in("tool_sources", serde_json::json!([{"local": "./tools"}])),
                Setting::built_in("env_priority", "project".into()),
            ],
        }
    }

    /// The folders among the sources.
    pub fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.sources.iter().filter_map(Source::folder)
    }

    /// Whether listing the sources may run programs.
    pub fn runs_programs(&self) -> bool {
        let runs = |source: &Source| matches!(source, Source::Provider(_));
        self.sources.iter().any(runs)
    }

    /// The filter of `host`, if there is one.
    pub fn host(&self, host: Target) -> Option<&Filter> {
        let mut hosts = self.hosts.iter();
        hosts.find(|(name, _)| *name == host).map(|(_, f)| f)
    }

    /// The budget of the declarations for `host`: its own, or the one for all hosts.
    pub fn budget(&self, host: Option<Target>) -> Option<Budget> {
        let of = |host| self.budgets.iter().find(|(name, _)| *name == host);
        of(host).or_else(|| of(None)).map(|(_, budget)| *budget)
    }

    /// Replaces the setting with the same key by `setting`.
    fn set(&mut self, setting: Setting) {
        self.settings.retain(|other| other.key != setting.key);
        self.settings.push(setting);
    }
}

impl Setting {
    fn built_in(key: &str, value: serde_json::Value) -> Self {
        Self {
            key: key.to_owned(),
            value,
            origin: Origin::BuiltIn,
            line: None,
        }
    }

    fn is_below(&self, key: &str) -> bool {
        let rest = self.key.strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl ConfigErrors {
    /// All diagnostics.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        self.0
    }
}

impl From<Diagnostic> for ConfigErrors {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}
