//! Sources of tools.

mod builtin;
mod folder;
pub mod openapi;
pub(crate) mod packages;
mod plugin;
mod provider;
mod skills;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub use builtin::EDITOR_VARIABLES;
pub use folder::{Folder, is_beside_tools};
pub use openapi::Specification;
pub use packages::{Package, Packages};
pub use plugin::Plugin;
pub(crate) use plugin::{PluginServer, PluginStart};
use provider::first;
pub use provider::{
    InvalidDeclaration, Offer, Provider, ProviderError, Reference, RemoteTool, Server, Settings,
    SourceChanges, ToolChanges, Transport, clean_path, code_points, expand, neutral_directory,
    references, without_invisible,
};
pub use skills::{SkillFolder, Skills};

use crate::file::{Boundary, ReadScope};
use crate::hint::{Command, Hint};
use crate::owner::ForeignOwner;
pub use crate::source::folder::GlobalModules;
use crate::text::TextError;
use crate::tool::{Provenance, ToolError};
use crate::{Code, Context, Diagnostic, Name, Tool, invisible};

/// A source of tools.
#[derive(Clone, Debug)]
pub enum Source {
    /// A folder of tool files.
    Folder(Folder),
    /// The npm packages installed in the project or globally.
    Packages(Packages),
    /// Another program that has tools.
    Provider(Provider),
    /// A specification whose operations are tools.
    OpenApi(Specification),
    /// The tools that come with cogtools.
    BuiltIn,
    /// The tools that ask the editor around the terminal.
    Editor,
    /// A plugin, whose servers are providers of their own.
    Plugin(Plugin),
    /// The tools that read skills, for agents.
    Skills(Skills),
}

/// Returns true if a provider's name must not contain `c`: users approve by name, so it
/// must look like itself.
pub(crate) fn is_invalid_in_name(c: char) -> bool {
    c == ':' || c.is_control() || invisible::name(c).is_some()
}

/// The names of the tool files in some folders, listed when they are needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileNames(Arc<(Vec<Folder>, OnceLock<HashSet<OsString>>)>);

impl FileNames {
    /// The names of the files in the folders among `sources`.
    pub(crate) fn of(sources: &[Source]) -> Self {
        let folders = sources.iter().filter_map(Source::folder).cloned();
        Self(Arc::new((folders.collect(), OnceLock::new())))
    }

    /// Returns true if a file has this name.
    fn contain(&self, name: &str) -> bool {
        let (folders, names) = &*self.0;
        let all = || folders.iter().flat_map(|folder| folder.list().entries);
        let names = names.get_or_init(|| all().map(|file| file.name).collect());
        names.contains(OsStr::new(name))
    }
}

/// A candidate for a tool: a file, or a declaration of a provider.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The tool's name, if it is valid: a file's stem.
    pub name: OsString,
    /// The path of the file; empty for a declaration.
    pub path: PathBuf,
    /// The file or the declaration, as shown to the user.
    pub display_path: PathBuf,
    /// Where it comes from.
    pub provenance: Arc<Provenance>,
    /// Where the file may be.
    pub scope: ReadScope,
    declared: Option<Declared>,
}

