//! Another program that has tools: it speaks the protocol of `cogtools-discover`
//! and `cogtools-call`.
//!
//! It is asked at most once in the life of a registry. What is wrong with it is
//! said in its name, and costs no tool but its own.

mod cache;
mod call;
mod circle;
mod content_blocks;
mod error;
mod remote;
mod server;
mod settings;

use std::ffi::OsStr;
use std::fmt::{self, Debug, Formatter};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use call::RemoteCall;
pub use error::ProviderError;
pub use remote::RemoteTool;
use server::parse_client_error;
pub use server::{Server, Way};
pub use settings::Settings;

use super::{Listed, Listing, SourceError};
use crate::digest::{self, Hash};
use crate::environment::Vars;
use crate::process::{End, Output, Process};
use crate::tool::{Author, Provenance, ToolError};
use crate::trust::{Grant, Verdict};
use crate::{Name, Surroundings, Tool};

/// A provider, and what it has declared.
#[derive(Clone)]
pub struct Provider {
    settings: Arc<Settings>,
    declared: Arc<OnceLock<Result<Declarations, Arc<ProviderError>>>>,
}

/// What a provider has declared, and what of it is no declaration.
#[derive(Debug, Default)]
struct Declarations {
    tools: Vec<RemoteTool>,
    errors: Vec<Arc<ProviderError>>,
}

/// How many bytes of declarations are read: 10 MiB, as Gemini CLI does.
const MOST: usize = 10 << 20;
/// How long a provider may take to declare unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

