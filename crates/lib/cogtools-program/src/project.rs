//! The project that contains the working directory, its configuration and its tools.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cogtools_core::approval::{TrustableSource, trust_project, trustable_sources};
use cogtools_core::file::ReadScope;
use cogtools_core::process::Bounds;
use cogtools_core::source::{Plugin, SkillFolder, Skills, Source};
use cogtools_core::tool::Author;
use cogtools_core::trust::{Trust, Verdict};
use cogtools_core::{
    Background, CallContext, Cancel, Code, Config, Context, Diagnostic, EnvPriority, Environment,
    ListContext, Lock, LockedTools, Project, Registry, Target,
};

use crate::args::RegistryArgs;
use crate::dirs;
use crate::failure::Failure;
use crate::io::Io;
use crate::process;
use crate::report::Severity;

/// A project and its configuration, as far as they give the context of the programs that it runs.
#[derive(Debug)]
pub struct ProjectContext {
    project: Project,
    priority: EnvPriority,
    bounds: Bounds,
    tool_folders: Vec<PathBuf>,
    options: Arc<Vec<OsString>>,
}

impl ProjectContext {
    /// Loads the project that contains `io`'s working directory.
    pub fn load(args: &RegistryArgs, io: &Io<'_>) -> Result<Self, Failure> {
        let project = project(io);
        let (config, _) = valid_layers(&project, io)?;
        Ok(Self::of(project, &config, args))
    }

    fn of(project: Project, config: &Config, args: &RegistryArgs) -> Self {
        Self {
            project,
            priority: args.env.priority(config),
            bounds: args.env.bounds(config),
            tool_folders: config.tool_folders(),
            options: args.handed_on(),
        }
    }

    /// The context of the programs that the project runs.
    pub fn context(&self, io: &Io<'_>) -> Context {
        Context {
            tool_folders: self.tool_folders.clone(),
            options: Arc::clone(&self.options),
            ..context(io, &self.project, self.priority, self.bounds)
        }
    }
}

/// The project that contains `io`'s working directory.
pub fn project(io: &Io<'_>) -> Project {
    let home = dirs::home(io);
    let _step = tracing::debug_span!("find project").entered();
    if io.cwd.as_os_str().is_empty() {
        let message = "the working directory no longer exists";
        let warning = Diagnostic::new(Code::IoFailed, message);
        io.context
            .warn(warning.hint("change to a directory that exists"));
    }
    let project = Project::find(&io.cwd, home.as_deref(), &dirs::owners(io));
    for skipped in &project.skipped {
        io.context
            .warn(skipped.diagnostic("its project is not used"));
    }
    project
}

/// Where the file or folder at `path` may be, which the user has named on the command line: in
/// the project that contains it, or anywhere if none does.
pub fn read_scope(path: &Path, io: &Io<'_>) -> ReadScope {
    project(io).scope_of(path, dirs::home(io).as_deref())
}

/// The configuration of `project`, with all layers.
pub fn config(project: &Project, io: &Io<'_>) -> Result<Config, Failure> {
    let _step = tracing::debug_span!("load configuration").entered();
    let paths = dirs::config_paths(io);
    let mut config = Config::load(project, &paths)?;
    if !config.ask.aliases.is_empty() && !is_trusted(project, io) {
        config.prefer_users_aliases();
    }
    warn(&config, io);
    Ok(config)
}

/// Adds the warnings of `config` to those for the end of the run.
fn warn(config: &Config, io: &Io<'_>) {
    let warnings = config.warnings.iter().cloned();
    warnings.for_each(|warning| io.context.warn(warning));
}

/// Returns true if `project` may have tools that must be pinned: it has a lock file, or a layer of its
/// configuration mentions the key.
pub fn may_be_locked(project: &Project, io: &Io<'_>) -> bool {
    let (lock, _) = project.resolve(Lock::FILE.as_ref());
    lock.symlink_metadata().is_ok() || dirs::config_paths(io).may_set(project, "locked")
}

/// Settings of the configuration without effect: a warning for each.
pub fn config_warnings(io: &Io<'_>) -> Vec<Diagnostic> {
    dirs::config_paths(io).unknown_variables()
}

/// Like [`config`], without layers of the project that have errors: hosts must get what there is.
pub fn valid_config(project: &Project, io: &Io<'_>) -> Result<Config, Failure> {
    valid_layers(project, io).map(|(config, _)| config)
}

