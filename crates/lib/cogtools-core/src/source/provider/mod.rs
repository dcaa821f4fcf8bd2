//! A provider: another program that has tools, and that implements the protocol of
//! `cogtools-discover` and `cogtools-call`.
//!
//! Its discovery runs at most once in the life of a registry. Errors name the provider
//! and affect no tools but its own. For an MCP server a separate program speaks the protocol, so that
//! no client code is linked into the programs that run for each call. It receives the description
//! of the server in a variable, because other users of the machine can read command lines.

mod cache;
mod call;
mod changes;
mod declared;
mod error;
mod offer;
mod reference;
mod remote;
mod start;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Debug, Formatter};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;

pub use self::changes::{SourceChanges, ToolChanges};
pub use self::error::{InvalidDeclaration, ProviderError};
pub use self::offer::Offer;
pub use self::reference::{Reference, expand, references};
pub(crate) use self::remote::first;
pub use self::remote::{RemoteTool, code_points, without_invisible};
pub use self::start::{clean_path, neutral_directory};

use self::cache::Cache;
use self::call::RemoteCall;
use self::remote::Declarations;
use crate::context::ListWait;
use crate::digest::Hash;
use crate::environment::Vars;
use crate::file::ReadScope;
use crate::sandbox::{Launcher, Sandbox};
use crate::source::{Candidate, Declared, FileNames, Listing, PluginStart, SourceError};
use crate::tool::{Author, Provenance, ToolError};
use crate::trust::Grant;
use crate::{Context, Name, Tool, containment, digest};

/// A provider and its declarations.
#[derive(Clone)]
pub struct Provider {
    settings: Arc<Settings>,
    /// The names that files have, which its tools do not take.
    files: FileNames,
    declared: Arc<OnceLock<Result<Declarations, Arc<ProviderError>>>>,
}

impl Provider {
    /// The files that its command lines and variables name and that are data, without links. Their
    /// content is not approved, and they are used where they are.
    fn data(&self, cx: &Context) -> BTreeSet<PathBuf> {
        let settings = &self.settings;
        if settings.plugin.is_some() {
            return BTreeSet::new();
        }
        let command = self.expanded_command(cx);
        let mut lines = settings.lines();
        lines.extend(command.as_deref());
        let (directory, other) = (start::directory(settings, cx), settings.approved_parts());
        let sandbox = settings.sandbox.as_ref();
        let sets = settings.server.as_ref().map(|it| it.sets.as_slice());
        let sets = sets.unwrap_or_default();
        containment::data_files(&directory, &lines, &other, sets, |file| {
            sandbox.is_some_and(|sandbox| sandbox.may_write(file, cx))
        })
    }

