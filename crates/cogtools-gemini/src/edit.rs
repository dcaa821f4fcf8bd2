//! One edit of one file: the values it must have, whoever else keeps values there.
//!
//! Hosts keep their settings in files that belong to their users. An edit says
//! what a host needs to find; what is missing is added, nothing is replaced.

use std::path::{Path, PathBuf};

use cogtools_core::Fault;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::existing::{Existing, ExistingError};
use crate::jsonc::{self, Refusal};
use crate::plan::{Change, Step};

/// Values that a file must have.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The file, relative to the project.
    pub file: PathBuf,
    /// What its bytes mean.
    pub format: Format,
    /// The values; objects are merged key by key.
    pub wanted: Map<String, Value>,
}

/// A format that values can be merged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON with comments and trailing commas.
    Jsonc,
}

/// Why an edit cannot be made. The file is left alone.
#[derive(Debug, Error)]
pub enum EditError {
    /// The file cannot be read, or not be replaced.
    #[error(transparent)]
    Existing(#[from] ExistingError),
    /// What the file says stands in the way.
    #[error("{} obstacles in the file", .0.len())]
    Refused(Vec<Refusal>),
}

impl Edit {
    /// What this edit does to its file in `project`.
    pub fn plan(&self, project: &Path) -> Result<Step, EditError> {
        let existing = Existing::open(project, &self.file)?;
        let before = existing.as_ref().map(|existing| existing.text.as_str());
        let after = match self.format {
            Format::Jsonc => jsonc::merge(&self.file, before.unwrap_or(""), &self.wanted)
                .map_err(EditError::Refused)?,
        };
        if before == Some(after.as_str()) {
            return Ok(Step::Keep(self.file.clone()));
        }
        if let Some(existing) = &existing {
            existing.writable()?;
        }
        let target = existing.as_ref().map(|existing| existing.target.clone());
        Ok(Step::Write(Change {
            file: self.file.clone(),
            target: target.unwrap_or_else(|| project.join(&self.file)),
            before: existing.map(|existing| existing.text),
            after,
            executable: false,
        }))
    }
}

impl EditError {
    /// The same as faults.
    pub fn faults(self) -> Vec<Fault> {
        match self {
            Self::Existing(error) => vec![error.fault()],
            Self::Refused(refusals) => refusals.into_iter().map(Refusal::fault).collect(),
        }
    }
}
