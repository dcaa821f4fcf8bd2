//! A call, from the name of a tool to its output, and its timeout.
//!
//! `call_tool` only calls another tool. That tool is looked up before any arguments are
//! validated, so a call is always one of the tool that does the work, with that tool's
//! timeout.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::approval::approve;
use crate::arguments::Arguments;
use crate::hint::{Command, Hint};
use crate::lock::{Lock, Pinner, Snapshot};
use crate::registry::{self, Found, Registry};
use crate::source::{Candidate, SourceError};
use crate::suggest::{did_you_mean, nearest, suggestion};
use crate::tool::{Author, ToolError};
use crate::{Code, Context, Diagnostic, Filter, Name, NameError, Source, Tool, ToolOutput};

/// A tool and its arguments.
#[derive(Debug)]
pub struct Call {
    tool: Arc<Tool>,
    arguments: Arguments,
}

/// The timeout of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The name of the tool.
    pub name: String,
    /// The timeout of the tool.
    pub timeout: Duration,
    /// True if it starts a process. Such a tool enforces the timeout itself, and reports
    /// how the process ended.
    pub starts_process: bool,
    /// True if the caller has given it less time than the tool has.
    pub is_shortened: bool,
}

impl Registry {
    /// Prepares a call of the tool of that name, or returns all errors.
    pub fn prepare(&self, name: &str, arguments: Arguments) -> Result<Call, Vec<Diagnostic>> {
        let tool = self.find(name).map_err(FindError::diagnostics)?;
        self.prepare_tool(tool, arguments)
    }

    /// Prepares a call of a tool of this registry. For `call_tool` it is a call of the
    /// tool that the arguments name.
    pub fn prepare_tool(
        &self,
        tool: impl Into<Arc<Tool>>,
        arguments: Arguments,
    ) -> Result<Call, Vec<Diagnostic>> {
        let (mut tool, mut arguments) = (tool.into(), arguments);
        // The arguments are finite, and each round unwraps one level.
        while tool.name().as_str() == Name::CALL {
            let accepted = tool.accept(arguments);
            let accepted = accepted.map_err(|error| error.diagnostics(&tool))?;
            let (name, inner) = registry::target(accepted.into_object());
            tool = self.find(&name).map_err(target_not_found)?.into();
            arguments = inner;
        }
        if self.counts_uses {
            self.uses().record(tool.name());
        }
        Ok(Call::new(tool, arguments))
    }
}

impl Call {
    /// Prepares a call of a tool that was loaded from a file.
    pub const fn new(tool: Arc<Tool>, arguments: Arguments) -> Self {
        Self { tool, arguments }
    }

    /// The tool that does the work.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// Its arguments, before they are checked.
    pub const fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// Its timeout.
    pub fn limit(&self) -> Limit {
        Limit::of(&self.tool)
    }

    /// Returns all errors for which [`Call::run`] would fail before the tool runs.
    pub fn check(&self, cx: &Context) -> Result<(), Vec<Diagnostic>> {
        let accepted = self.tool.accept(self.arguments.clone());
        accepted.map_err(|error| error.diagnostics(&self.tool))?;
        let approved = approve(&*self.tool, cx);
        approved.map_err(|diagnostic| vec![*diagnostic]).map(drop)
    }

    /// Validates the arguments and runs the tool, if it is approved: returns the
    /// output, or all errors.
    pub fn run(self, cx: &Context) -> Result<ToolOutput, Vec<Diagnostic>> {
        let Self { tool, arguments } = self;
        let _step = tracing::debug_span!("call", tool = ?tool.name().as_str()).entered();
        let accepted = tool.accept(arguments);
        let accepted = accepted.map_err(|error| error.diagnostics(&tool))?;
        let output = approve(tool, cx).and_then(|tool| tool.run(accepted, cx));
        output.map_err(|diagnostic| vec![*diagnostic])
    }
}

/// Returns all errors in the name of a tool that was to be called through another one.
fn target_not_found(error: FindError) -> Vec<Diagnostic> {
    let mut diagnostics = error.diagnostics();
    if let Some(first) = diagnostics.first_mut() {
        let hint = format!("{} searches all tools", Name::FIND);
        first.hints.push(hint.into());
    }
    diagnostics
}

impl Limit {
    /// The time beyond its timeout that a process may take until it is terminated.
    pub const KILL_GRACE: Duration = Duration::from_secs(5);

    /// Makes a `timeout` for a tool called `name` that starts no process.
    pub fn new(name: &str, timeout: Duration) -> Self {
        Self {
            name: name.to_owned(),
            timeout,
            starts_process: false,
            is_shortened: false,
        }
    }

    /// The limit of `tool`.
    pub fn of(tool: &Tool) -> Self {
        Self {
            starts_process: tool.starts_process(),
            ..Self::new(tool.name().as_str(), tool.timeout)
        }
    }

