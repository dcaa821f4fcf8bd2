//! What the user has allowed to run that others have written.
//!
//! A package or a provider is allowed by the hash of its content, recorded
//! outside of the project: whoever changes the content has to be asked for
//! again, and nothing in a repository can allow itself.

mod record;

use std::path::{Path, PathBuf};

pub use record::{Record, RecordError};

use crate::digest::Hash;

/// The user's record of what is allowed, read when it is needed.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    file: Option<PathBuf>,
}

/// Something that needs to be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Which source it belongs to: `npm:NAME`, or `command:NAME:ROOT`.
    pub source: String,
    /// A tool of a provider, empty for the provider itself; the folder of a package.
    pub tool: String,
    /// What it is now.
    pub hash: Hash,
}

/// Whether something may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The user has allowed just this.
    Allowed,
    /// The user has allowed it, and it has changed since.
    Changed,
    /// Nobody has allowed it.
    NotApproved,
}

impl Trust {
    /// The record in `file`. Without a file nothing is allowed.
    pub const fn new(file: Option<PathBuf>) -> Self {
        Self { file }
    }

    /// Where the record is.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether `grant` may run.
    pub fn verdict(&self, grant: &Grant) -> Result<Verdict, RecordError> {
        Ok(self.read()?.verdict(grant))
    }

    /// All that is allowed.
    pub fn read(&self) -> Result<Record, RecordError> {
        self.file
            .as_deref()
            .map_or_else(|| Ok(Record::default()), Record::read)
    }

    /// Changes what is allowed. Whoever else does so meanwhile waits.
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
    /// In a word or two, for people and programs.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Changed => "changed",
            Self::NotApproved => "not yet",
        }
    }
}
