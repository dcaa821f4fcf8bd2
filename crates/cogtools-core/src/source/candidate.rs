//! A candidate for a tool: a file, or what a provider declares.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::{Provider, RemoteTool, builtin};
use crate::Tool;
use crate::file::ReadScope;
use crate::schema::Repairs;
use crate::tool::{Provenance, ToolError};

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
    pub(super) scope: ReadScope,
    pub(super) declared: Option<Declared>,
}

/// What stands for a tool that has no file.
#[derive(Clone, Debug)]
pub(super) enum Declared {
    /// A provider's declaration.
    Provider(Provider, RemoteTool),
    /// A built-in tool.
    BuiltIn(&'static builtin::BuiltIn),
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
            Some(Declared::Provider(provider, tool)) => return provider.load(tool),
            Some(Declared::BuiltIn(tool)) => {
                let bug = || ToolError::Bug(self.display_path.clone());
                return tool.load().ok_or_else(bug);
            }
            None => {}
        }
        let tool = Tool::load(&self.path, &self.display_path, &self.scope)?;
        Ok(tool.from(Arc::clone(&self.provenance)))
    }

    /// What is repaired in the declaration of a provider's tool.
    pub fn repairs(&self) -> Option<Repairs> {
        match &self.declared {
            Some(Declared::Provider(_, tool)) => Some(tool.repairs()),
            Some(Declared::BuiltIn(_)) | None => None,
        }
    }

    /// The declaration of a provider's tool: the same value, not a copy, as long as the provider
    /// declares nothing new to a program that stays.
    pub const fn declaration(&self) -> Option<&Arc<Value>> {
        match &self.declared {
            Some(Declared::Provider(_, tool)) => Some(tool.shared_value()),
            Some(Declared::BuiltIn(_)) | None => None,
        }
    }

    /// Where the file may be.
    pub const fn scope(&self) -> &ReadScope {
        &self.scope
    }
}