    /// Returns the same limit, or `timeout` if that is less. The caller ends a process itself then.
    #[must_use]
    pub fn within(self, timeout: Option<Duration>) -> Self {
        match timeout.filter(|timeout| *timeout < self.timeout) {
            Some(timeout) => Self {
                timeout,
                is_shortened: true,
                ..self
            },
            None => self,
        }
    }

    /// Returns a limit with `more` time, in which a process does not run.
    #[must_use]
    pub fn extended(self, more: Duration) -> Self {
        Self {
            timeout: self.timeout.saturating_add(more),
            ..self
        }
    }

    /// Returns how long to wait for it.
    pub fn duration(&self) -> Duration {
        if self.starts_process && !self.is_shortened {
            self.timeout.saturating_add(Self::KILL_GRACE)
        } else {
            self.timeout
        }
    }

    /// Makes the diagnostic for a call that timed out.
    pub fn diagnostic(&self) -> Diagnostic {
        let seconds = self.timeout.as_secs_f64();
        let message = format!("the tool timed out after {seconds} s");
        Diagnostic::new(Code::Timeout, message)
            .with_subject(self.name.as_str())
            .hint("send less, or give the tool more time with `timeout`")
    }
}

/// The tools that a snapshot has loaded, by the paths of their files as messages show them.
#[derive(Debug, Default)]
pub struct Loaded(HashMap<PathBuf, Result<Tool, ToolError>>);

impl Registry {
    /// Returns true if only pinned tools are admitted.
    pub const fn is_locked(&self) -> bool {
        self.locked.is_some()
    }

    /// Fails if `tool` of one of the sources differs from its pin.
    pub(super) fn check_lock(&self, tool: Tool) -> Result<Tool, ToolError> {
        // The lock is a file of the project, and the user's own tools are not in it.
        let is_users = tool.provenance.author == Author::User;
        let locked = self.locked.as_ref().filter(|_| !is_users);
        match locked.map_or(Ok(()), |lock| lock.check(&tool, &self.cx)) {
            Ok(()) => Ok(tool),
            Err(diagnostic) => Err(ToolError::Invalid(vec![*diagnostic])),
        }
    }

    /// Fails if `tool`, which was loaded from a file, differs from its pin: the pin of the source
    /// which has the file.
    pub fn check_file(&self, tool: Tool) -> Result<Tool, Vec<Diagnostic>> {
        if !self.is_locked() && tool.value_commands.is_empty() {
            return Ok(tool);
        }
        let real = tool.text().path().canonicalize().ok();
        let sources = self.sources.iter();
        let sources = sources.filter(|source| !matches!(source, Source::Provider(_)));
        let mut candidates = sources.flat_map(|source| source.list(&self.cx).entries);
        let own = candidates.find(|file| file.path.canonicalize().ok() == real);
        let tool = match own {
            Some(file) => tool.from(file.provenance),
            None => tool,
        };
        self.admit(tool).map_err(ToolError::diagnostics)
    }
}

impl Snapshot {
    /// Takes what the sources of `registry` declare now, unfiltered. Folders below
    /// `display_path`, the project's `root`, are named relative to it.
    pub fn of(registry: &Registry, root: &Path, display_path: &Path) -> Self {
        Self::with_tools(registry, root, display_path).0
    }

    /// Does the same, and returns the loaded tools for [`Registry::map_loaded`], too.
    pub fn with_tools(registry: &Registry, root: &Path, display_path: &Path) -> (Self, Loaded) {
        let mut tools = Loaded::default();
        let all = registry.list_unfiltered();
        let mut pinner = Pinner::new(root, display_path);
        let mut snapshot = Self {
            lock: Lock::empty(),
            ..Self::default()
        };
        for error in all.errors {
            if error.is_partial() {
                snapshot.tool_errors.push(error.diagnostic());
            } else {
                snapshot.unavailable.push(error);
            }
        }
        let loaded = load_all(&all.entries, |_, tool| {
            let tool = tool.map_err(|error| (error, None))?;
            let id = (pinner.source(&tool), tool.name().to_string());
            let tool = registry.with_values(tool);
            tool.map_err(|error| (error, Some(id)))
        });
        for (file, loaded) in all.entries.into_iter().zip(loaded) {
            let loaded = loaded.map_err(|(error, id)| {
                snapshot.unlisted.extend(id);
                let diagnostics = error.diagnostics();
                snapshot.tool_errors.extend(diagnostics.iter().cloned());
                ToolError::Invalid(diagnostics)
            });
            // The user's own tools are not the project's, and differ from user to user.
            if let Ok(tool) = &loaded
                && tool.provenance.author != Author::User
            {
                snapshot.lock.add(tool, &mut pinner, &registry.cx);
                if let Author::Package(_) | Author::Provider = tool.provenance.author {
                    let id = (pinner.source(tool), tool.name().to_string());
                    let description = tool.description.clone();
                    snapshot.descriptions.entry(id).or_insert(description);
                }
            }
            tools.0.insert(file.display_path, loaded);
        }
        (snapshot, tools)
    }
}