impl Provider {
    /// A provider that nobody has asked yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings: Arc::new(settings),
            declared: Arc::default(),
        }
    }

    /// How it is asked.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether it runs only after the user has allowed it: who wrote the project
    /// has named it, or has written what it names.
    pub fn needs_word(&self, around: &Surroundings) -> bool {
        let inside = |word: &String| {
            let file = digest::referenced_file(&around.root, word);
            file.is_some_and(|file| file.starts_with(&around.root))
        };
        !self.settings.own || self.settings.lines().into_iter().flatten().any(inside)
    }

    /// What has to be allowed before anything of it runs: its command lines.
    pub fn command(&self, around: &Surroundings) -> Result<Grant, ProviderError> {
        let hash = digest::command(&around.root, &self.settings.lines());
        let hash = hash.map_err(|error| ProviderError::Content(self.name(), error))?;
        Ok(self.grant_of(String::new(), hash, around))
    }

    /// What has to be allowed before the `tool` that it has declared runs: the
    /// declaration.
    pub(crate) fn grant(&self, tool: &RemoteTool, around: &Surroundings) -> Grant {
        let hash = digest::value(tool.value());
        self.grant_of(tool.remote_name().to_owned(), hash, around)
    }

    fn grant_of(&self, tool: String, hash: Hash, around: &Surroundings) -> Grant {
        let source = self.key(around);
        Grant { source, tool, hash }
    }

    /// What the record of the user's word calls it.
    pub(crate) fn key(&self, around: &Surroundings) -> String {
        // A name has no colon in it.
        format!("command:{}:{}", self.settings.name, around.root.display())
    }

    /// Its tools with what each has declared.
    pub fn tools(&self, around: &Surroundings) -> Result<&[RemoteTool], Arc<ProviderError>> {
        let declarations = self.declarations(around).as_ref();
        declarations
            .map(|all| all.tools.as_slice())
            .map_err(Arc::clone)
    }

    pub(super) fn find(
        &self,
        name: &Name,
        around: &Surroundings,
        errors: &mut Vec<SourceError>,
    ) -> Result<Option<Tool>, ToolError> {
        // A prefix spares those who have others the asking.
        if !name.as_str().starts_with(&self.settings.prefix) {
            return Ok(None);
        }
        match self.tools(around) {
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

    /// The tool that it has declared so.
    pub(super) fn load(&self, tool: &RemoteTool) -> Result<Tool, ToolError> {
        let definition = tool.definition(self)?;
        let handler = RemoteCall::new(self.clone(), tool.clone());
        let tool = Tool::new(definition, Arc::new(handler), &tool.shown(self));
        Ok(tool.from(Arc::new(self.provenance())))
    }

    pub(super) fn list(&self, around: &Surroundings) -> Listing {
        let mut listing = Listing::default();
        match self.declarations(around) {
            Ok(declarations) => {
                let provenance = Arc::new(self.provenance());
                let tools = declarations.tools.iter();
                listing.listed.extend(tools.map(|tool| Listed {
                    stem: tool.name().into(),
                    path: PathBuf::new(),
                    shown: tool.shown(self),
                    provenance: Arc::clone(&provenance),
                    declared: Some((self.clone(), tool.clone())),
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
            author: if self.settings.own {
                Author::Project
            } else {
                Author::Provider
            },
        }
    }

    fn name(&self) -> String {
        self.settings.name.clone()
    }

    fn declarations(&self, around: &Surroundings) -> &Result<Declarations, Arc<ProviderError>> {
        self.declared
            .get_or_init(|| self.ask(around).map_err(Arc::new))
    }

    /// What it declares now, or has declared not long ago.
    fn ask(&self, around: &Surroundings) -> Result<Declarations, ProviderError> {
        self.allowed(around)?;
        if circle::is_closed(around) {
            return Err(ProviderError::Circle(self.name()));
        }
        let variables = self.variables(around)?;
        let kept = self.kept(&variables, around);
        let known = kept.as_ref().filter(|_| !around.refresh);
        if let Some(values) = known.and_then(cache::Cache::read) {
            return Ok(remote::read(values, self));
        }
        let output = self.discovery(variables, around)?;
        let values = remote::values(&output.stdout.bytes)
            .map_err(|message| ProviderError::Form(self.name(), message))?;
        if let Some(kept) = kept {
            kept.write(&values);
        }
        Ok(remote::read(values, self))
    }

    /// Where its declarations are kept, if they are.
    fn kept(&self, variables: &Vars, around: &Surroundings) -> Option<cache::Cache> {
        let age = self.settings.cache?;
        cache::Cache::of(&self.settings, variables, age, around)
    }

    /// Forgets what is kept of its declarations: it has others now.
    pub(crate) fn forget(&self, around: &Surroundings) {
        let variables = self.variables(around).ok();
        if let Some(kept) = variables.and_then(|variables| self.kept(&variables, around)) {
            kept.remove();
        }
    }

    /// Refuses to go on unless the user has allowed the provider's command.
    fn allowed(&self, around: &Surroundings) -> Result<(), ProviderError> {
        if !self.needs_word(around) {
            return Ok(());
        }
        let verdict = around.trust.verdict(&self.command(around)?);
        match verdict.map_err(|error| ProviderError::Record(self.name(), error))? {
            Verdict::Allowed => Ok(()),
            Verdict::Changed => Err(ProviderError::Changed(self.name())),
            Verdict::NotApproved => Err(ProviderError::Unknown(self.name())),
        }
    }

    fn discovery(&self, variables: Vars, around: &Surroundings) -> Result<Output, ProviderError> {
        let server = self.settings.server.is_some();
        let usual = if server { Server::PATIENCE } else { PATIENCE };
        let timeout = self.settings.time(usual);
        let process = self.process(&self.settings.discover, variables, around)?;
        let output = process.timeout(timeout).most(MOST).run(&around.cancel);
        let output = output.map_err(|error| ProviderError::Start(self.name(), error))?;
        match output.end {
            End::Late => Err(ProviderError::Late(self.name(), timeout)),
            _ if output.stdout.left_out > 0 => Err(ProviderError::TooMuch(self.name())),
            end if end.is_success() => Ok(output),
            _ if server && let Some(fault) = parse_client_error(&output) => {
                Err(ProviderError::Server(self.name(), Box::new(fault)))
            }
            _ => Err(ProviderError::failed(self.name(), &output)),
        }
    }

    /// A run of one of its command lines.
    pub(crate) fn process(
        &self,
        line: &[String],
        variables: Vars,
        around: &Surroundings,
    ) -> Result<Process, ProviderError> {
        let (program, args) = line
            .split_first()
            .ok_or_else(|| ProviderError::NotFound(self.name(), String::new()))?;
        let (found, word) = if self.settings.server.is_some() {
            Server::program(around).map(|(file, word)| (file, Some(word)))
        } else {
            let path = variables.get(OsStr::new("PATH"));
            let found = which::which_in(program, path, &around.root);
            found.ok().map(|file| (file, None))
        }
        .ok_or_else(|| ProviderError::NotFound(self.name(), program.clone()))?;
        let words = word.into_iter().chain(args.iter().map(String::as_str));
        Ok(Process::new(found, &around.root)
            .args(words)
            .variables(variables))
    }

    /// The environment of its programs.
    pub(crate) fn variables(&self, around: &Surroundings) -> Result<Vars, ProviderError> {
        let given = around.environment.given(&self.settings.env);
        let mut given = given.map_err(|error| ProviderError::Env(self.name(), error))?;
        if let Some(server) = &self.settings.server {
            server.add_to(&mut given, around);
        }
        circle::add_to(&mut given, around);
        Ok(given)
    }
}

impl Debug for Provider {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}
