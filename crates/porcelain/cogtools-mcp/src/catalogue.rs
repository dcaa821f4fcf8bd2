//! The tools of one project, loaded again for each request, because files change
//! while the server runs.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use cogtools_core::{
    Cancel, Context, Diagnostic, FindError, Found, ListWait, Progress, Registry, Resident,
    SourceError, Target, Tool, Warnings,
};
use cogtools_program::args::RegistryArgs;
use cogtools_program::budget::BudgetArg;
use cogtools_program::{DetachedIo, Failure, Io, project};
use tokio::sync::Notify;

use crate::auth::Store;
use crate::declarations::{DeclarationCache, LoadResult, PublishOptions, PublishedTool, publish};
use crate::sources::SourceSessions;

/// The tools of a project, for every request.
pub(crate) struct Catalogue {
    registry: RegistryArgs,
    budget: BudgetArg,
    /// The API that the client passes tools to, if it is known.
    api: Option<Target>,
    io: DetachedIo,
    cache: DeclarationCache,
    /// See [`Self::listed`].
    listed: OnceLock<u64>,
    /// The diagnostics of the last listing.
    reported: Mutex<Vec<Diagnostic>>,
    /// The warnings of calls.
    call_warnings: Warnings,
    /// The warnings of calls that have been reported.
    reported_of_calls: Mutex<Vec<Diagnostic>>,
    resident: Arc<Resident>,
    sessions: Arc<SourceSessions>,
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
        io: &Io<'_>,
    ) -> Self {
        let source_changed = Arc::<Notify>::default();
        let notify = Arc::clone(&source_changed);
        let sessions = Arc::new(SourceSessions::new(Store::of(io)));
        let resident = Resident::new(move || notify.notify_one());
        let resident = Arc::new(resident.with_sessions(Arc::<SourceSessions>::clone(&sessions)));
        registry.list_wait = ListWait::Moment;
        registry.resident = Some(Arc::clone(&resident));
        Self {
            resident,
            sessions,
            source_changed,
            registry,
            budget,
            api,
            io: DetachedIo::new(io, Cancel::default()),
            cache: DeclarationCache::default(),
            listed: OnceLock::new(),
            reported: Mutex::default(),
            call_warnings: Warnings::default(),
            reported_of_calls: Mutex::default(),
        }
    }

    /// Runs `work` with the server's directory and environment, but without its
    /// streams: those belong to the client.
    pub(crate) fn with_io<T>(&self, work: impl FnOnce(&Io<'_>) -> T) -> T {
        self.io.run(work)
    }

    /// Stops the programs of sources.
    pub(crate) fn stop(&self) {
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

    /// Returns a registry with the current configuration.
    pub(crate) fn registry(&self) -> Result<Registry, Vec<Diagnostic>> {
        self.registry_and_warnings().map(|(registry, _)| registry)
    }

    fn registry_and_warnings(&self) -> Result<(Registry, Vec<Diagnostic>), Vec<Diagnostic>> {
        self.with_io(|io| {
            let registry = project::registry(&self.registry, io, Some(Target::Mcp))?;
            Ok((registry, io.context.take_warnings()))
        })
        .map_err(|failure: Failure| failure.diagnostics().to_vec())
    }

    /// Finds the tool of that name, and the registry that contains it.
    pub(crate) fn find(&self, name: &str) -> Result<(Registry, Arc<Tool>), CallError> {
        let registry = self.registry().map_err(CallError::Failed)?;
        let tool = registry.find(name).map_err(|error| match error {
            FindError::Invalid(_) => CallError::Failed(error.diagnostics()),
            _ => CallError::NotFound(error.diagnostics()),
        })?;
        Ok((registry, Arc::new(tool)))
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

    fn load(&self) -> Result<Listing, Vec<Diagnostic>> {
        let (registry, warnings) = self.registry_and_warnings()?;
        let budget = self.budget.or_configured(&registry);
        let options = PublishOptions {
            count_tokens: budget.is_some(),
            api: self.api,
        };
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
                let counted = tools.map(|tool| (Some(Arc::clone(&tool)), tool.tokens()));
                let search = |tool: &Tool| PublishedTool::new(tool, options).ok().map(Arc::new);
                let selected = budget.select(counted.collect(), &registry, search)?;
                selected.into_iter().flatten().collect()
            }
            None => tools.collect(),
        };
        Ok(listing)
    }

    /// Loads the tools of `registry`, with their token counts if asked for. A lock pins more
    /// than the file that the cache looks at.
    fn load_tools(&self, registry: &Registry, options: PublishOptions) -> Found<LoadResult> {
        if registry.is_locked() {
            return registry.map(|tool| publish(tool, options));
        }
        let found = registry.files();
        Found {
            items: self.cache.get_or_load(found.items, options),
            source_errors: found.source_errors,
            shadowed: found.shadowed,
            filtered_out: found.filtered_out,
            unmatched: found.unmatched,
        }
    }

    /// Returns a hash of all that clients can list.
    pub(crate) fn digest(&self) -> u64 {
        match self.load() {
            Ok(listing) => listing.digest(),
            Err(diagnostics) => {
                let mut hasher = DefaultHasher::new();
                let messages = diagnostics.iter().map(|diagnostic| &diagnostic.message);
                messages.for_each(|message| message.hash(&mut hasher));
                hasher.finish()
            }
        }
    }

    /// Returns the hash of the first list that a client has got.
    pub(crate) fn listed(&self) -> Option<u64> {
        self.listed.get().copied()
    }

    /// Returns the context of a call of `tool`, with `cancel` and `progress`. For a tool that does not
    /// use it, it has only our own programs.
    pub(crate) fn cx(
        &self,
        tool: &Tool,
        cancel: Cancel,
        progress: Option<Progress>,
    ) -> Result<Context, Vec<Diagnostic>> {
        if !tool.needs_context() {
            return Ok(Context {
                programs: self.io.program.parent().map(Path::to_path_buf),
                cancel,
                ..Context::default()
            });
        }
        let mut cx = self
            .with_io(|io| {
                let project = project::project(io);
                let config = project::valid_config(&project, io)?;
                let bounds = self.registry.env.bounds(&config);
                Ok(project::context(io, &project, config.env_priority, bounds))
            })
            .map_err(|failure: Failure| failure.diagnostics().to_vec())?;
        cx.call.progress = progress;
        cx.list.resident = Some(Arc::clone(&self.resident));
        Ok(Context {
            cancel,
            warnings: self.call_warnings.clone(),
            ..cx
        })
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