    /// A provider whose discovery has not run yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings: Arc::new(settings),
            files: FileNames::default(),
            declared: Arc::default(),
        }
    }

    /// Returns the same provider, none of whose tools takes a name of `files`.
    #[must_use]
    pub(crate) fn beside(self, files: FileNames) -> Self {
        Self { files, ..self }
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The grant that the declared `tool` needs before it runs: its declaration.
    pub(crate) fn grant(&self, tool: &RemoteTool, cx: &Context) -> Grant {
        let hash = digest::value(&tool.value);
        self.grant_of(tool.remote_name.clone(), hash, cx)
    }

    fn grant_of(&self, tool: String, hash: Hash, cx: &Context) -> Grant {
        let source = self.key(cx);
        Grant { source, tool, hash }
    }

    /// Its source in the record of approvals.
    pub(crate) fn key(&self, cx: &Context) -> String {
        // A name contains no colon.
        format!("command:{}:{}", self.settings.name, cx.root.display())
    }

    /// Its tools, each with its declaration.
    pub fn tools(&self, cx: &Context) -> Result<&[RemoteTool], Arc<ProviderError>> {
        let declarations = self.declarations(cx).as_ref();
        declarations
            .map(|all| all.tools.as_slice())
            .map_err(Arc::clone)
    }

    pub(super) fn find(&self, name: &Name, cx: &Context) -> Result<Option<Tool>, ToolError> {
        // The prefix rules the provider out without running it.
        let prefixes = [&self.settings.prefix, &remote::own_prefix(self)];
        let is_prefixed = prefixes.iter().any(|it| {
            let kept = it.get(..remote::STEM).unwrap_or(it);
            name.as_str().starts_with(kept)
        });
        if !is_prefixed && !self.settings.changes.names(name.as_str()) {
            return Ok(None);
        }
        let mut tools = self.tools(cx).unwrap_or_default().iter();
        let found = tools.find(|tool| tool.name == name.as_str());
        found.map(|tool| self.load(tool)).transpose()
    }

    /// Finds the tool that is called `name` where another source has its own name.
    pub(crate) fn find_beside(&self, name: &Name, cx: &Context) -> Result<Option<Tool>, ToolError> {
        if !name.as_str().starts_with(&remote::own_prefix(self)) {
            return Ok(None);
        }
        let tools = self.tools(cx).unwrap_or_default();
        let tools = tools.iter().map(RemoteTool::beside);
        let mut named = tools.filter(|tool| tool.name == name.as_str());
        named.next().map(|tool| self.load(&tool)).transpose()
    }

    /// The tool with that declaration.
    pub(super) fn load(&self, tool: &RemoteTool) -> Result<Tool, ToolError> {
        let definition = tool.definition(self)?;
        let calls = RemoteCall {
            provider: self.clone(),
            tool: tool.clone(),
        };
        Ok(Tool::foreign(
            definition,
            Arc::new(calls),
            &tool.display_path(self),
        ))
    }

    pub(super) fn list(&self, cx: &Context) -> Listing {
        let mut listing = Listing::default();
        let failed = |error: &Arc<_>| SourceError::Provider(self.name(), Arc::clone(error));
        match self.declarations(cx) {
            Ok(declarations) => {
                let provenance = Arc::new(self.provenance());
                let tools = declarations.tools.iter();
                listing.entries.extend(tools.map(|tool| Candidate {
                    scope: ReadScope::User,
                    name: tool.name.as_str().into(),
                    path: PathBuf::new(),
                    display_path: tool.display_path(self),
                    provenance: Arc::clone(&provenance),
                    declared: Some(Declared::Provider(self.clone(), tool.clone())),
                }));
                listing
                    .errors
                    .extend(declarations.errors.iter().map(failed));
            }
            Err(error) => listing.errors.push(failed(error)),
        }
        listing
    }

    pub(crate) fn provenance(&self) -> Provenance {
        let name = self.name();
        Provenance {
            source: name.clone(),
            toolset: Some(name),
            author: if self.settings.user_configured {
                Author::User
            } else {
                Author::Provider
            },
            grant: None,
        }
    }

    fn name(&self) -> String {
        self.settings.name.clone()
    }

    fn declarations(&self, cx: &Context) -> &Result<Declarations, Arc<ProviderError>> {
        self.declared
            .get_or_init(|| self.load_declarations(cx).map_err(Arc::new))
    }

    /// Makes the cache too old: its declarations have changed.
    pub(crate) fn forget(&self, cx: &Context) {
        if let Some(cache) = self.cache(cx) {
            cache.expire();
        }
    }

    /// The files about it; `None` if it cannot be started.
    fn cache(&self, cx: &Context) -> Option<Cache> {
        Cache::of(self, &self.variables(cx).ok()?, cx)
    }
}

impl Debug for Provider {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

/// The settings of a provider, as configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The provider's name in messages and as a toolset.
    pub name: String,
    /// The discovery command: a program and its arguments.
    pub discover: Vec<String>,
    /// The call command: a program and its arguments; the name of the tool is added at
    /// the end.
    pub call: Vec<String>,
    /// The prefix of its tools' names here, which the provider does not know.
    pub prefix: String,
    /// The environment variables that it may see.
    pub env: Vec<String>,
    /// Variables that may be missing: its description has a default for each.
    pub optional_env: Vec<String>,
    /// The limit of its discovery and of a call.
    pub timeout: Option<Duration>,
    /// The time that a list waits for its declarations.
    pub wait: Option<Duration>,
    /// The time that a session with it stays open without a request.
    pub idle: Option<Duration>,
    /// True if all clients use one session with it.
    pub shared: bool,
    /// The time that its declarations may be cached on disk.
    pub cache: Option<Duration>,
    /// True if the user has named it, rather than the author of the project.
    pub user_configured: bool,
    /// True if the user wants it to start in the project, where it may run the project's
    /// code. Providers that the project names always do.
    pub in_project: bool,
    /// The changes of its tools.
    pub changes: SourceChanges,
    /// The sandbox of its programs, if the configuration has one.
    pub sandbox: Option<Sandbox>,
    /// Its digest as text, for approvals.
    pub(crate) sandbox_digest: Option<String>,
    /// The MCP server, if it is one.
    pub server: Option<Server>,
    /// The start of a plugin's server.
    pub(crate) plugin: Option<PluginStart>,
}

impl Settings {
    /// The default time that a list waits for its declarations. With the time to end a program,
    /// a list takes less than two seconds.
    pub const LIST_WAIT: Duration = Duration::from_millis(1500);
    /// That of a patient list for one that was never heard of. opencode gives a list up after 30
    /// seconds, and others later.
    const PATIENT_WAIT: Duration = Duration::from_secs(20);

