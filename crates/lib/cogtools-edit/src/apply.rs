//! Applying a plan: first all temporary files are written, then all are renamed.
//!
//! A full disk, a missing permission or a link that points out of the project is
//! thus detected before any file is replaced.

use std::path::PathBuf;

use cogtools_core::file::{Expected, Mode, Temp, WriteError, write_temp};
use cogtools_core::{Code, Diagnostic};
use thiserror::Error;

use crate::plan::{Change, Plan};

/// Why a plan was not applied completely.
#[derive(Debug, Error)]
#[error("{cause}")]
pub struct ApplyError {
    /// The cause.
    pub cause: ApplyCause,
    /// The files that had been written by then.
    pub written: Vec<PathBuf>,
}

/// Why one file was not written.
#[derive(Debug, Error)]
pub enum ApplyCause {
    /// It cannot be written.
    #[error("cannot be written: {error}")]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The error.
        error: WriteError,
    },
    /// Another program wrote to it between planning and writing.
    #[error("was changed by another program in the meantime")]
    Changed(PathBuf),
}

impl Plan {
    /// Writes every change. No file is replaced before all new content is on disk.
    pub fn apply(&self) -> Result<(), ApplyError> {
        let mut written = Vec::new();
        self.write(&mut written)
            .map_err(|cause| ApplyError { cause, written })
    }

    fn write(&self, written: &mut Vec<PathBuf>) -> Result<(), ApplyCause> {
        let mut temps = Temps::default();
        for change in self.changes() {
            let temp = stage(change).map_err(|error| apply_cause(change, error))?;
            temps.0.push((change, temp));
        }
        for (change, temp) in &mut temps.0 {
            temp.commit().map_err(|error| apply_cause(change, error))?;
            written.push(change.file.clone());
        }
        Ok(())
    }
}

impl ApplyError {
    /// The error as a diagnostic with hints.
    pub fn diagnostic(self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::IoFailed, self.to_string());
        let diagnostic = match self.cause {
            ApplyCause::Unwritable { file, error } => diagnostic
                .with_subject(file.display().to_string())
                .hint(error.hint("free disk space or grant permission, then run this again")),
            ApplyCause::Changed(file) => diagnostic
                .with_subject(file.display().to_string())
                .hint("run this again to take its new content into account"),
        };
        if self.written.is_empty() {
            return diagnostic.hint("no file was written");
        }
        let written: Vec<_> = self
            .written
            .iter()
            .map(|file| format!("`{}`", file.display()))
            .collect();
        diagnostic.hint(format!("already written: {}", written.join(", ")))
    }
}

/// The temporary files, in the order of the plan.
#[derive(Default)]
struct Temps<'p>(Vec<(&'p Change, Temp<'p>)>);

impl Drop for Temps<'_> {
    /// Removes the last one first: its folder may have been created for an earlier one.
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

fn stage(change: &Change) -> Result<Temp<'_>, WriteError> {
    let before = change.before.as_deref().map(str::as_bytes);
    let expected = before.map_or(Expected::Absent, Expected::Bytes);
    let mode = if change.executable {
        Mode::Program
    } else {
        Mode::Data
    };
    write_temp(&change.target, expected, change.after.as_bytes(), mode)
}

fn apply_cause(change: &Change, error: WriteError) -> ApplyCause {
    let file = change.file.clone();
    match error {
        WriteError::Changed => ApplyCause::Changed(file),
        error => ApplyCause::Unwritable { file, error },
    }
}
