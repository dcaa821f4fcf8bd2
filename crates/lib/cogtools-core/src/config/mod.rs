//! The configuration of a project, layered: the system, the user, the project and the
//! environment, in order of increasing precedence. Keys that protect the user are
//! combined instead: the project may add to them, and loosens none. Sources of tools
//! are joined.

mod aliases;
mod ask;
mod ask_reader;
mod dotenv;
mod effective;
mod error;
mod inherit;
mod layer;
mod layers;
mod limits;
mod lint_rule;
mod locked;
mod mcp_server;
mod origin;
mod package;
mod prompt;
mod protection;
mod reader;
mod safe;
mod server;
mod source;
mod standard;

pub use ask::{AskConfig, AskHistory, AskProvider, Threshold};
pub use layer::ConfigPaths;
pub use lint_rule::{LINT_RULES, RETIRED_LINT_RULES};
pub use origin::{Origin, Setting};
pub use prompt::{ConfigFile, PromptConfig};

use std::collections::BTreeMap;
use std::path::Path;

use reader::Base;

use crate::environment::EnvPriority;
use crate::filter::Filter;
use crate::owner::{self, ForeignOwner, Owners};
use crate::process::{Limits, SandboxMode};
use crate::source::{Folder, GlobalModules, Source};
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
    /// What each program may use that a tool or a source runs.
    pub limits: Limits,
    /// Whether programs are confined to their sandboxes.
    pub sandbox: SandboxMode,
    /// How a model is asked.
    pub ask: AskConfig,
    /// What a model reads beside its task.
    pub prompt: PromptConfig,
    /// Other names of capabilities, each with the capability.
    pub capability_aliases: BTreeMap<String, String>,
    /// The levels of the linter's rules that differ from their defaults.
    pub rules: Vec<RuleLevel>,
    /// The effective value of every key that is set, in the order of the reference.
    pub settings: Vec<Setting>,
    /// What of `prompt` the user has set.
    users_prompt: PromptConfig,
    /// What the project sets of the keys that protect.
    additions: Vec<Setting>,
    /// The sources in the user's own file, until they are combined.
    user_sources: Option<inherit::UserSources>,
    /// Whether these add to the project's sources.
    inherit: bool,
}

/// Why a configuration cannot be used.
#[derive(Debug)]
pub struct ConfigErrors(Vec<Diagnostic>);

impl Config {
    /// The keys of the file.
    pub const KEYS: [&'static str; 14] = [
        inherit::SOURCES,
        inherit::KEY,
        "env_priority",
        "locked",
        "filter",
        "budget",
        "hosts",
        "limits",
        "sandbox",
        owner::KEY,
        "ask",
        "prompt",
        "capability_aliases",
        "lint",
    ];

    /// Loads the configuration of `project`, with the layers that `paths` names
    /// outside it. Without configured sources, the tools are in `tools`.
    pub fn load(project: &Project, paths: &ConfigPaths) -> Result<Self, ConfigErrors> {
        Self::load_with(project, paths, &mut Err)
    }

    /// Like [`Self::load`], without the layers of the project that have errors, which
    /// are returned too. Those of the user and the system, which may protect, must be
    /// valid.
    pub fn load_valid_layers(
        project: &Project,
        paths: &ConfigPaths,
    ) -> Result<(Self, Vec<Diagnostic>), ConfigErrors> {
        let mut diagnostics = Vec::new();
        let mut ignored = |errors: ConfigErrors| {
            diagnostics.extend(errors.diagnostics());
            Ok(())
        };
        let config = Self::load_with(project, paths, &mut ignored)?;
        Ok((config, diagnostics))
    }

    fn load_with(
        project: &Project,
        paths: &ConfigPaths,
        ignored: &mut dyn FnMut(ConfigErrors) -> Result<(), ConfigErrors>,
    ) -> Result<Self, ConfigErrors> {
        let unused = |foreign: ForeignOwner| foreign.diagnostic("its tools are not used");
        let owners = &paths.owners;
        owners
            .check(project.root(), project.root())
            .map_err(unused)?;
        let mut config = Self::standard(project);
        let base = Base::new(
            project,
            paths.home.as_deref(),
            paths.packages.clone(),
            owners.clone(),
        );
        for layer in layers::layers(project, paths, ignored)? {
            // A layer that has errors sets nothing at all.
            let mut changed = config.clone();
            match reader::read(&layer, &base, &mut changed) {
                Ok(()) => config = changed,
                Err(errors) if layer.is_user => return Err(errors),
                Err(errors) => ignored(errors)?,
            }
        }
        config.combine();
        let mut foreign = Vec::new();
        for folder in config.folders() {
            if let Err(owner) = owners.check_below(folder.path(), project.root()) {
                // It costs only its own tools, where there has to be a list.
                ignored(unused(owner).into())?;
                foreign.push(folder.path().to_path_buf());
            }
        }
        let is_foreign = |source: &Source| {
            let folder = source.folder();
            folder.is_some_and(|folder| foreign.iter().any(|path| path == folder.path()))
        };
        config.sources.retain(|source| !is_foreign(source));
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
        // Whether the home directory is known does not matter here.
        let base = Base::new(
            project,
            Some(Path::new("~")),
            GlobalModules::default(),
            Owners::default(),
        );
        let mut config = Self::standard(project);
        config.settings.clear();
        // Whether the value is effective depends on other layers.
        config.limits = Limits::UNLIMITED;
        let layer = layer::from_text(text, keys, origin, project)?;
        reader::read(&layer, &base, &mut config)?;
        config.combine();
        Ok(config.settings)
    }

    /// The folders among the sources.
    pub fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.sources.iter().filter_map(Source::folder)
    }

    /// The same without the folders of the user, for what concerns the project's own
    /// tools only, unless there are no others.
    #[must_use]
    pub fn without_user_folders(mut self) -> Self {
        let is_users = |folder: &Folder| folder.is_users();
        if !self.folders().all(is_users) {
            self.sources
                .retain(|source| !source.folder().is_some_and(is_users));
        }
        self
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

    /// Replaces the setting with the same key and of the same authority by `setting`.
    fn set(&mut self, setting: Setting) {
        let settings = self.settings_of_authority(&setting);
        settings.retain(|other| other.key != setting.key);
        settings.push(setting);
    }

    /// Like [`Self::set`], with the items of an earlier list of the same authority.
    fn extend(&mut self, setting: Setting) {
        let mut settings = self.settings_of_authority(&setting).iter();
        let earlier = settings.find(|other| other.key == setting.key).cloned();
        self.set(match earlier {
            Some(earlier) => protection::unite(earlier, setting),
            None => setting,
        });
    }

    fn settings_of_authority(&mut self, setting: &Setting) -> &mut Vec<Setting> {
        if !setting.own && protection::is_protecting(&setting.key) {
            &mut self.additions
        } else {
            &mut self.settings
        }
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