    /// Returns true if it starts outside the project, and cannot run its code by name.
    pub(crate) const fn is_neutral(&self) -> bool {
        self.user_configured && !self.in_project
    }

    /// Everything that approval covers: the command lines, and the variables they see.
    pub(crate) fn approved_parts(&self) -> Vec<&[String]> {
        let mut lines = vec![self.discover.as_slice(), &self.call, &self.env];
        if let Some(server) = &self.server {
            lines.push(std::slice::from_ref(&server.description));
            lines.push(server.command());
        }
        lines.extend(
            self.plugin
                .as_ref()
                .map(|plugin| plugin.described.as_slice()),
        );
        // A provider without one keeps its approval.
        lines.extend(self.sandbox_digest.as_ref().map(std::slice::from_ref));
        if !self.changes.lines.is_empty() {
            lines.push(&self.changes.lines);
        }
        if self.user_configured && self.in_project {
            // Approval of a provider that starts elsewhere does not cover this.
            lines.push(&[]);
        }
        lines
    }

    /// Sets the sandbox of its programs.
    pub(crate) fn set_sandbox(&mut self, sandbox: Option<Sandbox>) {
        let digest = |sandbox: &Sandbox| format!("sandbox {}", digest::value(&sandbox.to_json()));
        self.sandbox_digest = sandbox.as_ref().map(digest);
        self.sandbox = sandbox;
    }

    /// The command lines that run programs of its own.
    pub fn lines(&self) -> Vec<&[String]> {
        match &self.server {
            Some(server) => vec![server.command()],
            None => vec![&self.discover, &self.call],
        }
    }

    /// The command line of its server, with the values of the variables that it refers to and sees;
    /// empty for a server behind a URL.
    pub(crate) fn command(&self, variables: &Vars) -> Vec<String> {
        let command = self.server.as_ref().map(Server::command);
        let replace = |reference: Reference<'_>| {
            let mut seen = self.env.iter().chain(&self.optional_env);
            seen.any(|name| name == reference.name).then(|| {
                let value = variables.get(OsStr::new(reference.name));
                reference.text(value.and_then(|value| value.to_str()))
            })?
        };
        let words = command.unwrap_or_default().iter();
        words.map(|word| expand(word, replace)).collect()
    }

    /// The command lines and addresses that it uses and the variables it sees, each
    /// with a label: what the user reviews before approval.
    pub fn describe(&self) -> Vec<(&'static str, &[String])> {
        let mut runs = match self.server.as_ref().map(|it| &it.transport) {
            Some(Transport::Command(line)) => vec![("starts", &**line)],
            Some(Transport::Url(url, headers)) => {
                vec![("asks", std::slice::from_ref(url)), ("sends", headers)]
            }
            None => vec![("discover", &*self.discover), ("call", &*self.call)],
        };
        let (server, plugin) = (self.server.iter(), self.plugin.iter());
        runs.extend(server.map(|server| ("sets", &*server.sets)));
        runs.extend(plugin.map(|plugin| ("sets", &*plugin.described)));
        runs.push(("changes", &self.changes.lines));
        runs.push(("sees", &self.env));
        runs.push(("sees", &self.optional_env));
        runs.retain(|(_, values)| !values.is_empty());
        runs
    }

    /// The time that a list waits for its declarations; `is_new` is true if it was never heard of.
    pub(crate) fn list_wait(&self, wait: ListWait, is_new: bool) -> Duration {
        match (self.wait, wait) {
            (_, ListWait::Instant) => Duration::ZERO,
            (Some(wait), _) => wait,
            (None, ListWait::Patient) if is_new => Self::PATIENT_WAIT,
            (None, _) => Self::LIST_WAIT,
        }
    }

    /// Returns the limit of one call.
    pub(crate) fn call_timeout(&self) -> Duration {
        self.timeout_or(match self.server {
            Some(_) => Server::CALL_TIMEOUT,
            None => Tool::TIMEOUT,
        })
    }

    /// Returns the limit of one run, `default` unless configured.
    pub(crate) fn timeout_or(&self, default: Duration) -> Duration {
        let time = self.timeout.unwrap_or(default);
        if self.server.is_some() {
            time.saturating_add(OVERHEAD)
        } else {
            time
        }
    }
}

/// An MCP server, as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its description for the client: JSON with name, command or url, and the other
    /// settings.
    pub description: String,
    /// Its transport.
    pub transport: Transport,
    /// The variables that its description sets, each as `NAME=VALUE`.
    pub sets: Vec<String>,
    /// True if it speaks the HTTP+SSE transport of 2024-11-05, which is not supported.
    pub is_sse: bool,
}