/// The stand-in for a tool that has no file.
#[derive(Clone, Debug)]
enum Declared {
    /// A provider's declaration.
    Provider(Provider, RemoteTool),
    /// An operation of a specification.
    Operation(Specification, Arc<openapi::Operation>),
    /// A built-in tool.
    BuiltIn(&'static builtin::Set, &'static builtin::BuiltIn),
    /// A tool that reads skills, by its name.
    Skill(Skills, &'static str),
}

/// The entries of a source, and what is unavailable.
#[derive(Debug, Default)]
pub struct Listing {
    /// The candidates, sorted by name.
    pub entries: Vec<Candidate>,
    /// Errors of the source, or of a part of it.
    pub errors: Vec<SourceError>,
}

/// Why tools of a source are unavailable.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The configured folder does not exist.
    #[error("the folder `{0}` does not exist")]
    NotFound(PathBuf),
    /// Not a folder.
    #[error("`{0}` is not a folder")]
    NotAFolder(PathBuf),
    /// The system's error.
    #[error("the folder `{0}` cannot be read: {1}")]
    Io(PathBuf, std::io::Error),
    /// A package's `package.json` cannot be read.
    #[error("the package `{0}` cannot be used: {1}")]
    Manifest(String, TextError),
    /// A package's `package.json` is invalid.
    #[error("the package `{package}` cannot be used: `{file}`: {message}")]
    Package {
        /// The package.
        package: String,
        /// Its `package.json`.
        file: PathBuf,
        /// The error.
        message: String,
    },
    /// A link in a package that leads outside it: the link, the package.
    #[error("the link `{0}` points outside the package `{1}`")]
    Outside(PathBuf, String),
    /// A folder that a link outside the project, or outside its folder, leads to: the
    /// folder, its source.
    #[error("the folder `{0}` is a link that points outside {2}")]
    LinkedFolder(PathBuf, String, Boundary),
    /// Packages that Yarn has not installed as folders: its file.
    #[error(
        "`{0}` is Yarn's Plug'n'Play: there is no `node_modules` to find packages with tools in"
    )]
    PlugAndPlay(PathBuf),
    /// A folder of packages that belongs to another user.
    #[error("{0}, not to you; its packages are not used")]
    Foreign(ForeignOwner),
    /// A specification that cannot be used: its file, why, and the hint.
    #[error("the specification `{0}` cannot be used: {1}")]
    Specification(PathBuf, String, &'static str),
    /// An operation that is no tool.
    #[error("`{operation}`{others} of `{name}` is left out: {reason}", others = match followers {
        0 => String::new(),
        count => format!(", and {} after it,", crate::pluralize(*count, "operation")),
    })]
    Operation {
        /// The source.
        name: String,
        /// Its `operationId`, or its method and path.
        operation: String,
        /// The number of operations after it that are left out with it.
        followers: usize,
        /// Why.
        reason: String,
    },
    /// A parameter that a tool does not have.
    #[error("`{parameter}` of `{operation}` of `{name}` is left out: {reason}")]
    Parameter {
        /// The source.
        name: String,
        /// The operation.
        operation: String,
        /// Its name in the specification.
        parameter: String,
        /// Why.
        reason: String,
    },
    /// An option of a specification that is about nothing in it: the source, the key, and the name
    /// or the pattern.
    #[error("`{2}` in `{1}` of `{0}` matches {noun}", noun = if *.1 == "set" {
        "no parameter"
    } else {
        "no operation"
    })]
    Unused(String, &'static str, String),
    /// A specification that the user has not approved: its name, and true if it has changed since.
    #[error("the specification `{0}` {state}", state = if *.1 {
        "has changed since it was approved"
    } else {
        "is not approved yet"
    })]
    NotApproved(String, bool),
    /// A skill that cannot be used: its file, and why.
    #[error("the skill `{0}` is left out: {1}")]
    Skill(PathBuf, String),
    /// A plugin, or an entry of it, that cannot be used: its file, and why.
    #[error("`{0}` of a plugin: {1}")]
    Plugin(PathBuf, String),
    /// An error of a provider with this name, or of a single declaration.
    #[error("{1}")]
    Provider(String, Arc<ProviderError>),
}

impl Source {
    /// The tool with that name, if this source has it. Errors of the source itself are reported
    /// where all tools are listed.
    pub fn find(&self, name: &Name, cx: &Context) -> Result<Option<Tool>, ToolError> {
        match self {
            Self::Folder(folder) => folder.find(name),
            Self::Packages(packages) => packages.find(name),
            Self::Provider(provider) => provider.find(name, cx),
            Self::OpenApi(specification) => specification.find(name, cx),
            Self::BuiltIn => Ok(builtin::AGENT.find(name)),
            Self::Editor => Ok(builtin::EDITOR.find(name)),
            Self::Skills(skills) => Ok(skills.find(name)),
            Self::Plugin(_) => Ok(None),
        }
    }

    /// Name of the source in the log of a run.
    fn log_name(&self) -> String {
        match self {
            Self::Folder(folder) => folder.display_path().display().to_string(),
            Self::Packages(_) => "node_modules".to_owned(),
            Self::Provider(provider) => provider.settings().name.clone(),
            Self::OpenApi(specification) => specification.name().to_owned(),
            Self::BuiltIn => "builtin".to_owned(),
            Self::Editor => "editor".to_owned(),
            Self::Skills(_) => "skills".to_owned(),
            Self::Plugin(plugin) => plugin.name.clone(),
        }
    }

