//! The user's record of trusted projects and of approved packages and providers.
//!
//! A project is trusted as a folder, with its owner and origin. A package or a provider
//! is approved by the hash of its content. Both are recorded outside the project, and
//! nothing in a repository can approve itself.

mod host;
mod identity;
mod private;
mod record;

use std::path::{Path, PathBuf};

pub use identity::Identity;
pub use private::NotPrivate;
pub use record::{Record, RecordError};

use crate::digest::Hash;

/// The user's record of approvals, read on demand.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    file: Option<PathBuf>,
    host_file: Option<PathBuf>,
    on_wait: Option<fn()>,
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
        Self {
            file,
            host_file: None,
            on_wait: None,
        }
    }

    /// Calls `on_wait` when another process locks the record for more than a moment.
    #[must_use]
    pub const fn with_notice(mut self, on_wait: fn()) -> Self {
        self.on_wait = Some(on_wait);
        self
    }

    /// Adds the list of folders that the user has trusted in Gemini CLI.
    #[must_use]
    pub fn with_host_file(mut self, file: Option<PathBuf>) -> Self {
        self.host_file = file;
        self
    }

    /// The path of the record.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether `grant` may run.
    pub fn verdict(&self, grant: &Grant) -> Result<Verdict, RecordError> {
        Ok(self.read()?.verdict(grant))
    }

    /// Whether the programs of the project in the folder `root` may run.
    pub fn project_verdict(&self, root: &Path) -> Result<Verdict, RecordError> {
        let verdict = self.read()?.project_verdict(root);
        if verdict == Verdict::NotApproved && self.is_trusted_by_host(root) {
            return Ok(Verdict::Approved);
        }
        Ok(verdict)
    }

    fn is_trusted_by_host(&self, root: &Path) -> bool {
        let list = self.host_file.as_deref();
        let root = root.canonicalize();
        list.is_some_and(|file| root.is_ok_and(|root| host::lists(file, &root)))
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
        let _lock = Record::lock(file, self.on_wait)?;
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
