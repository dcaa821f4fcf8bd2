//! The tools of one project, loaded again for each request, because files change
//! while the server runs.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use cogtools_code::Scope;
use cogtools_core::resident::{Client, Sessions as _};
use cogtools_core::tool::Flow;
use cogtools_core::{
    CallContext, Cancel, Context, Diagnostic, FindError, Found, ListWait, Registry, Resident,
    SourceError, Target, Tool, Warnings,
};
use cogtools_program::args::RegistryArgs;
use cogtools_program::budget::BudgetArg;
use cogtools_program::{DetachedIo, Failure, Io, project};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::auth::Store;
use crate::declarations::{
    DeclarationCache, LoadResult, PublishOptions, PublishedTool, Renamed, publish,
};
use crate::link::Habits;
use crate::offers::{Offers, Route, Subject};
use crate::prompt;
use crate::sources::{OpenSessions, SourceSessions};
use crate::workspace::Workspace;

/// The time after the introduction of a client in a hurry in which lists wait for offers. It goes on
/// without after two seconds.
const HURRIED_WAIT: Duration = Duration::from_millis(1500);

/// The tools of a project, for every request.
pub(crate) struct Catalogue {
    registry: RegistryArgs,
    budget: BudgetArg,
    /// The API of the command line.
    api: Option<Target>,
    io: DetachedIo,
    workspace: Workspace,
    cache: DeclarationCache,
    /// The habits of the only client, once it has said its name, and when that was.
    client: OnceLock<(Habits, Instant)>,
    /// See [`Self::listed`].
    listed: OnceLock<u64>,
    /// The hash of the first offers that a client has got.
    offered: OnceLock<u64>,
    /// True if a source is an MCP server.
    has_servers: AtomicBool,
    /// The diagnostics of the last listing.
    reported: Reported,
    /// The URIs of the last offers that are other ones at their sources.
    renamed: Mutex<Renamed>,
    /// The warnings about the last offers.
    reported_of_offers: Reported,
    /// The warnings of calls.
    call_warnings: Warnings,
    /// The warnings of calls that have been reported.
    reported_of_calls: Reported,
    resident: Arc<Resident>,
    sessions: Arc<SourceSessions>,
    /// The calls by tool when a budget was first used: a list does not change by calls.
    uses: OnceLock<HashMap<String, u32>>,
    /// Notified when a source has declared other tools than a list has had.
    source_changed: Arc<Notify>,
}

/// All that clients can list.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) tools: Vec<Arc<PublishedTool>>,
    /// The tools that can be prompts, and have documents. A budget does not apply to them.
    pub(crate) prompts: Vec<Arc<PublishedTool>>,
    /// The errors of files that are left out.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Listing {
    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let tools = self.tools.iter().chain(&self.prompts);
        tools.for_each(|tool| tool.digest().hash(&mut hasher));
        hasher.finish()
    }
}

impl Catalogue {
    /// Returns the catalogue of the project that contains `io`'s working directory.
    pub(crate) fn new(
        mut registry: RegistryArgs,
        budget: BudgetArg,
        api: Option<Target>,
        workspace: Workspace,
        io: &Io<'_>,
    ) -> Self {
        let source_changed = Arc::<Notify>::default();
        let notify = Arc::clone(&source_changed);
        let sessions = Arc::new(SourceSessions::new(Store::of(io), shared(io)));
        let resident = Arc::new(Resident::new(move || notify.notify_one()));
        registry.resident = Some(Arc::clone(&resident));
        let io = DetachedIo::new(io, Cancel::default());
        let io = io.with_sessions(Arc::<SourceSessions>::clone(&sessions));
        Self {
            resident,
            sessions,
            uses: OnceLock::new(),
            source_changed,
            registry,
            budget,
            api,
            io,
            workspace,
            cache: DeclarationCache::default(),
            client: OnceLock::new(),
            listed: OnceLock::new(),
            offered: OnceLock::new(),
            has_servers: AtomicBool::new(false),
            reported: Reported::default(),
            renamed: Mutex::default(),
            reported_of_offers: Reported::default(),
            call_warnings: Warnings::default(),
            reported_of_calls: Reported::default(),
        }
    }

