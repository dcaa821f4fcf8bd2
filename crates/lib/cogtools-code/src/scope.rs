//! The tools that a program can call.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use cogtools_agent::Permissions;
use cogtools_core::suggest::{nearest, suggestion};
use cogtools_core::tool::{AgentTask, CodeTask, FlowTask};
use cogtools_core::{
    AskConfig, Cancel, Code, Context, Diagnostic, FindError, Limit, Registry, Tool, rank_tools,
};
use cogtools_log::Id;
use serde_json::Value;

use crate::{CodeTools, types};

/// Answers calls in place of tools, by name, arguments as sent and with defaults: the result, or why
/// the call fails. None if the tool runs.
pub type Stub = Arc<dyn Fn(&str, &Value, &Value) -> Option<Result<Value, String>> + Send + Sync>;

/// Runs a call of an agent within a limit, below the line of the call in the session, and returns its
/// answer.
pub type RunAgent = dyn Fn(&AgentTask, Context, &Limit, Option<Id>) -> Result<String, Box<Diagnostic>>
    + Send
    + Sync;

/// The tools that a program can call, and the rules for its calls.
pub struct Scope {
    /// The source of tools that are not loaded; none if all are.
    registry: Option<Registry>,
    pub(crate) cx: Context,
    pub(crate) permissions: Permissions,
    pub(crate) stub: Option<Stub>,
    /// The working directory of tools, if it is not the root.
    pub(crate) folder: Option<PathBuf>,
    names: Vec<String>,
    aliases: BTreeMap<String, String>,
    /// Runs the tools that are agents. Without it, each runs in a process of its own.
    pub agents: Option<Arc<RunAgent>>,
    /// Tools that were loaded, by name.
    loaded: Mutex<HashMap<String, Arc<Tool>>>,
}

impl Scope {
    /// The tools `names` of `registry`, which run in `cx`, with rules for their calls. No file is
    /// opened.
    pub fn new(
        registry: Registry,
        cx: Context,
        names: Vec<String>,
        permissions: Permissions,
    ) -> Self {
        Self::of(Some(registry), cx, names, permissions)
    }

    fn of(
        registry: Option<Registry>,
        cx: Context,
        mut names: Vec<String>,
        permissions: Permissions,
    ) -> Self {
        names.retain(|name| !CodeTools::NAMES.contains(&name.as_str()));
        Self {
            aliases: aliases(&names),
            names,
            registry,
            cx,
            permissions,
            stub: None,
            folder: None,
            agents: None,
            loaded: Mutex::default(),
        }
    }

    /// The tools of `registry` with the rules of a configuration, and of a command line: the tools that it
    /// allows, and the tools that it denies.
    pub fn with_rules(
        registry: Registry,
        cx: Context,
        config: &AskConfig,
        (allow, deny): (&[String], &[String]),
    ) -> Self {
        let names = Self::all_names(&registry);
        let permissions = Permissions::new(config, allow, deny, names.iter().map(String::as_str));
        Self::new(registry, cx, names, permissions)
    }

    /// The names of all tools of `registry`.
    pub fn all_names(registry: &Registry) -> Vec<String> {
        let files = registry.files().items.into_iter();
        let names = files.filter_map(|file| file.name.into_string().ok());
        names.collect()
    }

    /// The tools of `registry` that the code of `task` declares, with the rules of a configuration.
    pub fn of_task(registry: Registry, cx: Context, config: &AskConfig, task: &CodeTask) -> Self {
        let mut names = registry.select(&task.tools);
        names.retain(|name| *name != task.tool);
        let permissions = Permissions::new(config, &[], &[], names.iter().map(String::as_str));
        let mut scope = Self::new(registry, cx, names, permissions);
        scope.cx.call.presets = Arc::new(task.presets.clone());
        scope
    }

    /// These `tools` alone. Those that `stub` answers do not run, the others run in `folder`.
    pub fn of_tools(
        tools: impl IntoIterator<Item = Arc<Tool>>,
        cx: Context,
        permissions: Permissions,
        stub: Stub,
        folder: Option<PathBuf>,
    ) -> Self {
        let loaded = tools
            .into_iter()
            .map(|tool| (tool.name().to_string(), tool));
        let loaded: BTreeMap<String, Arc<Tool>> = loaded.collect();
        Self {
            stub: Some(stub),
            folder,
            loaded: Mutex::new(loaded.clone().into_iter().collect()),
            ..Self::of(None, cx, loaded.into_keys().collect(), permissions)
        }
    }