/// Like [`valid_config`], with the errors.
fn valid_layers(project: &Project, io: &Io<'_>) -> Result<(Config, Vec<Diagnostic>), Failure> {
    let _step = tracing::debug_span!("load configuration").entered();
    let paths = dirs::config_paths(io);
    let loaded = Config::load_valid_layers(project, &paths)?;
    warn(&loaded.0, io);
    Ok(loaded)
}

/// The tools of the project that contains `io`'s working directory, filtered by `args`, for
/// the host that the command line names, or else for `host`.
pub fn registry(
    args: &RegistryArgs,
    io: &Io<'_>,
    host: Option<Target>,
) -> Result<Registry, Failure> {
    registry_and_context(args, io, host).map(|(registry, _)| registry)
}

/// The variable with which `cogtools-discover` asks sources and prints nothing.
pub const FILL_CACHES: &str = "_COGTOOLS_FILL_CACHES";

/// A process that asks the project's sources to the end, for lists that have stopped waiting.
pub fn background(io: &Io<'_>) -> Option<Background> {
    let folder = io.program.parent()?;
    let file = |name: &str| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let own = (file("cogtools-discover"), &[][..]);
    let inside = (file("cogtools"), &["discover"][..]);
    let line = [own, inside].into_iter().find(|(file, _)| file.is_file())?;
    let mut vars = io.vars.clone();
    vars.insert(FILL_CACHES.into(), "1".into());
    Some(Background::new(line, io.cwd.clone(), vars))
}

/// Like [`registry`], with the context in which its tools run.
pub fn registry_and_context(
    args: &RegistryArgs,
    io: &Io<'_>,
    host: Option<Target>,
) -> Result<(Registry, ProjectContext), Failure> {
    let project = project(io);
    let (mut config, config_errors) = if args.lenient {
        valid_layers(&project, io)?
    } else {
        (config(&project, io)?, Vec::new())
    };
    args.filter.names.apply(&mut config.filter);
    let is_editor = |source: &Source| matches!(source, Source::Editor);
    if args.editor && !config.sources.iter().any(is_editor) {
        config.sources.push(Source::Editor);
    }
    let host = args.filter.host.or(host);
    config.env_priority = args.env.priority(&config);
    config.sandbox = args.env.bounds(&config).sandbox;
    let mut cx = source_context(&config, &project, io);
    cx.list = ListContext {
        refresh: args.refresh,
        cached_only: false,
        wait: args.list_wait,
        resident: args.resident.clone(),
        background: args.background.clone(),
        trace: None,
    };
    let locked = args.locked.locked;
    let is_locked = locked.is_some_and(|locked| locked || config.locked);
    let context = ProjectContext::of(project, &config, args);
    let project = &context.project;
    let mut registry = Registry::new(config, host, cx);
    registry.config_errors = config_errors;
    if is_locked {
        let (path, display_path) = project.resolve(Lock::FILE.as_ref());
        let lock = Lock::read(&path, &display_path)?;
        let locked = LockedTools::new(lock, project.root(), project.display_path());
        registry.locked = Some(Arc::new(locked));
    }
    Ok((registry, context))
}

/// Lists the folders with skills for agents: the user's and, if the user trusts it, of `project` and
/// its `plugins`.
pub fn skills<'p>(
    project: &Project,
    plugins: impl Iterator<Item = &'p Plugin>,
    is_quiet: bool,
    io: &mut Io<'_>,
) -> Vec<SkillFolder> {
    let mut folders = Vec::new();
    folders.extend(dirs::home(io).map(|home| SkillFolder {
        path: home.join(Skills::FOLDER),
        display_path: Path::new("~").join(Skills::FOLDER),
        source: "skills".to_owned(),
        author: Author::User,
        boundary: None,
    }));
    let (path, display_path) = project.resolve(Path::new(Skills::FOLDER));
    if is_trusted(project, io) {
        folders.push(SkillFolder {
            path,
            display_path,
            source: "skills".to_owned(),
            author: Author::Project,
            boundary: Some(project.root().to_path_buf()),
        });
        folders.extend(plugins.map(Plugin::skills));
    } else if !is_quiet && path.is_dir() {
        io.note("the project is not trusted: its skills are not used");
    }
    folders
}

/// Like [`registry`], without the sources that are programs: listing and finding tools starts
/// nothing.
pub fn file_registry(args: &RegistryArgs, io: &Io<'_>) -> Result<Registry, Failure> {
    let project = project(io);
    let (mut config, _) = valid_layers(&project, io)?;
    args.filter.names.apply(&mut config.filter);
    config.sources.retain(|source| !source.is_remote());
    Ok(Registry::new(config, args.filter.host, Context::default()))
}

