//! The project around a program, its configuration and its tools.

use std::path::Path;

use cogtools_core::trust::Trust;
use cogtools_core::{Cancel, Config, Context, EnvPriority, Environment, Project, Registry, Target};

use crate::args::{EnvArgs, RegistryArgs};
use crate::dirs;
use crate::failure::Failure;
use crate::io::Io;

/// A project, and whose variables count in it: where programs are run.
#[derive(Debug)]
pub struct ProjectContext {
    project: Project,
    priority: EnvPriority,
}

impl ProjectContext {
    /// The one around `io`'s working directory, as its configuration and the command
    /// line have it.
    pub fn load(env: EnvArgs, io: &Io<'_>) -> Result<Self, Failure> {
        let project = project(io);
        let priority = env.priority(&config(&project, io)?);
        Ok(Self { project, priority })
    }

    /// What is around the programs that are run there.
    pub fn cx(&self, io: &Io<'_>) -> Context {
        cx(io, &self.project, self.priority)
    }
}

/// The project around `io`'s working directory.
pub fn project(io: &Io<'_>) -> Project {
    Project::find(&io.cwd, io.var("HOME").map(Path::new))
}

/// The configuration of `project`, all layers of it.
pub fn config(project: &Project, io: &Io<'_>) -> Result<Config, Failure> {
    let paths = dirs::config_paths(io);
    Config::load(project, &paths).map_err(|error| Failure::from(error.diagnostics()))
}

/// The tools of the project around `io`'s working directory, for the host that the
/// command line names, or else for `host` if it is known who asks, without those
/// that the command line leaves out.
pub fn registry(
    args: &RegistryArgs,
    io: &Io<'_>,
    host: Option<Target>,
) -> Result<Registry, Failure> {
    registry_and_context(args, io, host).map(|(registry, _)| registry)
}

/// The same, and where its tools are run.
pub fn registry_and_context(
    args: &RegistryArgs,
    io: &Io<'_>,
    host: Option<Target>,
) -> Result<(Registry, ProjectContext), Failure> {
    let project = project(io);
    let mut config = config(&project, io)?;
    args.filter.apply(&mut config.filter);
    let host = args.filter.host.or(host);
    let priority = args.env.priority(&config);
    config.env_priority = priority;
    let mut cx = source_context(&config, &project, io);
    cx.refresh = args.refresh;
    let registry = Registry::new(config, host, cx);
    Ok((registry, ProjectContext { project, priority }))
}

/// The same tools, with nothing left out but what the configuration leaves out.
pub fn unfiltered_registry(io: &Io<'_>, host: Option<Target>) -> Result<Registry, Failure> {
    registry(&RegistryArgs::default(), io, host)
}

/// What is around the sources, if any of them looks at it.
fn source_context(config: &Config, project: &Project, io: &Io<'_>) -> Context {
    if config.runs_programs() {
        cancellable_context(io, project, config.env_priority)
    } else {
        Context::default()
    }
}

/// The same as [`cx`], for sources that are programs: they are ended when
/// this process is asked to end.
pub fn cancellable_context(io: &Io<'_>, project: &Project, priority: EnvPriority) -> Context {
    Context {
        cancel: io.signals.begin(),
        ..cx(io, project, priority)
    }
}

/// What is around the programs that tools and sources of `project` run.
pub fn cx(io: &Io<'_>, project: &Project, priority: EnvPriority) -> Context {
    let environment = Environment::new(io.vars.clone());
    Context {
        root: project.root().to_path_buf(),
        environment: environment.with_dotenv(
            &io.cwd,
            project.root(),
            project.display_path(),
            priority,
        ),
        trust: Trust::new(dirs::trust_record(io)),
        cache: dirs::cache(io),
        refresh: false,
        programs: io.program.parent().map(Path::to_path_buf),
        cancel: Cancel::default(),
    }
}
