//! The configuration of a project, layered: the system, the user, the project and the
//! environment, in order of increasing precedence. Keys that protect the user are
//! combined instead: the project may add to them, and loosens none. Sources of tools
//! are joined: the user's come first, because a host allows tools by name, so a repository must
//! not be able to put another tool behind the name of one that the user has written.

mod layer;
pub mod options;
mod reader;
mod schema;
mod setting;
mod source;

pub use layer::{ConfigPaths, Origin};
pub use schema::{Key, documented, shortened};
pub use setting::Setting;

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;

use layer::{Base, Layer};
use options::{ConfigFile, Options, PromptConfig};
use reader::Reading;
use setting::Settings;

use crate::filter::{Filter, Pattern};
use crate::owner::{ForeignOwner, Owners};
use crate::process::{Bounds, Limits, SandboxMode};
use crate::source::{Folder, GlobalModules, Provider, Source};
use crate::text::{Span, Text};
use crate::tool::AgentBudget;
use crate::yaml::Node;
use crate::{Budget, Code, Diagnostic, Level, Project, RuleLevel, Target, fail_on};

/// The default folder of tools.
const DEFAULT_FOLDER: &str = "tools";

/// The configuration of a project.
#[derive(Clone, Debug)]
pub struct Config {
    /// The sources of tools, in order: the first that has a tool wins.
    pub sources: Vec<Source>,
    /// The filter for all hosts.
    pub filter: Filter,
    /// The additional filters of single hosts.
    pub hosts: Vec<(Target, Filter)>,
    /// The budgets for declarations: for all hosts, and for single ones.
    pub budgets: Vec<(Option<Target>, Budget)>,
    /// The limits of each program that a tool or a source runs.
    pub limits: Limits,
    /// The levels of the linter's rules that differ from their defaults.
    pub rules: Vec<RuleLevel>,
    /// The effective value of every key that is set, in the order of the reference.
    pub settings: Vec<Setting>,
    /// The effective values of the keys that are not combined into one of the above. They are
    /// read like fields of the configuration.
    pub options: Options,
    /// Mistakes in entries of MCP servers, which cost no more than the entry.
    pub warnings: Vec<Diagnostic>,
    /// The values of `prompt` and `ask.aliases` that the user has set.
    users: Options,
}

/// The settings and sources of the layers that were read so far.
#[derive(Clone, Debug, Default)]
struct Layers {
    settings: Settings,
    sources: Vec<Source>,
    /// The sources in the file of the user, or else of the system.
    user_sources: Option<(Vec<Source>, Setting)>,
    /// The MCP servers of the user, and of the project.
    servers: [Vec<Source>; 2],
    warnings: Vec<Diagnostic>,
    /// The keys in the order of the reference.
    order: &'static [&'static str],
}

/// The content of one layer.
struct Content {
    settings: Vec<Setting>,
    sources: Option<Vec<Source>>,
    servers: Option<Vec<Source>>,
    warnings: Vec<Diagnostic>,
    order: &'static [&'static str],
}

impl Config {
    /// Loads the configuration of `project`, with the layers that `paths` names
    /// outside it. Without configured sources, the tools are in `tools`.
    ///
    /// # Errors
    ///
    /// Returns every mistake in a layer, and folders of another owner.
    pub fn load(project: &Project, paths: &ConfigPaths) -> Result<Self, Vec<Diagnostic>> {
        let (config, errors) = Self::load_valid_layers(project, paths)?;
        fail_on(errors)?;
        Ok(config)
    }