impl Registry {
    /// Converts each listed tool with `each`, as [`Self::map`] does, without loading a tool of a
    /// snapshot again. Pins are not compared.
    pub fn map_loaded<T>(
        &self,
        mut loaded: Loaded,
        each: impl Fn(Result<Tool, ToolError>) -> T,
    ) -> Found<T> {
        self.files().map(|files| {
            let tools = files.iter().map(|file| {
                let tool = loaded.0.remove(&file.display_path);
                let load = || tool.unwrap_or_else(|| file.load());
                guarded(file, load, |_, tool| each(tool))
            });
            tools.collect()
        })
    }

    /// Returns the SHA-256 of what `tool` runs: its implementation with the files that it names, the
    /// content of its package, the commands of its provider.
    pub fn content_digest(&self, tool: &Tool) -> String {
        let mut pinner = Pinner::new(&self.cx.root, &self.cx.root);
        pinner.pin(tool, &self.cx).runs
    }
}

/// The number of characters of an invalid name that are shown.
const MAX_NAME_CHARS: usize = 64;

const LIST_HINT: Hint = Hint::run("", Command::Discover, " lists all tools");

/// A name that no source has, with suggestions.
#[derive(Debug)]
pub struct NotFound {
    /// The name.
    pub name: String,
    /// Similar names.
    pub nearest: Vec<String>,
    /// Files of that name with another extension.
    pub wrong_extension: Vec<PathBuf>,
    /// The file of such a tool that a filter excludes.
    pub filtered_out: Option<PathBuf>,
    /// Errors of sources that could not be searched.
    pub source_errors: Vec<SourceError>,
    /// Errors of the configuration, parts of which were left out.
    pub config_errors: Vec<Diagnostic>,
}

/// Why a tool is not available.
#[derive(Debug)]
pub enum FindError {
    /// The name is not valid.
    InvalidName(String, NameError),
    /// No source has it.
    NotFound(Box<NotFound>),
    /// Its file is invalid.
    Invalid(ToolError),
}

impl FindError {
    /// Makes all diagnostics to show.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::InvalidName(name, error) => {
                let mut subject: String = name.chars().take(MAX_NAME_CHARS).collect();
                if subject.len() < name.len() {
                    subject.push('…');
                }
                let message = format!("invalid tool name: {error}");
                let diagnostic = Diagnostic::new(Code::ToolNotFound, message)
                    .with_subject(subject.escape_debug().to_string());
                vec![match name_in_path(&name) {
                    Some(name) => diagnostic.hint(format!("a tool is called by its name: {name}")),
                    None => diagnostic.hint(LIST_HINT),
                }]
            }
            Self::NotFound(not_found) => not_found.diagnostics(),
            Self::Invalid(error) => error.diagnostics(),
        }
    }
}

/// The tool's name, if `path` is a tool file's.
fn name_in_path(path: &str) -> Option<Name> {
    let stem = path.strip_suffix(".yaml")?;
    Name::new(stem.rsplit('/').next()?).ok()
}

impl Registry {
    /// Describes a name that no source has, with suggestions.
    pub(super) fn explain_missing(&self, name: &Name) -> Box<NotFound> {
        let all = self.list_unfiltered();
        let listed = all.entries.into_iter().filter(|it| self.is_listed(it));
        let names = listed.filter_map(|it| it.name.into_string().ok());
        let mut names: Vec<String> = names.collect();
        // An error in one declaration does not affect other names.
        let errors = all.errors.into_iter().filter(|error| !error.is_partial());
        names.sort_unstable();
        names.dedup();
        let nearest = nearest(name.as_str(), names.iter().map(String::as_str));
        let sources = self.sources.iter();
        let wrong_extension = sources.filter_map(|source| source.wrong_extension(name));
        Box::new(NotFound {
            name: name.to_string(),
            nearest: nearest.into_iter().map(str::to_owned).collect(),
            wrong_extension: wrong_extension.collect(),
            filtered_out: None,
            source_errors: errors.collect(),
            config_errors: self.config_errors.clone(),
        })
    }
}

