//! The user's record of approved packages and providers.
//!
//! A package or a provider is approved by the hash of its content, recorded outside the
//! project. Changed content requires a new approval, and nothing in a repository can
//! approve itself.

mod record;

use std::path::{Path, PathBuf};

pub use record::{Record, RecordError};

use crate::digest::Hash;

/// The user's record of approvals, read on demand.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    file: Option<PathBuf>,
}

/// Something that requires approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The source that it belongs to: `npm:NAME`, or `command:NAME:ROOT`.
    pub source: String,
    /// A provider's tool, empty for the provider itself; for a package, its folder.
    pub tool: String,
    /// The digest of its current content.
    pub hash: Hash,
}

/// Whether something may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The user has approved exactly this content.
    Approved,
    /// The user has approved it, and it has changed since.
    Changed,
    /// The user has not approved it.
    NotApproved,
}

impl Trust {
    /// The record in `file`. Without a file nothing is approved.
    pub const fn new(file: Option<PathBuf>) -> Self {
        Self { file }
    }

    /// The path of the record.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether `grant` may run.
    pub fn verdict(&self, grant: &Grant) -> Result<Verdict, RecordError> {
        Ok(self.read()?.verdict(grant))
    }

    /// All approvals.
    pub fn read(&self) -> Result<Record, RecordError> {
        self.file
            .as_deref()
            .map_or_else(|| Ok(Record::default()), Record::read)
    }

    /// Changes the record. Concurrent writers wait for each other.
    pub fn update<T>(&self, change: impl FnOnce(&mut Record) -> T) -> Result<T, RecordError> {
        let file = self.file.as_deref().ok_or(RecordError::Nowhere)?;
        let _lock = Record::lock(file)?;
        let mut record = Record::read(file)?;
        let result = change(&mut record);
        record.write(file)?;
        Ok(result)
    }
}

impl Verdict {
    /// A short label, for people and programs.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Changed => "changed",
            Self::NotApproved => "not approved",
        }
    }
}
