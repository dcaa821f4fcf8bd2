//! The tools that a program can call.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::slice;
use std::sync::Arc;

use cogtools_agent::{Permissions, share_money};
use cogtools_core::environment::Environment;
use cogtools_core::javascript::ScriptErrorKind;
use cogtools_core::process::TempFolder;
use cogtools_core::suggest::{nearest, suggestion};
use cogtools_core::tool::{AgentTask, CodeTask, FlowTask};
use cogtools_core::{
    AskConfig, Cancel, Code, Context, Diagnostic, FindError, Limit, Registry, Tool, ToolIndex,
    estimate_tokens,
};
use cogtools_log::Id;
use parking_lot::Mutex;
use serde_json::Value;

use crate::types;
use crate::worker::Worker;

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
    /// The names of all tools.
    pub names: Vec<String>,
    /// Names that are identifiers, each with the tool whose name is none.
    pub(crate) aliases: BTreeMap<String, String>,
    /// Runs the tools that are agents. Without it, each runs in a process of its own.
    pub agents: Option<Arc<RunAgent>>,
    /// Tools that were loaded, by name.
    loaded: Mutex<HashMap<String, Arc<Tool>>>,
    /// The process for the next program, if it is starting.
    worker: Mutex<Option<Worker>>,
    /// The environment of calls that ask models, and the folder where these share a budget.
    asking: Mutex<Option<(Environment, Option<TempFolder>)>>,
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
        mut cx: Context,
        names: Vec<String>,
        permissions: Permissions,
    ) -> Self {
        // They hold for code within its calls, and for flows, too.
        cx.call.rules = Some(Arc::new(permissions.rules()));
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
            worker: Mutex::default(),
            asking: Mutex::default(),
        }
    }

    /// The environment of a call of the tool `name`: agents in processes of their own share what a run may
    /// spend.
    pub(crate) fn environment(&self, name: &str) -> Result<Environment, Box<Diagnostic>> {
        // Others start nothing that could ask a model.
        let starts = self.find(name).is_ok_and(|tool| tool.starts_process());
        if self.agents.is_some() || !starts {
            return Ok(self.cx.environment.clone());
        }
        let mut asking = self.asking.lock();
        if let Some((environment, _)) = asking.as_ref() {
            return Ok(environment.clone());
        }
        let mut environment = self.cx.environment.clone();
        let folder = share_money(&mut environment)?;
        *asking = Some((environment.clone(), folder));
        Ok(environment)
    }

    /// Starts the process for a program that will soon run, so that it is ready when the program has
    /// been checked. If that is not possible, the run tells why.
    pub fn start_worker(&self) {
        let mut worker = self.worker.lock();
        if worker.is_none() {
            *worker = Worker::start(self.cx.programs.as_deref()).ok();
        }
    }

    /// Takes the process that is starting, or starts one.
    pub(crate) fn take_worker(&self) -> Result<Worker, ScriptErrorKind> {
        let mut worker = self.worker.lock();
        let started = worker.take();
        drop(worker);
        started.map_or_else(|| Worker::start(self.cx.programs.as_deref()), Ok)
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
        let known = names.iter().map(String::as_str);
        let permissions = Permissions::new(config, &[], &task.deny, known);
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
        let tools = tools.into_iter();
        let loaded = tools.map(|tool| (tool.name().to_string(), tool));
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

    /// The tool of that name or alias.
    ///
    /// # Errors
    /// There is none in scope, or it is invalid.
    pub fn find(&self, name: &str) -> Result<Arc<Tool>, Vec<Diagnostic>> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        if !self.names.iter().any(|known| known == name) {
            return Err(vec![self.not_found(name)]);
        }
        let mut loaded = self.loaded.lock();
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
        let suggestion = suggestion(&self.nearest(name));
        diagnostic.hint(suggestion.unwrap_or_else(|| "search_tools(query) finds tools".to_owned()))
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

    /// The tools that match `query`, best first.
    pub fn find_all(&self, query: &str) -> Vec<Arc<Tool>> {
        let tools = self.tools();
        let ranked = ToolIndex::new(&tools).rank(query).into_iter();
        ranked.map(|index| Arc::clone(&tools[index])).collect()
    }

    /// The tools that match `task`: the best for all of it, then those for its clauses, since a task
    /// may need several tools that have nothing in common.
    pub(crate) fn find_for(&self, task: &str) -> Vec<Arc<Tool>> {
        let tools = self.tools();
        let clauses = clauses(task).into_iter().take(MAX_CLAUSES);
        let queries = std::iter::once(task.to_owned()).chain(clauses);
        let index = ToolIndex::new(&tools);
        let ranked: Vec<Vec<usize>> = queries.map(|query| index.rank(&query)).collect();
        let most = ranked.iter().map(Vec::len).max().unwrap_or_default();
        let places = (0..most).flat_map(|place| ranked.iter().filter_map(move |it| it.get(place)));
        let mut seen = BTreeSet::new();
        let new = places.filter(|index| seen.insert(**index));
        new.map(|index| Arc::clone(&tools[*index])).collect()
    }

    /// All tools that can be read.
    fn tools(&self) -> Vec<Arc<Tool>> {
        let is_known = |tool: &Tool| self.names.iter().any(|name| name == tool.name().as_str());
        if let Some(registry) = &self.registry {
            let all = registry.map(Result::ok).items.into_iter().flatten();
            all.filter(is_known).map(Arc::new).collect()
        } else {
            let tools = self.names.iter().map(|name| self.find(name));
            tools.filter_map(Result::ok).collect()
        }
    }

    /// Declares the first of `tools` as TypeScript, as far as their types have at most `budget`
    /// tokens; also returns the others.
    pub fn describe_best<'t>(
        &self,
        tools: &'t [Arc<Tool>],
        budget: usize,
    ) -> (String, Vec<&'t Arc<Tool>>) {
        let (mut best, mut others, mut spent) = (Vec::new(), Vec::new(), 0);
        for tool in tools {
            let types = types::declarations(slice::from_ref(tool), &self.aliases);
            let cost = estimate_tokens(&types);
            if spent + cost <= budget {
                spent += cost;
                best.push(Arc::clone(tool));
            } else {
                others.push(tool);
            }
        }
        let types = match best.as_slice() {
            [] => String::new(),
            best => types::declarations(best, &self.aliases),
        };
        (types, others)
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

/// Number of clauses of a task that are searched for.
const MAX_CLAUSES: usize = 8;

/// The clauses of `text`: each ends before `and` or `then`, or behind a mark.
fn clauses(text: &str) -> Vec<String> {
    let mut clauses = vec![String::new()];
    for word in text.split_whitespace() {
        if matches!(word, "and" | "then") {
            clauses.push(String::new());
        } else if let Some(clause) = clauses.last_mut() {
            *clause += word;
            clause.push(' ');
            if word.ends_with(['.', ',', ';', ':', '!', '?']) {
                clauses.push(String::new());
            }
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
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
        let mut alias = types::identifier(name);
        if alias.starts_with(|c: char| c.is_ascii_digit()) {
            alias.insert(0, '_');
        }
        if !names.contains(&alias) {
            let entry = aliases.entry(alias).and_modify(|it| *it = None);
            entry.or_insert_with(|| Some(name.clone()));
        }
    }
    let aliases = aliases.into_iter();
    let unique = aliases.filter_map(|(alias, name)| Some((alias, name?)));
    unique.collect()
}
