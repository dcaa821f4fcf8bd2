//! What the user has allowed to run that others have written.
//!
//! A package or a provider is allowed by the hash of its content, recorded
//! outside of the project: whoever changes the content has to be asked for
//! again, and nothing in a repository can allow itself.

mod content;
pub(crate) mod gate;
mod record;

use std::path::{Path, PathBuf};

pub use content::{ContentError, Hash, command, package, value};
pub use record::{Record, RecordError};

/// The user's record of what is allowed, read when it is needed.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    file: Option<PathBuf>,
}

/// Something that needs to be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Which source it belongs to: `npm:NAME`, or `command:ROOT:NAME`.
    pub source: String,
    /// A tool of it; empty for the source itself.
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
    Unknown,
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

    /// Whether `item` may run.
    pub fn verdict(&self, item: &Item) -> Result<Verdict, RecordError> {
        Ok(self.read()?.verdict(item))
    }

    /// All that is allowed.
    pub fn read(&self) -> Result<Record, RecordError> {
        self.file
            .as_deref()
            .map_or_else(|| Ok(Record::default()), Record::read)
    }

    /// Replaces what is allowed.
    pub fn write(&self, record: &Record) -> Result<(), RecordError> {
        match &self.file {
            Some(file) => record.write(file),
            None => Err(RecordError::Nowhere),
        }
    }
}
