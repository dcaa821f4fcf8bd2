//! Writing a plan: all of it beside its places first, then all of it in place.
//!
//! A full disk, a missing permission or a link that leads out of the project shows
//! while nothing is in place yet.

use std::path::PathBuf;

use cogtools_core::file::{Expected, Mode, Temp, WriteError, write_temp};
use cogtools_core::{Code, Diagnostic};
use thiserror::Error;

use crate::plan::{Change, Plan};

/// Why a plan was not applied, or not to its end.
#[derive(Debug, Error)]
#[error("{cause}")]
pub struct ApplyError {
    /// What happened.
    pub cause: ApplyCause,
    /// The files that were in place by then.
    pub written: Vec<PathBuf>,
}

/// What can go wrong with one file.
#[derive(Debug, Error)]
pub enum ApplyCause {
    /// It cannot be written.
    #[error("cannot be written: {error}")]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// Why not.
        error: WriteError,
    },
    /// Another program wrote to it between planning and writing.
    #[error("has been changed by somebody else meanwhile")]
    Overtaken(PathBuf),
}

impl Plan {
    /// Writes every change. Nothing is in place before all of it is on disk.
    pub fn apply(&self) -> Result<(), ApplyError> {
        let mut written = Vec::new();
        self.write(&mut written)
            .map_err(|cause| ApplyError { cause, written })
    }

    fn write(&self, written: &mut Vec<PathBuf>) -> Result<(), ApplyCause> {
        let mut temps = Temps::default();
        for change in self.changes() {
            let temp = stage(change).map_err(|error| failed(change, error))?;
            temps.0.push((change, temp));
        }
        for (change, temp) in &mut temps.0 {
            temp.commit().map_err(|error| failed(change, error))?;
            written.push(change.file.clone());
        }
        Ok(())
    }
}

impl ApplyError {
    /// The same as a fault, with what to do about it.
    pub fn diagnostic(self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::IoFailed, self.to_string());
        let diagnostic = match self.cause {
            ApplyCause::Unwritable { file, error } => diagnostic
                .with_subject(file.display().to_string())
                .hint(error.hint("make room or give permission, then run this again")),
            ApplyCause::Overtaken(file) => diagnostic
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

/// New content that is on disk, in the order of the plan.
#[derive(Default)]
struct Temps<'p>(Vec<(&'p Change, Temp<'p>)>);

impl Drop for Temps<'_> {
    /// The last one first: it may lie in a folder that was made for an earlier one.
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

fn failed(change: &Change, error: WriteError) -> ApplyCause {
    let file = change.file.clone();
    match error {
        WriteError::Changed => ApplyCause::Overtaken(file),
        error => ApplyCause::Unwritable { file, error },
    }
}
