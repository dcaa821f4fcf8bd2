//! Where tools come from.

mod folder;
mod global;
mod package;
pub(crate) mod packages;
mod provider;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

pub use folder::Folder;
pub use global::GlobalModules;
pub use package::Package;
pub use packages::Packages;
pub use provider::{Provider, ProviderError, RemoteTool, Server, Settings, Transport};

use crate::hint::{Command, Hint};
use crate::text::TextError;
use crate::tool::{Provenance, ToolError};
use crate::{Code, Context, Diagnostic, Name, Tool};

/// A place where tools come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A folder of tool files.
    Folder(Folder),
    /// The npm packages that the project, or everybody on the machine, has.
    Packages(Packages),
    /// Another program that has tools.
    Provider(Provider),
}

/// Something that wants to be a tool: a file, or what a provider declares.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The tool's name, if it is one: a file's stem.
    pub name: OsString,
    /// The file; empty for what is declared.
    pub path: PathBuf,
    /// The file, or the declaration, as its user knows it.
    pub display_path: PathBuf,
    /// Where it comes from.
    pub provenance: Arc<Provenance>,
    declared: Option<(Provider, RemoteTool)>,
}

/// What one source has, and what of it cannot be had.
#[derive(Debug, Default)]
pub struct Listing {
    /// What wants to be a tool, in the order of names.
    pub entries: Vec<Candidate>,
    /// What is wrong with the source, or a part of it.
    pub errors: Vec<SourceError>,
}

/// Why tools of a source cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The configuration names it, but it is not there.
    #[error("the folder `{0}` does not exist")]
    Absent(PathBuf),
    /// Something other than a folder.
    #[error("`{0}` is not a folder")]
    NotAFolder(PathBuf),
    /// The system says why.
    #[error("the folder `{0}` cannot be read: {1}")]
    Io(PathBuf, std::io::Error),
    /// A package's `package.json` cannot be read.
    #[error("the package `{0}` cannot be used: {1}")]
    Manifest(String, TextError),
    /// A package's `package.json` is not what it should be.
    #[error("the package `{package}` cannot be used: `{file}`: {message}")]
    Package {
        /// The package.
        package: String,
        /// Its `package.json`.
        file: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A link in a package that leads out of it: the link, the package.
    #[error("the link `{0}` leads out of the package `{1}`")]
    Outside(PathBuf, String),
    /// A provider, or a part of what it declares.
    #[error(transparent)]
    Provider(Arc<ProviderError>),
}

impl Source {
    /// The tool of that name, if this source has it, and what kept it from
    /// looking everywhere.
    pub fn find(
        &self,
        name: &Name,
        cx: &Context,
        errors: &mut Vec<SourceError>,
    ) -> Result<Option<Tool>, ToolError> {
        match self {
            Self::Folder(folder) => folder.find(name),
            Self::Packages(packages) => packages.find(name, errors),
            Self::Provider(provider) => provider.find(name, cx, errors),
        }
    }

    /// Everything in it that wants to be a tool.
    pub fn list(&self, cx: &Context) -> Listing {
        match self {
            Self::Folder(folder) => folder.list(),
            Self::Packages(packages) => packages.list(),
            Self::Provider(provider) => provider.list(cx),
        }
    }

    /// The file that would be the tool of that name if it ended as tool files do.
    pub fn wrong_extension(&self, name: &Name) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) => folder.wrong_extension(name),
            Self::Packages(_) | Self::Provider(_) => None,
        }
    }

    /// The provider, if it is one.
    pub const fn provider(&self) -> Option<&Provider> {
        match self {
            Self::Provider(provider) => Some(provider),
            Self::Folder(_) | Self::Packages(_) => None,
        }
    }

    /// The folder, if it is one of the project's own.
    pub const fn folder(&self) -> Option<&Folder> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Packages(_) | Self::Provider(_) => None,
        }
    }
}

impl Candidate {
    /// The tool file at `path`, known to its user as `display_path`, wherever it lies.
    pub fn file(path: PathBuf, display_path: PathBuf) -> Self {
        Self {
            name: path.file_stem().unwrap_or_default().to_owned(),
            path,
            display_path,
            provenance: Arc::default(),
            declared: None,
        }
    }

    /// The tool, if it is one.
    pub fn load(&self) -> Result<Tool, ToolError> {
        if let Some((provider, tool)) = &self.declared {
            return provider.load(tool);
        }
        let tool = Tool::load(&self.path, &self.display_path)?;
        Ok(tool.from(Arc::clone(&self.provenance)))
    }
}

impl Listing {
    pub(crate) fn add(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.errors.extend(other.errors);
    }
}

impl SourceError {
    /// The name of the source that it is about.
    pub fn source(&self) -> String {
        match self {
            Self::Absent(path) | Self::NotAFolder(path) | Self::Io(path, _) => {
                Provenance::local(path).source
            }
            Self::Manifest(package, _)
            | Self::Package { package, .. }
            | Self::Outside(_, package) => package.clone(),
            Self::Provider(error) => error.provider().to_owned(),
        }
    }

    /// Whether the rest of the source can be had.
    pub fn is_partial(&self) -> bool {
        matches!(self, Self::Provider(error) if error.is_partial())
    }

    /// The fault to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let hint = match self {
            Self::Provider(error) => return error.diagnostic(),
            Self::Absent(_) => {
                let before = "create it, or change `tool_sources` (";
                Hint::run(before, Command::ConfigOrigins, " tells where)")
            }
            Self::NotAFolder(_) => "name a folder in `tool_sources`".into(),
            Self::Io(..) => "check that the folder is readable".into(),
            Self::Manifest(..) => "install the package again".into(),
            Self::Package { .. } => {
                "`\"cogtools\": {\"tools\": [\"tools\"]}` names folders of the package; tell its author, or remove it".into()
            }
            Self::Outside(..) => {
                "a package has nothing but what lies in it; tell its author, or remove it".into()
            }
        };
        Diagnostic::new(Code::InvalidConfig, self.to_string()).hint(hint)
    }
}