    /// Loads like [`Self::load`], but without the layers of the project that have errors, which
    /// are returned too.
    ///
    /// # Errors
    ///
    /// The layers of the user and the system, which may protect, must be valid. Returns the errors
    /// of all layers.
    pub fn load_valid_layers(
        project: &Project,
        paths: &ConfigPaths,
    ) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let unused = |foreign: ForeignOwner| foreign.diagnostic("its tools are not used");
        let owners = &paths.owners;
        owners
            .check(project.root(), project.root())
            .map_err(|foreign| vec![unused(foreign)])?;
        let home = paths.home.as_deref();
        let base = Base::new(project, home, paths.packages.clone(), owners.clone());
        let mut layers = Layers::standard(project);
        let (mut errors, mut is_fatal) = (Vec::new(), false);
        let mut report = |found: Vec<Diagnostic>, is_user: bool| {
            errors.extend(found);
            is_fatal |= is_user;
        };
        for layer in layer::layers(project, paths, &mut report) {
            if let Err(found) = layers.read(&layer, &base) {
                report(found, layer.place.is_user);
            }
        }
        if is_fatal {
            return Err(errors);
        }
        let mut config = layers.into_config(&base);
        let mut foreign = Vec::new();
        for folder in config.folders() {
            if let Err(owner) = owners.check_below(folder.path(), project.root()) {
                // It costs only its own tools, where there has to be a list.
                errors.push(unused(owner));
                foreign.push(folder.path().to_path_buf());
            }
        }
        config.sources.retain(|source| {
            let folder = source.folder();
            !folder.is_some_and(|folder| foreign.iter().any(|path| path == folder.path()))
        });
        Ok((config, errors))
    }

    /// Checks the settings that `text` would make at `origin`, as the whole document or as the
    /// value at the path `keys`.
    ///
    /// # Errors
    ///
    /// Returns every mistake.
    pub fn check(
        project: &Project,
        text: Text,
        keys: &[&str],
        origin: Origin,
    ) -> Result<Vec<Setting>, Vec<Diagnostic>> {
        Ok(read_text(project, text, keys, origin)?.strict()?.settings)
    }

    /// Checks `text` as a document at `origin`, where mistakes in entries of MCP servers cost no
    /// more than the entry.
    ///
    /// # Errors
    ///
    /// Returns every mistake, if there are others.
    pub fn accept(project: &Project, text: Text, origin: Origin) -> Result<(), Vec<Diagnostic>> {
        read_text(project, text, &[], origin).map(drop)
    }

    /// Makes the MCP server `name` of `project` whose entry at `origin` would be `entry`; `None` if
    /// it is disabled.
    ///
    /// # Errors
    ///
    /// Returns every mistake.
    pub fn server(
        project: &Project,
        name: &str,
        entry: &Value,
        origin: Origin,
    ) -> Result<Option<Provider>, Vec<Diagnostic>> {
        let text = Text::new(format!("`{name}`"), entry.to_string().into_bytes());
        let text = text.map_err(|error| vec![error.diagnostic(Code::InvalidConfig)])?;
        let content = read_text(project, text, &[setting::SERVERS, name], origin)?.strict()?;
        let servers = content.servers.unwrap_or_default();
        Ok(servers.iter().find_map(Source::provider).cloned())
    }

    /// All keys and groups of keys, in the order of the reference.
    pub fn keys() -> Vec<Key> {
        schema::keys()
    }

    /// The JSON Schema of a configuration file, draft 7.
    pub fn schema() -> Value {
        shortened(documented::<Options>()).to_value()
    }

    /// The folders among the sources.
    pub fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.sources.iter().filter_map(Source::folder)
    }

    /// Returns true if there are sources whose tools have no files: specifications and servers.
    pub fn has_tools_without_files(&self) -> bool {
        use Source::{OpenApi, Plugin, Provider};
        let mut sources = self.sources.iter();
        sources.any(|it| matches!(it, OpenApi(_) | Plugin(_) | Provider(_)))
    }

    /// Removes the folders of the user, for what concerns the project's own tools only, unless
    /// there are no others.
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
        hosts.find(|(name, _)| *name == host.host()).map(|(_, f)| f)
    }

    /// The budget of the declarations for `host`: its own, or the one for all hosts.
    pub fn budget(&self, host: Option<Target>) -> Option<Budget> {
        let of = |host| self.budgets.iter().find(|(name, _)| *name == host);
        of(host.map(Target::host))
            .or_else(|| of(None))
            .map(|(_, budget)| *budget)
    }

    /// The bounds of every program.
    pub const fn bounds(&self) -> Bounds {
        Bounds {
            limits: self.limits,
            sandbox: self.options.sandbox,
        }
    }

    /// The folders of tools among its sources.
    pub fn tool_folders(&self) -> Vec<PathBuf> {
        let paths = self.folders().map(|folder| folder.path().to_path_buf());
        paths.collect()
    }

    /// Returns true if listing the sources may run programs, or depends on the variables that are set.
    pub fn needs_context(&self) -> bool {
        let needs = |source: &Source| matches!(source, Source::Provider(_) | Source::OpenApi(_));
        self.sources.iter().any(needs)
    }

    /// The text `title` or `instructions` of the MCP server; true if the user has written it, and
    /// not the project.
    pub fn mcp_text(&self, key: &str) -> Option<(&str, bool)> {
        let key = format!("hosts.mcp.{key}");
        let mut settings = self.settings.iter();
        let setting = settings.find(|setting| setting.key == key)?;
        let is_users = setting.origins().all(|(origin, _)| origin.is_user());
        Some((setting.value.as_str()?, is_users))
    }

    /// Returns true if clients of the MCP server show tools in `menu`, too.
    pub fn mcp_shows(&self, menu: &str) -> bool {
        let mut settings = self.settings.iter();
        let setting = settings.find(|setting| setting.key == "hosts.mcp.menus");
        let menus = setting.and_then(|setting| setting.value.as_array());
        menus.is_some_and(|menus| menus.iter().any(|one| one == menu))
    }

    /// The part of `prompt` that counts in a project that the user does not trust: only what the
    /// user has set, without files of the project.
    pub fn users_prompt(&self) -> PromptConfig {
        let mut prompt = self.users.prompt.clone();
        let is_users = |file: &ConfigFile| file.is_users;
        prompt.static_template = prompt.static_template.filter(is_users);
        prompt.dynamic_template = prompt.dynamic_template.filter(is_users);
        let mut instructions = prompt.instructions.unwrap_or_default();
        instructions.retain(is_users);
        prompt.instructions = Some(instructions);
        prompt.files.retain(is_users);
        prompt.artifacts.retain(is_users);
        prompt
    }
}