/// Like [`registry`], with the cached declarations of the sources that are programs: listing
/// and finding tools starts nothing.
pub fn cached_registry(args: &RegistryArgs, io: &Io<'_>) -> Result<Registry, Failure> {
    let project = project(io);
    let (mut config, _) = valid_layers(&project, io)?;
    args.filter.names.apply(&mut config.filter);
    let mut cx = source_context(&config, &project, io);
    cx.list.cached_only = true;
    Ok(Registry::new(config, args.filter.host, cx))
}

/// Like [`registry`], filtered by the configuration only.
pub fn unfiltered_registry(io: &Io<'_>, host: Option<Target>) -> Result<Registry, Failure> {
    registry(&RegistryArgs::default(), io, host)
}

/// The context of the sources, which only programs need to be cancelled in.
fn source_context(config: &Config, project: &Project, io: &Io<'_>) -> Context {
    let cx = if config.needs_context() {
        cancellable_context(io, project, config.env_priority, config.bounds())
    } else {
        context(io, project, config.env_priority, config.bounds())
    };
    Context {
        tool_folders: config.tool_folders(),
        ..cx
    }
}

/// Like [`context`], for sources that run programs, which are terminated when this process is
/// asked to end.
pub fn cancellable_context(
    io: &Io<'_>,
    project: &Project,
    priority: EnvPriority,
    bounds: Bounds,
) -> Context {
    Context {
        cancel: io.signals.begin(),
        ..context(io, project, priority, bounds)
    }
}

/// The context of the programs that tools and sources of `project` run.
pub fn context(io: &Io<'_>, project: &Project, priority: EnvPriority, bounds: Bounds) -> Context {
    let environment = Environment::new(io.vars.clone()).with_owners(dirs::owners(io));
    Context {
        root: project.root().to_path_buf(),
        environment: environment.with_dotenv(
            &io.cwd,
            project.root(),
            project.display_path(),
            priority,
        ),
        trust: trust(io),
        cache: dirs::cache_dir(io),
        state: dirs::state_dir(io),
        programs: io.program.parent().map(Path::to_path_buf),
        limits: bounds.limits,
        sandbox: bounds.sandbox,
        tool_folders: Vec::new(),
        options: Arc::default(),
        warnings: io.context.warnings(),
        cancel: Cancel::default(),
        requests: io.context.requests(),
        sessions: io.context.sessions.clone(),
        list: ListContext::default(),
        call: CallContext::default(),
    }
}

/// The user's record of approvals.
pub fn trust(io: &Io<'_>) -> Trust {
    Trust {
        file: dirs::trust_file(io),
        host_file: dirs::host_trust_file(io),
        on_wait: Some(process::notify_waiting),
    }
}

/// Returns true if the user trusts `project`.
fn is_trusted(project: &Project, io: &Io<'_>) -> bool {
    let verdict = trust(io).project_verdict(project.root());
    matches!(verdict, Ok(Verdict::Approved))
}

/// The advice after [`trust_created_project`] for a project that is not trusted.
pub const REVIEW: &str = "- programs of this project do not run yet, because others may have written \
                          some of it; review it, and trust it:\n    cogtools trust .\n";

/// Trusts the project that contains `io`'s working directory, if this run has made all that is in
/// it: `is_new`, as [`is_untouched`](cogtools_core::trust::is_untouched) says of its folder before.
/// Returns false if programs of it wait for a review.
pub fn trust_created_project(io: &mut Io<'_>, is_new: bool) -> bool {
    let project = project(io);
    let Ok(config) = config(&project, io) else {
        // What uses the configuration will report it.
        return true;
    };
    let cx = context(io, &project, config.env_priority, config.bounds());
    let trusted = match cx.trust.project_verdict(&cx.root) {
        Ok(Verdict::NotApproved) if is_new => trust_project(&cx).map(|()| true),
        Ok(Verdict::Approved) => Ok(true),
        Ok(_) => {
            let sources = trustable_sources(&config, &cx);
            Ok(!sources.iter().any(TrustableSource::runs_something))
        }
        Err(error) => Err(Box::new(error.diagnostic())),
    };
    trusted.unwrap_or_else(|diagnostic| {
        io.report(Severity::Warning, &diagnostic);
        false
    })
}