impl NotFound {
    fn diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostic = Diagnostic::new(Code::ToolNotFound, "no such tool");
        if let Some(file) = &self.filtered_out {
            let file = file.display();
            diagnostic = diagnostic.hint(format!(
                "a filter excludes `{file}`: an option such as --exclude, or `filter` or \
                 `hosts` in the configuration"
            ));
        }
        for file in &self.wrong_extension {
            let file = file.display();
            diagnostic = diagnostic.hint(format!("`{file}` is ignored: tool files end in `.yaml`"));
        }
        let meant = suggestion(&self.nearest).map(Hint::from);
        diagnostic.hints.extend(meant);
        let source_errors = self.source_errors.iter().map(SourceError::diagnostic);
        let mut diagnostics = vec![diagnostic.with_subject(self.name).hint(LIST_HINT)];
        diagnostics.extend(source_errors.chain(self.config_errors));
        diagnostics
    }
}

/// Reports the patterns of `filters` that match none of the tools that were found before
/// filtering, if all sources could be listed.
pub(super) fn unmatched(filters: &[Filter], found: &Found<Candidate>) -> Vec<Diagnostic> {
    let is_complete = found.source_errors.iter().all(SourceError::is_partial);
    if found.items.is_empty() || !is_complete {
        return Vec::new();
    }
    let tools = found.items.iter().filter_map(|file: &Candidate| {
        Some((file.name.to_str()?, file.provenance.toolset.as_deref()))
    });
    let tools: Vec<(&str, Option<&str>)> = tools.collect();
    let mut diagnostics = Vec::new();
    for (key, pattern) in filters.iter().flat_map(|filter| filter.unmatched(&tools)) {
        let diagnostic = unmatched_pattern(key, &pattern, &tools);
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

fn unmatched_pattern(key: &str, pattern: &str, tools: &[(&str, Option<&str>)]) -> Diagnostic {
    let (noun, mut known): (&str, Vec<&str>) = if key == "toolsets" {
        let toolsets = tools.iter().filter_map(|(_, toolset)| *toolset);
        ("toolset", toolsets.collect())
    } else {
        ("tool", tools.iter().map(|(name, _)| *name).collect())
    };
    known.sort_unstable();
    known.dedup();
    let message = format!("the pattern `{pattern}` in `{key}` of a filter matches no {noun}");
    let plain = pattern.replace(['*', '?'], "");
    let hint = did_you_mean(&plain, known)
        .unwrap_or_else(|| format!("correct it, or remove it from `{key}`"));
    Diagnostic::new(Code::InvalidConfig, message).hint(hint)
}

/// Converts the tool that `load` loads from `file` with `each`. A tool that makes cogtools panic
/// must not affect the others.
fn guarded<T>(
    file: &Candidate,
    load: impl FnOnce() -> Result<Tool, ToolError>,
    each: impl Fn(&Candidate, Result<Tool, ToolError>) -> T,
) -> T {
    let converted = catch_unwind(AssertUnwindSafe(|| each(file, load())));
    let bug = || ToolError::Bug(file.display_path.clone());
    converted.unwrap_or_else(|_| each(file, Err(bug())))
}

/// Loads each of `files` and converts it with `each`, in order, on two threads when
/// there are many.
pub fn load_all<T: Send>(
    files: &[Candidate],
    each: impl Fn(&Candidate, Result<Tool, ToolError>) -> T + Sync,
) -> Vec<T> {
    parallel(files, 2, |file| guarded(file, || file.load(), &each))
}

/// The least number of items for each thread: fewer are done before it has started.
const MIN_ITEMS: usize = 16;
/// The stack of a thread, as large as the main one: templates can be deep.
const STACK_SIZE: usize = 8 << 20;

/// Converts each of `items` with `each`, in order, on up to `threads` threads when there are many.
pub fn parallel<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    each: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    at_once(items, threads.min(items.len() / MIN_ITEMS), each)
}

/// Converts each of `items` with `each`, in order, on up to `threads` threads, of which this is one.
pub fn at_once<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    each: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    // Threads take the next item when they are done: two cores are rarely equally free.
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return done;
            };
            done.push((index, each(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        let spawn = |_| {
            let builder = thread::Builder::new().stack_size(STACK_SIZE);
            // Without one more thread, the others do its work.
            builder.spawn_scoped(scope, work).ok()
        };
        let others = (1..threads.min(items.len())).filter_map(spawn);
        let others: Vec<_> = others.collect();
        let mut all = work();
        for thread in others {
            all.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    #[test]
    fn processes_have_time_to_end() {
        let check = |rest: &str, seconds: u64| {
            let text = format!("name: t\ndescription: d\n{rest}\n");
            let text = Text::new("t.yaml", text.into_bytes()).expect("it is text");
            let limit = Limit::of(&Tool::parse(text).expect("it is a tool"));
            assert_eq!(limit.duration(), Duration::from_secs(seconds), "{rest}");
        };
        check("implementation: x", 60);
        check("implementation: {exec: [x]}", 65);
        check("implementation: {js: x}", 65);
        check("timeout: 300\nimplementation: x", 300);
        check("timeout: 300\nimplementation: {exec: [x]}", 305);
    }
}