    /// All candidates.
    pub fn list(&self, cx: &Context) -> Listing {
        let _step = tracing::debug_span!("list source", source = ?self.log_name()).entered();
        match self {
            Self::Folder(folder) => folder.list(),
            Self::Packages(packages) => packages.list(),
            Self::Provider(provider) => provider.list(cx),
            Self::OpenApi(specification) => specification.list(cx),
            Self::BuiltIn => builtin::AGENT.list(),
            Self::Editor => builtin::EDITOR.list(),
            Self::Skills(skills) => skills.list(),
            Self::Plugin(plugin) => Listing {
                entries: Vec::new(),
                errors: plugin.errors().collect(),
            },
        }
    }

    /// The file that would be the tool of that name if it had the right extension.
    pub fn wrong_extension(&self, name: &Name) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) => folder.wrong_extension(name),
            _ => None,
        }
    }

    /// The provider, if it is one.
    pub const fn provider(&self) -> Option<&Provider> {
        match self {
            Self::Provider(provider) => Some(provider),
            _ => None,
        }
    }

    /// Returns true if listing its tools runs programs or makes requests.
    pub fn is_remote(&self) -> bool {
        match self {
            Self::Provider(_) => true,
            Self::OpenApi(specification) => specification.url().is_some(),
            _ => false,
        }
    }

    /// Returns true if the user has written or configured what it contains, rather than the author
    /// of the project.
    pub fn is_users(&self) -> bool {
        match self {
            Self::Folder(folder) => folder.is_users(),
            Self::OpenApi(specification) => specification.is_users,
            Self::Provider(provider) => provider.settings().user_configured,
            _ => false,
        }
    }

    /// Returns true if it is the same folder as `other`, or both are the installed packages, or
    /// the built-in tools.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(one), Self::Folder(other)) => one.path() == other.path(),
            (Self::Packages(_), Self::Packages(_))
            | (Self::BuiltIn, Self::BuiltIn)
            | (Self::Editor, Self::Editor) => true,
            _ => false,
        }
    }

    /// The folder, if it is one of the project's own.
    pub const fn folder(&self) -> Option<&Folder> {
        match self {
            Self::Folder(folder) => Some(folder),
            _ => None,
        }
    }
}

impl Candidate {
    /// The tool file at `path` in `scope`, known to the user as `display_path`.
    pub fn file(path: PathBuf, display_path: PathBuf, scope: ReadScope) -> Self {
        Self {
            name: path.file_stem().unwrap_or_default().to_owned(),
            path,
            display_path,
            provenance: Arc::default(),
            scope,
            declared: None,
        }
    }

    /// The tool, if it is valid.
    pub fn load(&self) -> Result<Tool, ToolError> {
        match &self.declared {
            Some(Declared::Provider(provider, tool)) => provider.load(tool),
            Some(Declared::Operation(specification, operation)) => specification.load(operation),
            Some(Declared::BuiltIn(set, tool)) => Ok(tool.load(set)),
            Some(Declared::Skill(skills, name)) => Ok(skills.load(name)),
            None => {
                let tool = Tool::load(&self.path, &self.display_path, &self.scope)?;
                Ok(tool.from(Arc::clone(&self.provenance)))
            }
        }
    }

    /// The declaration of the provider, if it is a provider's tool.
    pub const fn remote(&self) -> Option<&RemoteTool> {
        match &self.declared {
            Some(Declared::Provider(_, tool)) => Some(tool),
            _ => None,
        }
    }
}