    /// Runs `work` with the server's environment, in its directory or in the client's, but
    /// without its streams: those belong to the client.
    pub(crate) fn with_io<T>(&self, work: impl FnOnce(&Io<'_>) -> T) -> T {
        match self.workspace.folder() {
            Some(folder) => self.io.in_folder(folder).run(work),
            None => self.io.run(work),
        }
    }

    /// Returns the folder where the user of the client works.
    pub(crate) const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Returns true if the configuration says that clients show tools in `menu`, too.
    pub(crate) fn shows(&self, menu: &str) -> bool {
        self.with_io(|io| {
            let config = project::valid_config(&project::project(io), io);
            config.is_ok_and(|config| config.mcp_shows(menu))
        })
    }

    /// Stops the programs of sources. Another process goes on asking those that have not answered.
    pub(crate) fn stop(&self) {
        if self.resident.is_asking()
            && let Some(background) = self.with_io(project::background)
        {
            background.start();
        }
        self.io.cancel.cancel();
    }

    /// Ends the sessions with servers, and waits until no source is being asked, at most for
    /// `limit` each.
    pub(crate) fn end_sessions(&self, limit: Duration) {
        self.sessions.stop(limit);
        self.resident.wait_idle(limit);
    }

    /// Returns the sessions with servers.
    pub(crate) fn sessions(&self) -> &Arc<SourceSessions> {
        &self.sessions
    }

    /// Returns a notification that is sent when a source has declared other tools than a list has had.
    pub(crate) fn source_changed(&self) -> Arc<Notify> {
        Arc::clone(&self.source_changed)
    }

    /// Fits lists to the only client.
    pub(crate) fn fit(&self, client: Habits) {
        let _ = self.client.set((client, Instant::now()));
    }

    /// Returns a registry with the current configuration.
    pub(crate) fn registry(&self) -> Result<Registry, Vec<Diagnostic>> {
        let found = self.registry_and_warnings(ListWait::Moment);
        found.map(|(registry, _)| registry)
    }

    /// Returns a registry whose lists wait like this, and warnings.
    fn registry_and_warnings(
        &self,
        list_wait: ListWait,
    ) -> Result<(Registry, Vec<Diagnostic>), Vec<Diagnostic>> {
        self.with_io(|io| {
            let args = RegistryArgs {
                list_wait,
                ..self.registry.clone()
            };
            let mut registry = project::registry(&args, io, Some(Target::Mcp))?;
            registry.counts_uses |= self.budget.is_set();
            let has_servers = registry.has_servers();
            self.has_servers.store(has_servers, Ordering::Relaxed);
            Ok((registry, io.context.take_warnings()))
        })
        .map_err(|failure: Failure| failure.diagnostics().to_vec())
    }

    /// Finds the tool of that name, and the registry that contains it. Sources that are being asked
    /// are waited for.
    pub(crate) fn find(&self, name: &str) -> Result<FoundTool, CallError> {
        self.awaiting(|| {
            let registry = self.registry().map_err(CallError::Failed)?;
            match registry.find(name) {
                Ok(tool) => Ok((registry, Arc::new(tool))),
                Err(error @ FindError::Invalid(_)) => Err(CallError::Failed(error.diagnostics())),
                Err(error) => Err(CallError::NotFound(error.diagnostics())),
            }
        })
    }

    /// Finds the way to `subject` at its source, or the ways to those that may have it, and
    /// warnings. Sources that are being asked are waited for, unless cogtools itself answers for it.
    pub(crate) fn routes(
        &self,
        subject: &Subject,
    ) -> Result<(Vec<Route>, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (mut unlisted, mut warnings) = (Vec::new(), Vec::new());
        let found = self.awaiting(|| {
            let offers = self.load_offers(false, ListWait::Moment);
            let (offers, new) = offers.map_err(CallError::Failed)?;
            warnings.extend(self.reported_of_offers.replace(new));
            let route = offers.route(subject, &self.sessions);
            if route.is_some() || self.is_own(subject).map_err(CallError::Failed)? {
                return Ok(route);
            }
            unlisted = offers.unlisted(subject);
            Err(CallError::NotFound(Vec::new()))
        });
        match found {
            Ok(route) => Ok((Vec::from_iter(route), warnings)),
            Err(CallError::Failed(diagnostics)) => Err(diagnostics),
            Err(CallError::NotFound(_) | CallError::Cancelled) => Ok((unlisted, warnings)),
        }
    }

    /// Returns true if `subject` is a document, or a prompt of a tool that is there now.
    fn is_own(&self, subject: &Subject) -> Result<bool, Vec<Diagnostic>> {
        Ok(match subject {
            Subject::Prompt(name) => match self.registry()?.find(name) {
                Ok(tool) => prompt::is_prompt(&tool),
                Err(error) => matches!(error, FindError::Invalid(_)),
            },
            Subject::Resource(uri) => prompt::is_document(uri),
            Subject::Template(_) => false,
        })
    }

    /// Looks for something until it is there, or no source that is being asked can have it, at most
    /// for the time of a call.
    fn awaiting<T>(&self, mut look: impl FnMut() -> Result<T, CallError>) -> Result<T, CallError> {
        let end = Instant::now() + Tool::TIMEOUT;
        loop {
            let answers = self.resident.late_answers();
            match look() {
                Err(CallError::NotFound(_)) if self.resident.wait_for_late_answer(answers, end) => {
                }
                found => return found,
            }
        }
    }

    /// Returns the listing, and the diagnostics that the last one did not have.
    pub(crate) fn list(&self) -> Result<(Listing, Vec<Diagnostic>), Vec<Diagnostic>> {
        let listing = self.load()?;
        self.listed.get_or_init(|| listing.digest());
        let new_diagnostics = self.reported.replace(listing.diagnostics.clone());
        Ok((listing, new_diagnostics))
    }

    /// Returns the options of published tools.
    pub(crate) fn options(&self, count_tokens: bool) -> PublishOptions {
        let of_client = || self.client.get().and_then(|(client, _)| client.api);
        PublishOptions {
            count_tokens,
            api: self.api.or_else(of_client),
        }
    }

    fn load(&self) -> Result<Listing, Vec<Diagnostic>> {
        let is_first = self.listed.get().is_none();
        let wait = self.client.get().map(|(client, _)| client.wait);
        let wait = wait.filter(|wait| is_first && *wait == ListWait::Patient);
        let (registry, warnings) = self.registry_and_warnings(wait.unwrap_or(ListWait::Moment))?;
        let budget = self.budget.or_configured(&registry);
        let options = self.options(budget.is_some());
        let found = self.load_tools(&registry, options);
        let mut listing = Listing {
            diagnostics: warnings,
            ..Listing::default()
        };
        let source_errors = found.source_errors.iter().map(SourceError::diagnostic);
        listing.diagnostics.extend(source_errors);
        for result in found.items {
            match result {
                Ok(tool) => listing.prompts.push(tool),
                Err(errors) => listing.diagnostics.extend(errors),
            }
        }
        let tools = listing.prompts.iter().map(Arc::clone);
        listing.tools = match budget {
            Some(budget) => {
                let uses = self.uses.get_or_init(|| registry.uses().read());
                let counted = tools.map(|tool| {
                    let cost = tool.cost().with_uses(&tool.name(), uses);
                    (Some(tool), cost)
                });
                let search = |tool: &Tool| PublishedTool::new(tool, options).ok().map(Arc::new);
                let selected = budget.select(counted.collect(), &registry, search)?;
                selected.into_iter().flatten().collect()
            }
            None => tools.collect(),
        };
        let renamed = self.renamed.lock();
        for tool in &mut listing.tools {
            if let Some(with_app) = tool.with_app(&renamed) {
                *tool = Arc::new(with_app);
            }
        }
        Ok(listing)
    }

    /// Loads the tools of `registry`, with their token counts if asked for. A lock pins more
    /// than the file that the cache looks at.
    fn load_tools(&self, registry: &Registry, options: PublishOptions) -> Found<LoadResult> {
        if registry.is_locked() {
            return registry.map(|tool| publish(tool, options));
        }
        let found = registry.files();
        found.map(|files| self.cache.get_or_load(files, options))
    }

    /// Returns true if a source is an MCP server, by the configuration that was read last.
    pub(crate) fn has_servers(&self) -> bool {
        self.has_servers.load(Ordering::Relaxed)
    }

    /// Lists everything besides tools that sources offer, and warnings.
    pub(crate) fn offers(&self) -> Result<(Offers, Vec<Diagnostic>), Vec<Diagnostic>> {
        let listed = match self.client.get() {
            Some((client, begin)) if client.wait == ListWait::Instant => loop {
                let answers = self.resident.late_answers();
                let listed = self.load_offers(false, ListWait::Instant)?;
                let end = *begin + HURRIED_WAIT;
                if !self.resident.wait_for_late_answer(answers, end) {
                    break listed;
                }
            },
            _ => self.load_offers(false, ListWait::Moment)?,
        };
        let (offers, warnings) = listed;
        self.offered.get_or_init(|| offers.digest());
        Ok((offers, self.reported_of_offers.replace(warnings)))
    }

    fn load_offers(
        &self,
        only_cached: bool,
        wait: ListWait,
    ) -> Result<(Offers, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (registry, _) = self.registry_and_warnings(wait)?;
        if !registry.has_servers() {
            return Ok(Default::default());
        }
        let tools = self.load_tools(&registry, self.options(false)).items;
        let prompts = tools.into_iter().flatten().filter_map(|it| it.prompt());
        let names = prompts.map(|prompt| prompt.name).collect();
        let (offers, warnings) = Offers::of(&registry, &names, only_cached);
        let mut renamed = self.renamed.lock();
        *renamed = offers.renamed();
        Ok((offers, warnings))
    }

    /// Returns the instructions of the sources that have been asked before.
    pub(crate) fn instructions(&self) -> Option<String> {
        let registry = self.registry().ok()?;
        let has_servers = registry.has_servers();
        has_servers.then(|| {
            Offers::of(&registry, &HashSet::new(), true)
                .0
                .instructions()
        })?
    }

    /// Returns hashes of the tools and of the offers that clients can list.
    pub(crate) fn digest(&self) -> (u64, u64) {
        let errors = |diagnostics: Vec<Diagnostic>| {
            let mut hasher = DefaultHasher::new();
            let messages = diagnostics.iter().map(|diagnostic| &diagnostic.message);
            messages.for_each(|message| message.hash(&mut hasher));
            hasher.finish()
        };
        // Tools have the URIs that apps have here.
        // Nothing is started for a list that no client has asked for.
        let only_cached = self.offered.get().is_none();
        let offers = self.load_offers(only_cached, ListWait::Moment);
        let offers = offers.map(|(offers, _)| offers.digest());
        let tools = self.load().map(|listing| listing.digest());
        (tools.unwrap_or_else(errors), offers.unwrap_or_default())
    }

    /// Returns the hashes of the first lists that a client has got, or else these.
    pub(crate) fn listed_or(&self, (tools, offers): (u64, u64)) -> (u64, u64) {
        let of = |listed: &OnceLock<u64>, other| listed.get().copied().unwrap_or(other);
        (of(&self.listed, tools), of(&self.offered, offers))
    }

    /// Returns the context of a call of `tool`, with `cancel` and these parts. For a tool that does
    /// not use it, it has only our own programs.
    pub(crate) fn cx(
        &self,
        tool: &Tool,
        cancel: Cancel,
        parts: CallContext,
    ) -> Result<Context, Vec<Diagnostic>> {
        if !tool.needs_context() {
            return Ok(Context {
                programs: self.io.program.parent().map(Path::to_path_buf),
                cancel,
                ..Context::default()
            });
        }
        let mut cx = self.context(cancel)?;
        cx.call = parts;
        if tool.asks() || tool.flow().is_some_and(Flow::asks_a_person) {
            let host = self.sessions().host_of(cx.call.client.as_ref());
            cx.call.person = cx.call.person.or_else(|| host.person());
        } else {
            cx.call.person = None;
        }
        Ok(cx)
    }

    /// Returns the context of calls that `cancel` ends.
    pub(crate) fn context(&self, cancel: Cancel) -> Result<Context, Vec<Diagnostic>> {
        let cx = self.with_io(|io| {
            let project = project::project(io);
            let config = project::valid_config(&project, io)?;
            let bounds = self.registry.env.bounds(&config);
            Ok(project::context(io, &project, config.env_priority, bounds))
        });
        let mut cx = cx.map_err(|failure: Failure| failure.diagnostics().to_vec())?;
        cx.list.resident = Some(Arc::clone(&self.resident));
        Ok(Context {
            cancel,
            options: self.registry.handed_on(),
            warnings: self.call_warnings.clone(),
            ..cx
        })
    }

    /// Returns the tools that programs can call; calls of tools that match `allow` need no question.
    pub(crate) fn scope(
        &self,
        allow: &[String],
        (cancel, client): (Cancel, Option<Client>),
    ) -> Result<Scope, Vec<Diagnostic>> {
        let (registry, mut cx) = (self.registry()?, self.context(cancel)?);
        cx.call.client = client;
        let config = self.with_io(|io| project::config(&project::project(io), io));
        let config = config.map_err(|failure| failure.diagnostics().to_vec())?;
        Ok(Scope::with_rules(registry, cx, &config.ask, (allow, &[])))
    }

    /// Takes the warnings of calls that no earlier call had.
    pub(crate) fn new_call_warnings(&self) -> Vec<Diagnostic> {
        let mut reported = self.reported_of_calls.0.lock();
        let mut warnings = self.call_warnings.take();
        warnings.retain(|warning| !reported.contains(warning));
        reported.extend_from_slice(&warnings);
        warnings
    }
}

/// Diagnostics that have been reported.
#[derive(Default)]
struct Reported(Mutex<Vec<Diagnostic>>);

impl Reported {
    /// Takes note of `all`, and returns the new ones.
    fn replace(&self, mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let before = std::mem::replace(&mut *self.0.lock(), all.clone());
        all.retain(|diagnostic| !before.contains(diagnostic));
        all
    }
}

/// The sessions that all programs of the process share, if there are some.
fn shared(io: &Io<'_>) -> Option<Arc<OpenSessions>> {
    let shared = io.context.shared.as_ref().map(Arc::clone)?;
    shared.downcast().ok()
}

/// A tool that was found, and the registry that has it.
pub(crate) type FoundTool = (Registry, Arc<Tool>);

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum CallError {
    /// There is no tool of that name.
    NotFound(Vec<Diagnostic>),
    /// The tool or the configuration is invalid, the call is invalid, or the tool
    /// failed.
    Failed(Vec<Diagnostic>),
    /// The call was cancelled.
    Cancelled,
}