/// The transport of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// The program and its arguments.
    Command(Vec<String>),
    /// The URL, and the names of the additional headers.
    Url(String, Vec<String>),
}

/// Variables that servers inherit in addition to the declared ones, as in other hosts:
/// servers started by package managers need a home directory.
const INHERITED_VARS: &[&str] = if cfg!(windows) {
    &[
        "APPDATA",
        "LOCALAPPDATA",
        "USERPROFILE",
        "USERNAME",
        "HOMEDRIVE",
        "HOMEPATH",
    ]
} else {
    &["HOME", "USER", "LOGNAME"]
};
/// Variables that the client itself and launchers inherit for HTTP: which certificates to trust,
/// and which proxies to use. They are set for every program on the system.
const HTTP_VARS: [&str; 9] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
];
/// Variables that say where the client finds the tokens of logins: in the user's state, or in the
/// keyring of the session.
const LOGIN_VARS: [&str; 3] = [
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];
/// The time beyond the timeout of the server that the client may take, so that it can report a
/// timeout.
const OVERHEAD: Duration = Duration::from_secs(3);

/// Sets `key` in the description of a server for the client.
fn described(description: &str, key: &str, value: Value) -> String {
    let mut description: Value = serde_json::from_str(description).unwrap_or_default();
    description[key] = value;
    description.to_string()
}

impl Server {
    /// The client.
    pub const PROGRAM: &'static str = "cogtools-mcp-client";
    /// The client as a subcommand of the program that contains it.
    const SUBCOMMAND: &str = "mcp-client";
    /// The variable with the description.
    pub const VARIABLE: &'static str = "COGTOOLS_MCP_SERVER";
    /// The default lifetime of cached declarations: a day.
    pub const CACHE_TTL: Duration = Duration::from_hours(24);
    /// The time that a session stays open without a request by default: a quarter of an hour.
    pub const IDLE: Duration = Duration::from_mins(15);
    /// The timeout of discovery: the server's package may have to be downloaded.
    pub const LIST_TIMEOUT: Duration = Duration::from_mins(2);
    /// The timeout of a call, as in Gemini CLI. Clients with less patience cancel it.
    pub const CALL_TIMEOUT: Duration = Duration::from_mins(10);

    /// The program and its arguments; empty for a server behind a URL.
    pub(crate) fn command(&self) -> &[String] {
        match &self.transport {
            Transport::Command(line) => line,
            Transport::Url(..) => &[],
        }
    }

    /// Adds the variables that the client and the server need to `variables`.
    pub(super) fn add_to(&self, variables: &mut Vars, cx: &Context) {
        let ours: &[&[&str]] = match &self.transport {
            Transport::Command(line) if Launcher::of(line).is_some() => {
                &[&HTTP_VARS, &Launcher::CERTIFICATES]
            }
            Transport::Command(_) => &[],
            Transport::Url(..) => &[&HTTP_VARS, &LOGIN_VARS],
        };
        // A project's `.env` decides neither whom they trust nor where their files are.
        let names = INHERITED_VARS.iter().chain(ours.iter().copied().flatten());
        for (name, value) in cx.environment.user_vars(names.copied()) {
            variables.entry(name).or_insert(value);
        }
        variables.insert(Self::VARIABLE.into(), self.description.clone().into());
    }
}

/// The variable with the projects whose providers are running, separated by commas. It
/// contains hashes, because a path may contain any character; its name is not the one of a
/// setting.
const WITHIN_VARIABLE: &str = "_COGTOOLS_WITHIN";

/// Returns true if one of the project's own providers started this process: listing it would recurse
/// until the machine runs out of processes.
fn is_recursive(cx: &Context) -> bool {
    let mark = mark(cx);
    running_projects(cx)
        .is_some_and(|marks| marks.to_string_lossy().split(',').any(|one| one == mark))
}

/// Adds the project to the ones in `variables` whose providers are running.
fn add_project(variables: &mut Vars, cx: &Context) {
    let mark = OsString::from(mark(cx));
    let projects = match running_projects(cx) {
        Some(marks) if !marks.is_empty() => [marks, &mark].join(OsStr::new(",")),
        _ => mark,
    };
    variables.insert(WITHIN_VARIABLE.into(), projects);
}

fn running_projects(cx: &Context) -> Option<&OsStr> {
    let process = cx.environment.process();
    process
        .get(OsStr::new(WITHIN_VARIABLE))
        .map(OsString::as_os_str)
}

fn mark(cx: &Context) -> String {
    digest::value(&Value::from(cx.root.display().to_string())).to_string()
}
