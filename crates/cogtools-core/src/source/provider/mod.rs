//! A provider: another program that has tools, and that implements the protocol of
//! `cogtools-discover` and `cogtools-call`.
//!
//! Its discovery runs at most once in the life of a registry. Errors name the provider
//! and affect no tools but its own.

mod approval;
mod cache;
mod call;
mod content_blocks;
mod directory;
mod error;
mod local_name;
mod recursion;
mod remote;
mod sandbox;
mod server;
mod settings;
mod start;

use std::fmt::{self, Debug, Formatter};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use approval::ApprovedFiles;
use call::RemoteCall;
pub use directory::neutral_directory;
pub use error::ProviderError;
use remote::Declarations;
pub use remote::RemoteTool;
pub use server::{Server, Transport};
pub use settings::Settings;
pub use start::clean_path;

use super::{Candidate, Declared, Listing, SourceError};
use crate::digest::{self, Hash};
use crate::environment::Vars;
use crate::file::ReadScope;
use crate::process::{Exit, Output};
use crate::tool::{Author, Provenance, ToolError};
use crate::trust::Grant;
use crate::{Context, Diagnostic, Name, Tool};

/// A provider and its declarations.
#[derive(Clone)]
pub struct Provider {
    settings: Arc<Settings>,
    declared: Arc<OnceLock<Result<Declarations, Arc<ProviderError>>>>,
}

/// How many bytes of declarations are read: 10 MiB, the limit of Gemini CLI.
const MAX_DECLARATION_BYTES: usize = 10 << 20;
/// The default timeout of discovery.
const DISCOVER_TIMEOUT: Duration = Duration::from_secs(10);

impl Provider {
    /// A provider whose discovery has not run yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings: Arc::new(settings),
            declared: Arc::default(),
        }
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The grant that the declared `tool` needs before it runs: its declaration.
    pub(crate) fn grant(&self, tool: &RemoteTool, cx: &Context) -> Grant {
        let hash = digest::value(tool.value());
        self.grant_of(tool.remote_name().to_owned(), hash, cx)
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

    pub(super) fn find(
        &self,
        name: &Name,
        cx: &Context,
        errors: &mut Vec<SourceError>,
    ) -> Result<Option<Tool>, ToolError> {
        // The prefix rules the provider out without running it.
        if !name.as_str().starts_with(&self.settings.prefix) {
            return Ok(None);
        }
        match self.tools(cx) {
            Ok(tools) => {
                let found = tools.iter().find(|tool| tool.name() == name.as_str());
                found.map(|tool| self.load(tool)).transpose()
            }
            Err(error) => {
                errors.push(SourceError::Provider(error));
                Ok(None)
            }
        }
    }

    /// The tool with that declaration.
    pub(super) fn load(&self, tool: &RemoteTool) -> Result<Tool, ToolError> {
        let definition = tool.definition(self)?;
        let handler = RemoteCall::new(self.clone(), tool.clone());
        let tool = Tool::new(definition, Arc::new(handler), &tool.display_path(self));
        Ok(tool.from(Arc::new(self.provenance())))
    }

    pub(super) fn list(&self, cx: &Context) -> Listing {
        let mut listing = Listing::default();
        match self.declarations(cx) {
            Ok(declarations) => {
                let provenance = Arc::new(self.provenance());
                let tools = declarations.tools.iter();
                listing.entries.extend(tools.map(|tool| Candidate {
                    scope: ReadScope::User,
                    name: tool.name().into(),
                    path: PathBuf::new(),
                    display_path: tool.display_path(self),
                    provenance: Arc::clone(&provenance),
                    declared: Some(Declared::Provider(self.clone(), tool.clone())),
                }));
                let errors = declarations.errors.iter().map(Arc::clone);
                listing.errors.extend(errors.map(SourceError::Provider));
            }
            Err(error) => listing
                .errors
                .push(SourceError::Provider(Arc::clone(error))),
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
        }
    }

    fn name(&self) -> String {
        self.settings.name.clone()
    }

    fn declarations(&self, cx: &Context) -> &Result<Declarations, Arc<ProviderError>> {
        self.declared
            .get_or_init(|| self.load_declarations(cx).map_err(Arc::new))
    }

    /// Its current declarations, or the cached ones.
    fn load_declarations(&self, cx: &Context) -> Result<Declarations, ProviderError> {
        let approved = self.check_approval(cx)?;
        if recursion::is_recursive(cx) {
            return Err(ProviderError::Recursive(self.name()));
        }
        let variables = self.variables(cx)?;
        let cache = self.cache(&variables, cx);
        let readable = cache.as_ref().filter(|_| !cx.refresh);
        if let Some(values) = readable.and_then(cache::Cache::read) {
            return Ok(remote::read(values, self));
        }
        if cx.cached_only {
            return Ok(remote::read(Vec::new(), self));
        }
        let output = self.discover(&approved, variables, cx)?;
        let values = remote::values(&output.stdout.bytes)
            .map_err(|message| ProviderError::InvalidOutput(self.name(), message))?;
        if let Some(cache) = cache {
            cache.write(&values);
        }
        Ok(remote::read(values, self))
    }

    /// The cache of its declarations, if they are cached.
    fn cache(&self, variables: &Vars, cx: &Context) -> Option<cache::Cache> {
        let max_age = self.settings.cache?;
        cache::Cache::of(&self.settings, variables, max_age, cx)
    }

    /// Discards the cache: its declarations have changed.
    pub(crate) fn forget(&self, cx: &Context) {
        let variables = self.variables(cx).ok();
        if let Some(cache) = variables.and_then(|variables| self.cache(&variables, cx)) {
            cache.remove();
        }
    }

    fn discover(
        &self,
        approved: &ApprovedFiles,
        variables: Vars,
        cx: &Context,
    ) -> Result<Output, ProviderError> {
        let server = self.settings.server.is_some();
        let default = if server {
            Server::LIST_TIMEOUT
        } else {
            DISCOVER_TIMEOUT
        };
        let timeout = self.settings.timeout_or(default);
        let output = self
            .process((&self.settings.discover, &[]), approved, variables, cx)?
            .timeout(timeout)
            .stdout_limit(MAX_DECLARATION_BYTES)
            .run(&cx.cancel)
            .map_err(|error| ProviderError::Start(self.name(), error))?;
        match output.exit {
            Exit::TimedOut => Err(ProviderError::TimedOut(self.name(), timeout)),
            _ if output.stdout.left_out > 0 => Err(ProviderError::OutputLimit(self.name())),
            exit if exit.is_success() => Ok(output),
            _ if server && let Some(diagnostic) = Diagnostic::from_json(&output.stderr.bytes) => {
                Err(ProviderError::Server(self.name(), Box::new(diagnostic)))
            }
            _ => Err(ProviderError::failed(self.name(), &output)),
        }
    }
}

impl Debug for Provider {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}
