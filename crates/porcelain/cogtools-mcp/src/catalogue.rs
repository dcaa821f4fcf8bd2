//! The tools of one project, loaded again for each request, because files change
//! while the server runs.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use cogtools_code::Scope;
use cogtools_core::resident::Client;
use cogtools_core::tool::Flow;
use cogtools_core::{
    CallContext, Cancel, Context, Diagnostic, FindError, Found, ListWait, Registry, Resident,
    Source, SourceError, Target, Tool, Warnings,
};
use cogtools_program::args::RegistryArgs;
use cogtools_program::budget::BudgetArg;
use cogtools_program::{DetachedIo, Failure, Io, project};
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use crate::auth::Store;
use crate::declarations::{
    DeclarationCache, LoadResult, PublishOptions, PublishedTool, Renamed, publish,
};
use crate::offers::{Offers, Route, Subject};
use crate::prompt;
use crate::server::AppState;
use crate::sources::{OpenSessions, SourceSessions};
use crate::workspace::Workspace;

/// The tools of a project, for every request.
pub(crate) struct Catalogue {
    registry: RegistryArgs,
    budget: BudgetArg,
    /// The API that the client passes tools to, if it is known.
    api: Option<Target>,
    io: DetachedIo,
    workspace: Workspace,
    cache: DeclarationCache,
    /// The wait of lists that fits the client, once it has said its name.
    host_wait: OnceLock<ListWait>,
    /// See [`Self::listed`].
    listed: OnceLock<u64>,
    /// The hash of the first offers that a client has got.
    offered: OnceLock<u64>,
    /// True if a source is an MCP server.
    has_servers: AtomicBool,
    /// The diagnostics of the last listing.
    reported: Mutex<Vec<Diagnostic>>,
    /// The URIs of the last offers that are other ones at their sources.
    renamed: Mutex<Renamed>,
    /// The warnings about the last offers.
    reported_of_offers: Mutex<Vec<Diagnostic>>,
    /// The warnings of calls.
    call_warnings: Warnings,
    /// The warnings of calls that have been reported.
    reported_of_calls: Mutex<Vec<Diagnostic>>,
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
        let resident = Resident::new(move || notify.notify_one());
        let resident = Arc::new(resident.with_sessions(Arc::<SourceSessions>::clone(&sessions)));
        registry.resident = Some(Arc::clone(&resident));
        Self {
            resident,
            sessions,
            uses: OnceLock::new(),
            source_changed,
            registry,
            budget,
            api,
            io: DetachedIo::new(io, Cancel::default()),
            workspace,
            cache: DeclarationCache::default(),
            host_wait: OnceLock::new(),
            listed: OnceLock::new(),
            offered: OnceLock::new(),
            has_servers: AtomicBool::new(false),
            reported: Mutex::default(),
            renamed: Mutex::default(),
            reported_of_offers: Mutex::default(),
            call_warnings: Warnings::default(),
            reported_of_calls: Mutex::default(),
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

    /// Fits the wait of lists to the only client.
    pub(crate) fn fit(&self, wait: ListWait) {
        let _ = self.host_wait.set(wait);
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
            if self.budget.is_set() {
                registry = registry.counting_uses();
            }
            let has_servers = registry.has_servers();
            self.has_servers.store(has_servers, Ordering::Relaxed);
            Ok((registry, io.context.take_warnings()))
        })
        .map_err(|failure: Failure| failure.diagnostics().to_vec())
    }

    /// Finds the tool of that name, and the registry that contains it. Sources that are being asked
    /// are waited for.
    pub(crate) fn find(&self, name: &str) -> Result<(Registry, Arc<Tool>), CallError> {
        self.awaiting(|| {
            let registry = self.registry().map_err(CallError::Failed)?;
            match registry.find(name) {
                Ok(tool) => Ok((registry, Arc::new(tool))),
                Err(error @ FindError::Invalid(_)) => Err(CallError::Failed(error.diagnostics())),
                Err(error) => Err(CallError::NotFound(error.diagnostics())),
            }
        })
    }

    /// Finds the way to `subject` at its source, and warnings. Sources that are being asked are
    /// waited for, unless cogtools itself answers for it.
    pub(crate) fn route(
        &self,
        subject: &Subject,
    ) -> Result<(Option<Route>, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut warnings = Vec::new();
        let found = self.awaiting(|| {
            let (offers, new) = self.offers(false).map_err(CallError::Failed)?;
            warnings.extend(new);
            let route = offers.route(subject, &self.sessions);
            if route.is_some() || self.is_own(subject).map_err(CallError::Failed)? {
                return Ok(route);
            }
            Err(CallError::NotFound(Vec::new()))
        });
        match found {
            Ok(route) => Ok((route, warnings)),
            Err(CallError::Failed(diagnostics)) => Err(diagnostics),
            Err(CallError::NotFound(_) | CallError::Cancelled) => Ok((None, warnings)),
        }
    }

    /// Returns true if `subject` is a document, or has the name of a tool that is there now.
    fn is_own(&self, subject: &Subject) -> Result<bool, Vec<Diagnostic>> {
        Ok(match subject {
            Subject::Prompt(name) => match self.registry()?.find(name) {
                Ok(_) => true,
                Err(error) => matches!(error, FindError::Invalid(_)),
            },
            Subject::Resource(uri) => prompt::is_document(uri),
            Subject::Template(_) => false,
        })
    }

    /// Looks for something until it is there, or no source that is being asked can have it, at most
    /// for the time of a call.
    fn awaiting<T>(&self, mut look: impl FnMut() -> Result<T, CallError>) -> Result<T, CallError> {
        let end = std::time::Instant::now() + Tool::TIMEOUT;
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
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let new_diagnostics = listing
            .diagnostics
            .iter()
            .filter(|diagnostic| !reported.contains(diagnostic))
            .cloned()
            .collect();
        reported.clone_from(&listing.diagnostics);
        Ok((listing, new_diagnostics))
    }

    /// Returns the options of published tools.
    pub(crate) const fn options(&self, count_tokens: bool) -> PublishOptions {
        PublishOptions {
            count_tokens,
            api: self.api,
        }
    }

    fn load(&self) -> Result<Listing, Vec<Diagnostic>> {
        let wait = self.host_wait.get().copied();
        let is_first = self.listed.get().is_none();
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
        let renamed = self.renamed.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Returns everything besides tools that sources offer, and warnings. A list waits for it as long as
    /// fits the client.
    pub(crate) fn offers(
        &self,
        is_list: bool,
    ) -> Result<(Offers, Vec<Diagnostic>), Vec<Diagnostic>> {
        let wait = self.host_wait.get().copied();
        let wait = wait.filter(|wait| is_list && *wait == ListWait::Instant);
        let (offers, warnings) = self.load_offers(false, wait.unwrap_or(ListWait::Moment))?;
        self.offered.get_or_init(|| offers.digest());
        Ok((offers, self.new_offer_warnings(warnings)))
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
        let mut renamed = self.renamed.lock().unwrap_or_else(PoisonError::into_inner);
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
        cx.call.progress = parts.progress;
        cx.call.paused = parts.paused;
        cx.call.client = parts.client;
        if tool.asks() || tool.flow().is_some_and(Flow::asks_a_person) {
            let host = self.sessions().host_of(cx.call.client.as_ref());
            cx.call.person = parts.person.or_else(|| host.person());
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

    /// Returns the warnings about offers that were not reported before.
    fn new_offer_warnings(&self, mut warnings: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let reported = self.reported_of_offers.lock();
        let mut reported = reported.unwrap_or_else(PoisonError::into_inner);
        let all = std::mem::replace(&mut *reported, warnings.clone());
        warnings.retain(|warning| !all.contains(warning));
        warnings
    }

    /// Takes the warnings of calls that no earlier call had.
    pub(crate) fn new_call_warnings(&self) -> Vec<Diagnostic> {
        let reported = self.reported_of_calls.lock();
        let mut reported = reported.unwrap_or_else(PoisonError::into_inner);
        let mut warnings = self.call_warnings.take();
        warnings.retain(|warning| !reported.contains(warning));
        reported.extend_from_slice(&warnings);
        warnings
    }
}

/// The sessions that all programs of the process share, if there are some.
fn shared(io: &Io<'_>) -> Option<Arc<OpenSessions>> {
    let shared = io.context.shared.as_ref().map(Arc::clone)?;
    shared.downcast().ok()
}

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

/// The time without an event before the list is loaded again.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// The time for which events can postpone that.
const MAX_DEBOUNCE: Duration = Duration::from_secs(1);
/// The pause between polls of files where the system does not report changes.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The time for which the first list waits for a client, whose first answer it would slow down.
const FIRST_CLIENT: Duration = Duration::from_millis(500);

/// Watches the files of the project until the task is aborted.
pub(crate) async fn run(state: Arc<AppState>) {
    let _ = timeout(FIRST_CLIENT, state.introduced.cancelled()).await;
    // A source that was late and has answered is an event, too.
    let events = state.catalogue.source_changed();
    let Some(mut watcher) = watcher(&events) else {
        return;
    };
    let (mut watched, mut last) = (Vec::new(), None);
    loop {
        let (catalogue, is_first) = (Arc::clone(&state.catalogue), last.is_none());
        let loading = tokio::task::spawn_blocking(move || {
            // The first list is loaded before: it reads every file, and each read is an event.
            let first = is_first.then(|| catalogue.digest());
            watch(&mut *watcher, &mut watched, folders(&catalogue));
            let digest = first.unwrap_or_else(|| catalogue.digest());
            (watcher, watched, digest)
        });
        let Ok(loaded) = loading.await else {
            return;
        };
        let digest = loaded.2;
        (watcher, watched) = (loaded.0, loaded.1);
        match last.replace(digest) {
            // Changes in between, or since a client's list, were not reported, so the list is
            // loaded once more.
            None => {
                last = Some(state.catalogue.listed_or(digest));
                events.notify_one();
            }
            Some(last) if last == digest => {}
            Some(last) => state.list_changed.send_modify(|changes| {
                changes.tools += u64::from(last.0 != digest.0);
                changes.offers += u64::from(last.1 != digest.1);
            }),
        }
        // Waits for an event, and then until there are no more.
        events.notified().await;
        let end = Instant::now() + MAX_DEBOUNCE;
        while timeout(DEBOUNCE, events.notified()).await.is_ok() && Instant::now() < end {}
    }
}

/// Returns the system's own watcher, or one that polls; each sends relevant events.
fn watcher(events: &Arc<Notify>) -> Option<Box<dyn Watcher + Send>> {
    let on_event = || {
        let events = Arc::clone(events);
        move |event: notify::Result<Event>| {
            let is_relevant = match event {
                Ok(event) => {
                    !matches!(event.kind, EventKind::Access(_))
                        && event.paths.iter().any(|path| is_relevant(path))
                }
                // Events were lost.
                Err(_) => true,
            };
            if is_relevant {
                events.notify_one();
            }
        }
    };
    let config = Config::default();
    if let Ok(watcher) = RecommendedWatcher::new(on_event(), config) {
        return Some(Box::new(watcher));
    }
    let polling = config.with_poll_interval(POLL_INTERVAL);
    Some(Box::new(PollWatcher::new(on_event(), polling).ok()?))
}

/// Returns true if a path can be a tool, a configuration or a folder of tools.
fn is_relevant(path: &Path) -> bool {
    path.extension().is_none_or(|extension| extension == "yaml")
        || path.file_name().is_some_and(|name| name == "package.json")
}

/// Watches exactly these folders instead of the ones that are `watched`. Each is watched anew: one
/// that was deleted and created again is another.
fn watch(watcher: &mut dyn Watcher, watched: &mut Vec<PathBuf>, folders: Vec<PathBuf>) {
    for folder in watched.drain(..) {
        let _ = watcher.unwatch(&folder);
    }
    *watched = folders;
    watched.retain(|folder| watcher.watch(folder, RecursiveMode::NonRecursive).is_ok());
}

/// Returns the folders to watch for changes of the list: the root, for its configuration,
/// and the folders of tools, or the closest ancestors that exist.
fn folders(catalogue: &Catalogue) -> Vec<PathBuf> {
    let (root, config) = catalogue.with_io(|io| {
        let project = project::project(io);
        let config = project::valid_config(&project, io);
        (project.root().to_path_buf(), config)
    });
    let path = |source: &Source| match source.folder() {
        Some(folder) => folder.path().to_path_buf(),
        None => root.join("node_modules"),
    };
    let closest = |path: PathBuf| {
        let existing = path.ancestors().find(|path| path.is_dir());
        existing.map(Path::to_path_buf)
    };
    let sources = config.map(|config| config.sources).unwrap_or_default();
    let mut folders: Vec<PathBuf> = sources.iter().map(path).filter_map(closest).collect();
    let host_folder = root.join(".gemini");
    if host_folder.is_dir() {
        folders.push(host_folder);
    }
    folders.push(root);
    folders.sort_unstable();
    folders.dedup();
    folders
}
