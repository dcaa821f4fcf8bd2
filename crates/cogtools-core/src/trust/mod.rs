//! What the user has allowed to run that others have written.
//!
//! A package or a provider is allowed by the hash of its content, recorded
//! outside of the project: whoever changes the content has to be asked for
//! again, and nothing in a repository can allow itself.

mod content;
pub(crate) mod gate;
mod record;
mod subject;

use std::path::{Path, PathBuf};

pub(crate) use content::is_apart;
pub use content::{ContentError, Hash, command, files, named, package, value};
pub use record::{Record, RecordError};
pub use subject::{Kind, Standing, Subject, subjects};

/// The user's record of what is allowed, read when it is needed.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    file: Option<PathBuf>,
}

/// Something that needs to be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
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
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Changed => "changed",
            Self::Unknown => "not yet",
        }
    }
}
