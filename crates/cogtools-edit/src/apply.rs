//! Writing a plan: all of it beside its places first, then all of it in place.
//!
//! A full disk or a missing permission shows while nothing is in place yet, and
//! a reader sees the old file or the new one, never a half.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cogtools_core::{Code, Fault};
use tempfile::NamedTempFile;
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
        /// What the system said.
        error: io::Error,
    },
    /// Somebody wrote to it between planning and writing.
    #[error("has been changed by somebody else meanwhile")]
    Overtaken(PathBuf),
}

impl Plan {
    /// Writes every change. Nothing is in place before all of it is on disk.
    pub fn apply(&self) -> Result<(), ApplyError> {
        let mut folders = Folders::default();
        let mut written = Vec::new();
        self.write(&mut folders, &mut written).map_err(|cause| {
            folders.remove();
            ApplyError { cause, written }
        })
    }

    fn write(&self, folders: &mut Folders, written: &mut Vec<PathBuf>) -> Result<(), ApplyCause> {
        let staged: Vec<_> = self
            .changes()
            .map(|change| Staged::write(change, folders))
            .collect::<Result<_, _>>()?;
        for staged in staged {
            let file = staged.change.file.clone();
            staged.commit()?;
            written.push(file);
        }
        Ok(())
    }
}

impl ApplyError {
    /// The same as a fault, with what to do about it.
    pub fn fault(self) -> Fault {
        let fault = Fault::new(Code::IoFailed, self.to_string());
        let fault = match self.cause {
            ApplyCause::Unwritable { file, .. } => fault
                .about(file.display().to_string())
                .hint("make room or give permission, then run this again"),
            ApplyCause::Overtaken(file) => fault
                .about(file.display().to_string())
                .hint("run this again to take its new content into account"),
        };
        if self.written.is_empty() {
            return fault.hint("no file was written");
        }
        let written: Vec<_> = self
            .written
            .iter()
            .map(|file| format!("`{}`", file.display()))
            .collect();
        fault.hint(format!("already written: {}", written.join(", ")))
    }
}

/// A change that is on disk, beside its place.
struct Staged<'p> {
    change: &'p Change,
    beside: NamedTempFile,
}

impl<'p> Staged<'p> {
    fn write(change: &'p Change, folders: &mut Folders) -> Result<Self, ApplyCause> {
        match beside(change, folders) {
            Ok(beside) => Ok(Self { change, beside }),
            Err(error) => Err(unwritable(change, error)),
        }
    }

    fn commit(self) -> Result<(), ApplyCause> {
        let Self { change, beside } = self;
        let persisted = match &change.before {
            None => beside.persist_noclobber(&change.target),
            Some(before) => {
                let now = fs::read(&change.target).map_err(|error| unwritable(change, error))?;
                if now != before.as_bytes() {
                    return Err(ApplyCause::Overtaken(change.file.clone()));
                }
                beside.persist(&change.target)
            }
        };
        match persisted {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(ApplyCause::Overtaken(change.file.clone()))
            }
            Err(error) => Err(unwritable(change, error.error)),
        }
    }
}

/// Folders that were made for this plan.
#[derive(Default)]
struct Folders {
    made: Vec<PathBuf>,
}

impl Folders {
    fn make(&mut self, folder: &Path) -> io::Result<()> {
        if folder.is_dir() {
            return Ok(());
        }
        if let Some(parent) = folder.parent() {
            self.make(parent)?;
        }
        fs::create_dir(folder)?;
        self.made.push(folder.to_path_buf());
        Ok(())
    }

    /// Takes them away again; one that somebody else has used meanwhile stays.
    fn remove(self) {
        for folder in self.made.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The new content on disk, with the permissions that the file has or is to have.
fn beside(change: &Change, folders: &mut Folders) -> io::Result<NamedTempFile> {
    let folder = change.target.parent().unwrap_or(Path::new(""));
    folders.make(folder)?;
    let mut beside = builder(change).tempfile_in(folder)?;
    beside.write_all(change.after.as_bytes())?;
    if change.before.is_some() {
        let permissions = fs::metadata(&change.target)?.permissions();
        beside.as_file().set_permissions(permissions)?;
    }
    beside.as_file().sync_all()?;
    Ok(beside)
}

fn unwritable(change: &Change, error: io::Error) -> ApplyCause {
    ApplyCause::Unwritable {
        file: change.file.clone(),
        error,
    }
}

fn builder(change: &Change) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cogtools-");
    permit(&mut builder, change);
    builder
}

/// A new file may be used as the user's umask allows; what replaces a file is
/// nobody's business until it has that file's permissions.
#[cfg(unix)]
fn permit(builder: &mut tempfile::Builder<'_, '_>, change: &Change) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = match change.before {
        Some(_) => 0o600,
        None if change.executable => 0o777,
        None => 0o666,
    };
    builder.permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn permit(_builder: &mut tempfile::Builder<'_, '_>, _change: &Change) {}