impl Deref for Config {
    type Target = Options;

    fn deref(&self) -> &Options {
        &self.options
    }
}

impl DerefMut for Config {
    fn deref_mut(&mut self) -> &mut Options {
        &mut self.options
    }
}

/// Reads a layer of `text` at `origin`, the whole document or the value at the path `keys`.
fn read_text(
    project: &Project,
    text: Text,
    keys: &[&str],
    origin: Origin,
) -> Result<Content, Vec<Diagnostic>> {
    // A home directory that is not known does not matter here.
    let home = Some(Path::new("~"));
    let base = Base::new(project, home, GlobalModules::default(), Owners::default());
    read(&Layer::from_text(text, keys, origin, project)?, &base)
}

/// Reads the settings and the sources of a layer.
fn read(layer: &Layer, base: &Base<'_>) -> Result<Content, Vec<Diagnostic>> {
    let reading = Reading::new(layer, base);
    let options: Options = reading.read();
    let sources = options.tool_sources;
    let sources = sources.map(|all| source::sources(all.0, &reading, layer, base));
    let listed = sources.as_deref().unwrap_or_default();
    let servers = options.mcp_servers;
    let servers = servers.map(|all| source::servers(all, listed, &reading, layer));
    let mut settings = Vec::new();
    for (key, entry) in setting::leaves(&layer.document) {
        if !setting::may_set(&key, layer) {
            let message = format!("only the user's own configuration may set `{key}`");
            reading.report(message, "move it to ~/.gemini/cogtoolrc.yaml", entry.span);
        }
        settings.push(Setting::new(key, entry, layer));
    }
    let order = reading.keys.get();
    match reading.into_mistakes() {
        [mistakes, warnings] if mistakes.is_empty() => Ok(Content {
            settings,
            sources,
            servers,
            warnings,
            order,
        }),
        mistakes => Err(mistakes.concat()),
    }
}

impl Content {
    /// Returns it, unless an entry of an MCP server has a mistake.
    fn strict(self) -> Result<Self, Vec<Diagnostic>> {
        if self.warnings.is_empty() {
            Ok(self)
        } else {
            Err(self.warnings)
        }
    }
}