    /// Cancels running calls, and the program.
    pub const fn cancel(&self) -> &Cancel {
        &self.cx.cancel
    }

    /// The names of all tools.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Names that are identifiers, each with the tool whose name is none.
    pub const fn aliases(&self) -> &BTreeMap<String, String> {
        &self.aliases
    }

    /// The tool of that name or alias.
    ///
    /// # Errors
    /// There is none in scope, or it is invalid.
    pub fn find(&self, name: &str) -> Result<Arc<Tool>, Vec<Diagnostic>> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        if !self.names.iter().any(|known| known == name) {
            return Err(vec![self.not_found(name)]);
        }
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tool) = loaded.get(name) {
            return Ok(Arc::clone(tool));
        }
        let Some(registry) = &self.registry else {
            return Err(vec![self.not_found(name)]);
        };
        let tool = Arc::new(registry.find(name).map_err(FindError::diagnostics)?);
        loaded.insert(name.to_owned(), Arc::clone(&tool));
        Ok(tool)
    }

    fn not_found(&self, name: &str) -> Diagnostic {
        let message = "there is no tool of that name";
        let diagnostic = Diagnostic::new(Code::ToolNotFound, message).with_subject(name);
        match suggestion(&self.nearest(name)) {
            Some(suggestion) => diagnostic.hint(suggestion),
            None => diagnostic.hint("search_tools(query) finds tools"),
        }
    }

    /// The names and aliases that are most similar to `name`, best first. Without one it is the name
    /// that begins alike: a model gets no other chance.
    pub fn nearest(&self, name: &str) -> Vec<&str> {
        let known = || self.names.iter().chain(self.aliases.keys());
        let similar = nearest(name, known().map(String::as_str));
        if !similar.is_empty() {
            return similar;
        }
        let common = known().max_by_key(|other| common_prefix(name, other));
        let common = common.filter(|other| common_prefix(name, other) > 1);
        common.map(String::as_str).into_iter().collect()
    }

    /// The digest of the file of a tool, for approvals.
    pub(crate) fn digest(&self, name: &str) -> Option<String> {
        let tool = self.find(name).ok()?;
        Some(FlowTask::digest(&tool))
    }

    /// The names and descriptions of the first `limit` tools that match `query`, and the number of
    /// all that match.
    pub fn search(&self, query: &str, limit: usize) -> (Vec<(String, String)>, usize) {
        let is_known = |tool: &Tool| self.names.iter().any(|name| name == tool.name().as_str());
        let tools: Vec<Arc<Tool>> = if let Some(registry) = &self.registry {
            let all = registry.map(Result::ok).items.into_iter().flatten();
            all.filter(is_known).map(Arc::new).collect()
        } else {
            let tools = self.names.iter().map(|name| self.find(name));
            tools.filter_map(Result::ok).collect()
        };
        let ranked = rank_tools(query, &tools);
        let found = ranked.iter().filter_map(|index| tools.get(*index));
        let found = found.take(limit).map(|tool| {
            let description = tool.description().to_owned();
            (tool.name().as_str().to_owned(), description)
        });
        (found.collect(), ranked.len())
    }

    /// Declares these tools as TypeScript, and returns the `names` that no tool has.
    pub fn describe<'n>(&self, names: &'n [String]) -> (String, Vec<&'n str>) {
        let (mut tools, mut missing) = (Vec::new(), Vec::new());
        for name in names {
            match self.find(name) {
                Ok(tool) => tools.push(tool),
                Err(_) => missing.push(name.as_str()),
            }
        }
        (types::declarations(&tools, &self.aliases), missing)
    }
}

/// The number of bytes with which both begin.
fn common_prefix(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    pairs.take_while(|(one, other)| one == other).count()
}

/// Identifiers for the names that are none, by `_` for each other character, unless a tool has the
/// name or two share it.
fn aliases(names: &[String]) -> BTreeMap<String, String> {
    let mut aliases: BTreeMap<String, Option<String>> = BTreeMap::new();
    for name in names.iter().filter(|name| !types::is_identifier(name)) {
        let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut alias: String = name
            .chars()
            .map(|c| if is_fit(c) { c } else { '_' })
            .collect();
        if alias.starts_with(|c: char| c.is_ascii_digit()) {
            alias.insert(0, '_');
        }
        if !names.contains(&alias) {
            let entry = aliases.entry(alias);
            entry
                .and_modify(|it| *it = None)
                .or_insert_with(|| Some(name.clone()));
        }
    }
    let aliases = aliases.into_iter();
    aliases
        .filter_map(|(alias, name)| Some((alias, name?)))
        .collect()
}