/// Lists each of `sources`. A tool of a provider with the name of an earlier one's has the name of its
/// source in front, unless that is taken, too.
pub(crate) fn list_all(sources: &[Source], cx: &Context) -> Vec<Listing> {
    let mut all: Vec<Listing> = sources.iter().map(|source| source.list(cx)).collect();
    if sources.iter().filter_map(Source::provider).nth(1).is_none() {
        return all;
    }
    let entries = all.iter().flat_map(|listing| &listing.entries);
    let declared: HashSet<OsString> = entries.map(|entry| entry.name.clone()).collect();
    let mut taken: HashSet<OsString> = HashSet::new();
    for listing in &mut all {
        let mut renamed = Vec::new();
        for entry in &mut listing.entries {
            let Some(Declared::Provider(provider, tool)) = &mut entry.declared else {
                continue;
            };
            let beside = tool.beside();
            let name = OsString::from(&beside.name);
            let is_free = !declared.contains(&name) && !taken.contains(&name);
            if taken.contains(&entry.name) && is_free {
                let text = format!("`{}` is called `{}`", tool.name, beside.name);
                renamed.push((provider.settings().name.clone(), text));
                (entry.name, *tool) = (name, beside);
            }
            taken.insert(entry.name.clone());
        }
        if let Some((source, _)) = renamed.first() {
            let source = source.clone();
            let texts: Vec<String> = renamed.into_iter().map(|(_, text)| text).collect();
            let error = ProviderError::NamesOfOthers(source.clone(), first(&texts));
            listing
                .errors
                .push(SourceError::Provider(source, Arc::new(error)));
        }
    }
    all
}

impl Listing {
    pub(crate) fn add(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.errors.extend(other.errors);
    }
}

impl SourceError {
    /// The name of the source that the error concerns.
    pub fn source(&self) -> String {
        match self {
            Self::NotFound(path) | Self::NotAFolder(path) | Self::Io(path, _) => {
                Provenance::local(path).source
            }
            Self::Specification(path, ..) | Self::Skill(path, _) | Self::Plugin(path, _) => {
                path.display().to_string()
            }
            Self::Operation { name, .. }
            | Self::Parameter { name, .. }
            | Self::Unused(name, ..)
            | Self::NotApproved(name, _)
            | Self::Provider(name, _) => name.clone(),
            Self::Manifest(package, _)
            | Self::Package { package, .. }
            | Self::Outside(_, package)
            | Self::LinkedFolder(_, package, _) => package.clone(),
            Self::PlugAndPlay(_) | Self::Foreign(_) => "node_modules".to_owned(),
        }
    }

    /// Returns true if the rest of the source is available.
    pub fn is_partial(&self) -> bool {
        match self {
            Self::Provider(_, error) => error.is_partial(),
            Self::Operation { .. }
            | Self::Parameter { .. }
            | Self::Unused(..)
            | Self::Skill(..)
            | Self::Plugin(..) => true,
            _ => false,
        }
    }

    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let hint = match self {
            Self::Provider(_, error) => return error.diagnostic(),
            Self::NotApproved(name, _) => {
                let before = "review what it requests, then approve it: ";
                let hint = Hint::run(before, Command::trust("specification", name), "");
                return Diagnostic::new(Code::Denied, self.to_string()).hint(hint);
            }
            Self::Specification(.., hint) => (*hint).into(),
            Self::Operation { followers: 1.., .. } => {
                "name the operations that you need in `include`".into()
            }
            Self::Operation { .. } => {
                "exclude it, or correct the specification".into()
            }
            Self::Parameter { .. } => {
                "write a tool file for the operation if calls need it: `cogtools import openapi`".into()
            }
            Self::Unused(_, key, _) => format!("correct it, or remove it from `{key}`").into(),
            Self::Skill(..) => "correct its fields, or remove its folder".into(),
            Self::Plugin(..) => "report this to its author".into(),
            Self::Foreign(owner) => return owner.diagnostic("its packages are not used"),
            Self::NotFound(_) => {
                let before = "create it, or change `tool_sources` (";
                Hint::run(before, Command::ConfigOrigins, " shows where)")
            }
            Self::NotAFolder(_) => "name a folder in `tool_sources`".into(),
            Self::Io(..) => "check that the folder is readable".into(),
            Self::Manifest(..) => "install the package again".into(),
            Self::Package { .. } => {
                "`\"cogtools\": {\"tools\": [\"tools\"]}` names folders of the package; report this to its author, or remove it".into()
            }
            Self::LinkedFolder(..) => {
                "replace the link with a copy, or name the folder itself in `tool_sources`".into()
            }
            Self::PlugAndPlay(_) => {
                "set `nodeLinker: node-modules` in .yarnrc.yml and run `yarn install`, or remove `node_modules` from `tool_sources`".into()
            }
            Self::Outside(..) => {
                "a package may only use its own files; report this to its author, or remove it".into()
            }
        };
        Diagnostic::new(Code::InvalidConfig, self.to_string()).hint(hint)
    }
}
