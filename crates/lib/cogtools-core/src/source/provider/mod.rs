//! A provider: another program that has tools, and that implements the protocol of
//! `cogtools-discover` and `cogtools-call`.
//!
//! Its discovery runs at most once in the life of a registry. Errors name the provider
//! and affect no tools but its own.

mod approval;
mod ask;
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
mod session;
mod settings;
mod start;

use std::fmt::{self, Debug, Formatter};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use cache::Cache;
use call::RemoteCall;
pub use directory::neutral_directory;
pub use error::{InvalidDeclaration, ProviderError};
use remote::Declarations;
pub use remote::RemoteTool;
pub use server::{Server, Transport};
pub use settings::Settings;
pub use start::clean_path;

use super::{Candidate, Declared, Listing, SourceError};
use crate::digest::{self, Hash};
use crate::file::ReadScope;
use crate::tool::{Author, Provenance, ToolError};
use crate::trust::Grant;
use crate::{Context, Name, Tool};

/// A provider and its declarations.
#[derive(Clone)]
pub struct Provider {
    settings: Arc<Settings>,
    declared: Arc<OnceLock<Result<Declarations, Arc<ProviderError>>>>,
}

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

    /// Makes the cache too old: its declarations have changed.
    pub(crate) fn forget(&self, cx: &Context) {
        let variables = self.variables(cx).ok();
        if let Some(cache) = variables.and_then(|vars| Cache::of(&self.settings, &vars, cx)) {
            cache.expire();
        }
    }
}

impl Debug for Provider {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}
