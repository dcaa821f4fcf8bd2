//! Applying a plan: first all temporary files are written, then all are renamed.
//!
//! A full disk, a missing permission or a link that points out of the project is
//! thus detected before any file is replaced.

use std::path::PathBuf;

use cogtools_core::file::{Expected, Mode, Temp, WriteError, write_temp};
use cogtools_core::{Code, Diagnostic};
use thiserror::Error;

use crate::plan::{Change, Plan};

/// The reason why a plan was not applied completely.
#[derive(Debug, Error)]
#[error("{}", match error {
    WriteError::Changed => "was changed by another program in the meantime".to_owned(),
    error => format!("cannot be written: {error}"),
})]
pub struct ApplyError {
    /// The file that was not written.
    pub file: PathBuf,
    /// The reason.
    pub error: WriteError,
    /// The files that had been written by then.
    pub written: Vec<PathBuf>,
}

impl Plan {
    /// Writes every change. No file is replaced before all new content is on disk.
    ///
    /// # Errors
    ///
    /// The first file that cannot be written.
    pub fn apply(&self) -> Result<(), ApplyError> {
        let mut written = Vec::new();
        let failed = |change: &Change, error, written| ApplyError {
            file: change.file.clone(),
            error,
            written,
        };
        let mut temps = Temps::default();
        for change in self.changes() {
            let temp = stage(change).map_err(|error| failed(change, error, Vec::new()))?;
            temps.0.push((change, temp));
        }
        for (change, temp) in &mut temps.0 {
            if let Err(error) = temp.commit() {
                return Err(failed(change, error, written));
            }
            written.push(change.file.clone());
        }
        Ok(())
    }
}

impl ApplyError {
    /// The error as a diagnostic with hints.
    pub fn diagnostic(self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::IoFailed, self.to_string())
            .with_subject(self.file.display().to_string());
        let diagnostic = diagnostic.hint(match &self.error {
            WriteError::Changed => "run this again to take its new content into account".into(),
            error => error.hint("free disk space or grant permission, then run this again"),
        });
        if self.written.is_empty() {
            return diagnostic.hint("no file was written");
        }
        let written = self.written.iter();
        let written: Vec<_> = written
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