impl Layers {
    /// The built-in configuration.
    fn standard(project: &Project) -> Self {
        let (path, display_path) = project.resolve(Path::new(DEFAULT_FOLDER));
        let folder = Folder::new(path, display_path, false, project.read_scope());
        let sandbox = SandboxMode::default().name();
        Self {
            settings: Settings {
                all: vec![
                    Setting::built_in("tool_sources", serde_json::json!([{"local": "./tools"}])),
                    Setting::built_in("env_priority", "project".into()),
                    Setting::built_in("sandbox", sandbox.into()),
                ],
                ..Settings::default()
            },
            sources: vec![Source::Folder(folder)],
            ..Self::default()
        }
    }

    /// Reads a further layer. One that has errors sets nothing at all.
    fn read(&mut self, layer: &Layer, base: &Base<'_>) -> Result<(), Vec<Diagnostic>> {
        let mut content = read(layer, base)?;
        self.order = content.order;
        self.warnings.append(&mut content.warnings);
        if let Some(servers) = content.servers {
            self.servers[usize::from(!layer.place.is_user)] = servers;
        }
        for setting in content.settings {
            if setting.key != "tool_sources" {
                self.settings.add(setting);
            } else if let Some(sources) = content.sources.take() {
                if layer.origin.is_own_file() {
                    self.user_sources = Some((sources, setting));
                    continue;
                }
                // A variable of the user replaces all others for one run.
                if layer.place.is_user {
                    self.user_sources = None;
                    self.servers = Default::default();
                }
                self.sources = sources;
                self.settings.add(setting);
            }
        }
        Ok(())
    }

    /// Combines the layers, and derives the effective values.
    fn into_config(mut self, base: &Base<'_>) -> Config {
        self.inherit_sources();
        let mut settings = self.settings;
        settings.combine();
        let position = |setting: &Setting| self.order.iter().position(|key| setting.is_below(key));
        settings.all.sort_by_key(position);
        let mut options = setting::options(&settings.all, base);
        let standard = AgentBudget::STANDARD;
        let budget = &mut options.ask.budget;
        for (key, limit, standard) in [
            ("ask.budget.turns", &mut budget.turns, standard.turns),
            ("ask.budget.calls", &mut budget.calls, standard.calls),
        ] {
            // Only the user can raise a default.
            if !settings.get(key).is_some_and(Setting::is_users) {
                *limit = (*limit).or(standard).min(standard);
            }
        }
        let filter = settings.filter("filter");
        let (mut hosts, mut budgets) = (Vec::new(), Vec::new());
        let mut add_budget = |host: Option<Target>, key: &str| {
            let tokens = settings.get(key).and_then(|setting| setting.value.as_u64());
            let tokens = tokens.and_then(|tokens| usize::try_from(tokens).ok());
            budgets.extend(tokens.map(|tokens| (host, Budget::new(tokens))));
        };
        for name in Target::NAMES {
            let filter = settings.filter(&format!("hosts.{name}"));
            let target = Target::parse(name);
            let filter = target.zip((!filter.is_empty()).then_some(filter));
            hosts.extend(filter);
            add_budget(target, &format!("hosts.{name}.budget"));
        }
        add_budget(None, "budget");
        let (set, default) = (&options.limits, Limits::DEFAULT);
        let limits = Limits {
            memory: set.memory.unwrap_or(default.memory),
            processes: set.processes.unwrap_or(default.processes),
            cpu: set.cpu.unwrap_or(default.cpu),
            files: set.files.unwrap_or(default.files),
            file_size: set.file_size.unwrap_or(default.file_size),
        };
        let rules = settings.all.iter().filter_map(|setting| {
            Some(RuleLevel {
                rule: setting.key.strip_prefix("lint.rules.")?.to_owned(),
                level: setting.value.as_str().and_then(Level::parse)?,
                location: setting.location.clone()?,
            })
        });
        Config {
            sources: self.sources,
            filter,
            hosts,
            budgets,
            limits,
            rules: rules.collect(),
            users: setting::options(&settings.users, base),
            settings: settings.all,
            options,
            warnings: self.warnings,
        }
    }

