//! The data that all checks share, gathered once.

use std::path::Path;

use cogtools_core::environment::DotEnv;
use cogtools_core::{Config, Diagnostic, Project, Source};
use cogtools_edit::host::settings::Scope;
use cogtools_program::Io;
use cogtools_program::packages::{self, UnusedPackages};
use cogtools_program::project::{config, context, project};

use crate::checks::discovery::{self, Discovery};
use crate::checks::editor::{self, Status};
use crate::checks::mcp::{self, HostFile};
use crate::checks::sources::{self, SourceStatus};
use crate::host::{Gemini, Host};
use crate::tools::Tools;

/// The file that makes a project an extension of Gemini CLI.
const EXTENSION: &str = "gemini-extension.json";

/// A project, its hosts and their settings.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) host: Host,
    pub(crate) gemini: Gemini,
    pub(crate) tools: Tools,
    pub(crate) discovery: Discovery,
    /// The files of hosts other than Gemini CLI.
    pub(crate) host_files: Vec<HostFile>,
    /// The sources that require approval.
    pub(crate) sources: Vec<SourceStatus>,
    /// Which editor answers, if a source asks one.
    pub(crate) editor: Option<Result<Status, Diagnostic>>,
    /// The variables of the project's .env, with their lines.
    pub(crate) dotenv: Vec<(String, usize)>,
    /// True if a source is the packages of the project.
    pub(crate) uses_packages: bool,
    /// The packages with tools that no source brings.
    pub(crate) unused: Option<UnusedPackages>,
}

impl Context {
    /// Reads all files, and runs the discovery command.
    pub(crate) fn gather(io: &Io<'_>) -> Self {
        let host = Host::new(io);
        let gemini = Gemini::gather(&host);
        let project = project(io);
        // An invalid configuration is reported with the tools.
        let config = config(&project, io).ok();
        let config = config.as_ref();
        let is_packages = |source: &Source| matches!(source, Source::Packages(_));
        Self {
            tools: Tools::load(io),
            sources: config.map_or_else(Vec::new, |config| sources::gather(&project, config, io)),
            editor: config.and_then(|config| editor::ask(config, io)),
            dotenv: config.map_or_else(Vec::new, |config| dotenv(&project, config, io)),
            uses_packages: config.is_some_and(|config| config.sources.iter().any(is_packages)),
            unused: config.and_then(|config| packages::unused(&project, config, io)),
            host_files: mcp::gather(&host.root, &host.vars),
            discovery: discovery::discover(&gemini, &host),
            gemini,
            host,
        }
    }

    /// Returns true if the project is for Gemini CLI: it is set up there, or no other host has
    /// the tools.
    pub(crate) fn is_for_gemini(&self) -> bool {
        let (gemini, root) = (&self.gemini, self.root());
        gemini.settings.file(Scope::Project).is_some()
            || gemini.discovery_command().is_some()
            || gemini.call_command().is_some()
            || gemini.server().is_some()
            || !root.join(EXTENSION).is_file() && !self.host_files.iter().any(|it| it.serves(root))
    }

    /// The directory that hosts are started in.
    pub(crate) fn root(&self) -> &Path {
        &self.host.root
    }

    /// The names of the tools that a host sees; if discovery was not run, those
    /// that it would declare.
    pub(crate) fn names(&self) -> Vec<String> {
        match &self.discovery {
            Discovery::Done { names, .. } => names.clone(),
            _ => self.tools.valid_names(),
        }
    }
}

/// The variables of the project's .env; none if it cannot be read, which a call reports.
fn dotenv(project: &Project, config: &Config, io: &Io<'_>) -> Vec<(String, usize)> {
    let cx = context(io, project, config.env_priority, config.bounds());
    let file = cx.environment.file().ok().flatten();
    let variables = file.iter().flat_map(DotEnv::variables);
    variables
        .map(|variable| (variable.name.clone(), variable.line))
        .collect()
}