    /// Combines the user's sources with the project's.
    fn inherit_sources(&mut self) {
        let inherit = self.settings.get("inherit");
        let inherit = inherit.is_none_or(|setting| setting.value == true);
        let [mut servers, mut project_servers] = std::mem::take(&mut self.servers);
        let mut project = std::mem::take(&mut self.sources);
        let all = &mut self.settings.all;
        let at = all.iter().position(|one| one.key == "tool_sources");
        let is_built_in = at.is_none_or(|at| all[at].is_built_in());
        let mut user = Vec::new();
        if let Some((sources, setting)) = self.user_sources.take() {
            let listed = at.map(|at| all.remove(at));
            all.push(match listed {
                Some(listed) if inherit => setting::join(setting, listed),
                Some(listed) if !is_built_in => listed,
                _ => setting,
            });
            if !inherit && is_built_in {
                project.clear();
            }
            user = sources;
        }
        user.append(&mut servers);
        if !inherit && !is_built_in {
            user.clear();
        }
        project.append(&mut project_servers);
        self.sources = join(user, project);
    }
}

impl Settings {
    /// The effective filter below `key`.
    fn filter(&self, key: &str) -> Filter {
        let lists = |list: &str| -> Vec<Vec<Pattern>> {
            let key = format!("{key}.{list}");
            let mut additions = self.additions.iter();
            let addition = additions.find(|setting| setting.key == key);
            let is_specific = |text: &&str| {
                addition.is_some_and(|addition| setting::texts(&addition.value).contains(text))
            };
            let pattern = |text: &str| match Some(text).filter(is_specific) {
                Some(text) => Pattern::new(text),
                None => Pattern::general(text),
            };
            let setting = self.get(&key);
            let lists = setting.map(|setting| setting::lists(&setting.value));
            let patterns = |list: Vec<&str>| list.into_iter().map(pattern).collect();
            let lists = lists.unwrap_or_default().into_iter();
            lists.map(patterns).collect()
        };
        Filter {
            tools: lists("tools"),
            exclude: lists("exclude").into_iter().flatten().collect(),
            toolsets: lists("toolsets"),
        }
    }
}

/// Joins the sources of the user and of the project, in this order. Sources that the user names and the
/// project contains come last, because the project's author decides what is in them.
fn join(user: Vec<Source>, project: Vec<Source>) -> Vec<Source> {
    let (mut all, contained): (Vec<_>, Vec<_>) = user.into_iter().partition(Source::is_users);
    for source in project.into_iter().chain(contained) {
        if !all.iter().any(|other| other.is_same(&source)) {
            all.push(source);
        }
    }
    all
}

/// A mistake of a value.
#[derive(Debug, thiserror::Error)]
#[error("{self:?}")]
enum Mistake {
    /// The value should be this.
    Expected(String),
    /// A key is missing.
    Missing(&'static str),
    /// Another mistake, with its hint, or else the example of the key.
    Other(String, Option<String>),
    /// A mistake that is reported already.
    Reported,
}

impl Mistake {
    /// Makes the mistake of a source that is a `kind` of value, and no map.
    fn no_source(kind: &str) -> Self {
        let message = format!("a source must be a map such as `local: ./tools`, not {kind}");
        Self::Other(message, Some("write `- local: ./tools`".into()))
    }
}

/// A mistake that was found, with its place.
struct Found(Extent, Span, Diagnostic);

/// The loss that a mistake is in an entry of an MCP server; elsewhere it is the whole layer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Key,
    Entry,
    Layer,
}

/// Splits the mistakes in a layer, in the order of the document, into mistakes of the layer, and,
/// if it `is_read`, mistakes that cost an entry of an MCP server, or a key of it.
fn split(mut mistakes: Vec<Found>, is_read: bool, layer: &Layer) -> [Vec<Diagnostic>; 2] {
    mistakes.sort_by_key(|it| it.1.start);
    let servers = layer.document.get(setting::SERVERS).and_then(Node::entries);
    let servers = servers.filter(|_| is_read).unwrap_or_default();
    let mut all = [Vec::new(), Vec::new()];
    for Found(extent, span, mut mistake) in mistakes {
        let server = servers.iter().find(|entry| entry.contains(span));
        let server = server.filter(|_| extent != Extent::Layer);
        let name = server.map(|entry| format!("`{}`", entry.key));
        if let Some(name) = name.filter(|name| !mistake.message.contains(name)) {
            mistake.message = format!("the server {name}: {}", mistake.message);
        }
        all[usize::from(server.is_some())].push(mistake);
    }
    all
}
