//! The file that records the user's approvals.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Grant, Identity, Verdict};
use crate::file::{self, ReadError, ReadScope, WriteError, WritePath};
use crate::text::{Text, TextError};
use crate::{Code, Diagnostic, size};

/// All approvals: hashes by source and tool, and trusted projects by folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The version of the file format; only one exists so far.
    version: u32,
    allowed: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    projects: BTreeMap<String, Identity>,
}

/// Why the record cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It cannot be read.
    #[error(transparent)]
    Text(TextError),
    /// It is not a record of approvals.
    #[error("`{0}` is not a valid record of approvals: {1}")]
    Invalid(PathBuf, String),
    /// It cannot be written.
    #[error("cannot write `{0}`: {1}")]
    Io(PathBuf, WriteError),
    /// A folder whose path is not UTF-8, so that it cannot be recorded.
    #[error("`{0}` cannot be trusted: its path is not valid UTF-8")]
    Path(PathBuf),
    /// Another user may have written it.
    #[error("`{0}` is not believed: {1}")]
    NotPrivate(PathBuf, NotPrivate),
    /// It would become too large.
    #[error("`{0}` would become larger than {limit}", limit = size::show(Record::MAX_BYTES))]
    Full(PathBuf),
    /// Another process does not unlock it.
    #[error("`{0}` is locked by another cogtools")]
    Locked(PathBuf),
    /// There is no home directory to store it in.
    #[error("no directory to record approvals in")]
    Nowhere,
}

impl Record {
    /// The version that is written.
    const VERSION: u32 = 1;
    /// The maximum size to which it grows, because it is read at every call: 4 MiB. A larger one
    /// can still be made smaller.
    const MAX_BYTES: u64 = 4 << 20;

    pub(super) fn read(file: &Path) -> Result<Self, RecordError> {
        let Some(text) = read_private(file)? else {
            return Ok(Self::default());
        };
        Self::parse(text.as_str(), file)
    }

    /// Parses `text`, the content of `file`.
    pub fn parse(text: &str, file: &Path) -> Result<Self, RecordError> {
        let invalid = |message: String| RecordError::Invalid(file.to_path_buf(), message);
        let value: Value =
            serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        match value.get("version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(Self::VERSION) => {}
            Some(version) if version > u64::from(Self::VERSION) => {
                let message = format!("written by a newer cogtools (format {version})");
                return Err(invalid(message));
            }
            _ => return Err(invalid("unknown version".to_owned())),
        }
        serde_json::from_value(value).map_err(|error| invalid(error.to_string()))
    }

    /// The file's text.
    pub fn text(&self) -> serde_json::Result<String> {
        let record = Self {
            version: Self::VERSION,
            ..self.clone()
        };
        serde_json::to_string_pretty(&record).map(|text| text + "\n")
    }

    pub(super) fn write(&self, file: &Path) -> Result<(), RecordError> {
        let failed = |error| RecordError::Io(file.to_path_buf(), error);
        let content = self
            .text()
            .map_err(|error| failed(std::io::Error::from(error).into()))?;
        let size = content.len() as u64;
        if size > Self::MAX_BYTES && fs::metadata(file).map_or(0, |meta| meta.len()) < size {
            return Err(RecordError::Full(file.to_path_buf()));
        }
        file::replace_private(&WritePath::in_folder(file), content.as_bytes()).map_err(failed)
    }

    /// Locks the record in `file` until the result is dropped.
    pub(super) fn lock(file: &Path, on_wait: Option<fn()>) -> Result<fs::File, RecordError> {
        let lock_file = file.with_extension("lock");
        let failed = |error: std::io::Error| RecordError::Io(file.to_path_buf(), error.into());
        file::create_private_folder(file.parent().unwrap_or(Path::new(""))).map_err(failed)?;
        check_folder(file).map_err(|error| RecordError::NotPrivate(file.to_path_buf(), error))?;
        let lock = fs::File::create(lock_file).map_err(failed)?;
        if wait_for_lock(&lock, on_wait).map_err(failed)? {
            Ok(lock)
        } else {
            Err(RecordError::Locked(file.to_path_buf()))
        }
    }

    /// Returns true if `grant` may run.
    pub fn verdict(&self, grant: &Grant) -> Verdict {
        let approved = self.allowed.get(&grant.source);
        match approved.and_then(|tools| tools.get(&grant.tool)) {
            Some(hash) if *hash == grant.hash.to_string() => Verdict::Approved,
            Some(_) => Verdict::Changed,
            None => Verdict::NotApproved,
        }
    }

    /// Returns true if `tool` of `source` is approved, with any content.
    pub fn knows(&self, source: &str, tool: &str) -> bool {
        let tools = self.allowed.get(source);
        tools.is_some_and(|tools| tools.contains_key(tool))
    }

    /// Returns true if some tool of `source` is approved.
    pub fn has_source(&self, source: &str) -> bool {
        self.allowed.contains_key(source)
    }

    /// Approves `grant` with its current content.
    pub fn approve(&mut self, grant: &Grant) {
        let tools = self.allowed.entry(grant.source.clone()).or_default();
        tools.insert(grant.tool.clone(), grant.hash.to_string());
    }

    /// Revokes the approval of `tool` of `source`, or of the whole source if `tool` is
    /// empty. Returns false if there was none.
    pub fn revoke(&mut self, source: &str, tool: &str) -> bool {
        if tool.is_empty() {
            return self.allowed.remove(source).is_some();
        }
        let Some(tools) = self.allowed.get_mut(source) else {
            return false;
        };
        let was_approved = tools.remove(tool).is_some();
        if tools.is_empty() {
            self.allowed.remove(source);
        }
        was_approved
    }

    /// Returns true if the package installed in `root` is approved with the content `hash`.
    pub fn approves_package(&self, root: &Path, hash: &str) -> bool {
        let root = root.display().to_string();
        let packages = self.allowed.iter();
        let mut packages = packages.filter(|(name, _)| name.starts_with("npm:"));
        packages.any(|(_, tools)| tools.get(&root).is_some_and(|approved| approved == hash))
    }

    /// Returns true if the programs of the project in the folder `root` may run.
    pub fn project_verdict(&self, root: &Path) -> Verdict {
        match project_key(root).and_then(|key| self.projects.get(&key)) {
            Some(identity) if identity.is_same(&Identity::of(root)) => Verdict::Approved,
            Some(_) => Verdict::Changed,
            None => Verdict::NotApproved,
        }
    }

    /// Trusts the project in the folder `root`. Returns false if its path is not UTF-8,
    /// so that it could be confused with another one.
    pub fn trust_project(&mut self, root: &Path) -> bool {
        let key = project_key(root);
        let is_recorded = key.is_some();
        self.projects
            .extend(key.map(|key| (key, Identity::of(root))));
        is_recorded
    }

    /// Ends the trust in the project in the folder `root`. Returns false if there was
    /// none.
    pub fn distrust_project(&mut self, root: &Path) -> bool {
        project_key(root).is_some_and(|key| self.projects.remove(&key).is_some())
    }

    /// Removes the projects whose folders no longer exist; returns how many.
    pub fn prune_projects(&mut self) -> usize {
        let before = self.projects.len();
        self.projects.retain(|root, _| Path::new(root).is_dir());
        before - self.projects.len()
    }

    /// Retains only the sources and tools for which `keep` returns true; returns how
    /// many entries were removed.
    pub fn retain(&mut self, keep: impl Fn(&str, &str) -> bool) -> usize {
        let mut dropped = 0;
        for (source, tools) in &mut self.allowed {
            let before = tools.len();
            tools.retain(|tool, _| keep(source, tool));
            dropped += before - tools.len();
        }
        self.allowed.retain(|_, tools| !tools.is_empty());
        dropped
    }
}

/// The key of the project in the folder `root`: its path without links.
fn project_key(root: &Path) -> Option<String> {
    root.canonicalize().ok()?.to_str().map(str::to_owned)
}

/// The largest file that is read: 64 MiB.
const MAX_READ_BYTES: usize = 64 << 20;

/// The text of a record that only its user can have written, if it exists.
pub(super) fn read_private(file: &Path) -> Result<Option<Text>, RecordError> {
    let name = || file.to_path_buf();
    let failed = |error: std::io::Error| RecordError::Text(TextError::Io(name(), error));
    let opened = match open_private(file) {
        Ok(opened) => opened.map_err(|error| RecordError::NotPrivate(name(), error))?,
        Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(ReadError::Io(error)) => return Err(failed(error)),
        Err(_) => return Err(RecordError::Text(TextError::NotAFile(name()))),
    };
    let mut bytes = Vec::new();
    let limit = MAX_READ_BYTES as u64 + 1;
    opened.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > MAX_READ_BYTES {
        let error = TextError::TooLarge(name(), MAX_READ_BYTES);
        return Err(RecordError::Text(error));
    }
    Text::new(file, bytes).map(Some).map_err(RecordError::Text)
}

impl RecordError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, hint) = match self {
            Self::Text(TextError::TooLarge(file, _)) => (Code::IoFailed, renew(file)),
            Self::Text(error) => return error.diagnostic(Code::IoFailed),
            Self::Invalid(file, _) => (Code::InvalidConfig, renew(file)),
            Self::Full(_) => (
                Code::IoFailed,
                "make room: `cogtools trust --revoke SOURCE` ends the approval of a source, and `cogtools trust --prune` forgets those that are gone".to_owned(),
            ),
            Self::Io(..) => (
                Code::IoFailed,
                "free some space, or make its folder writable".to_owned(),
            ),
            Self::Path(_) => (Code::Denied, "rename the folder".to_owned()),
            Self::NotPrivate(file, error) => (Code::InvalidConfig, error.hint(file)),
            Self::Locked(_) => (
                Code::IoFailed,
                "wait for it to end, or end it, then run this again".to_owned(),
            ),
            Self::Nowhere => (Code::IoFailed, "set HOME, or XDG_STATE_HOME".to_owned()),
        };
        Diagnostic::new(code, self.to_string()).hint(hint)
    }
}

fn renew(file: &Path) -> String {
    let file = file.display();
    format!("remove `{file}` and approve again what you need")
}

/// Maximum wait for the lock.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Wait for a lock before the user sees a message.
const QUIET_WAIT: Duration = Duration::from_secs(1);
/// Interval at which the lock is tried.
const POLL: Duration = Duration::from_millis(20);

/// Why a file may have been written by another user.
#[derive(Debug, thiserror::Error)]
pub enum NotPrivate {
    /// It is a link.
    #[error("it is a link")]
    Link,
    /// It, or its folder, belongs to another user.
    #[error("`{}` belongs to another user", .0.display())]
    Owner(PathBuf),
    /// Other users may change it or its folder.
    #[error("other users can change `{}`", .0.display())]
    Writable(PathBuf),
}

impl NotPrivate {
    /// Returns the hint for `file`.
    pub(super) fn hint(&self, file: &Path) -> String {
        match self {
            Self::Link | Self::Owner(_) => format!(
                "look into who has changed it; then remove `{}`, and approve again what you need",
                file.display()
            ),
            Self::Writable(path) => format!(
                "check that its content is yours, then run `chmod go-w {}`",
                path.display()
            ),
        }
    }
}

/// Opens the file at `path` if only its user can have written it.
fn open_private(path: &Path) -> Result<Result<fs::File, NotPrivate>, ReadError> {
    if path.is_symlink() {
        return Ok(Err(NotPrivate::Link));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let (file, meta) = file::open(path, &ReadScope::foreign(folder))?;
    let checked = check(path, &meta).and_then(|()| check_folder(path));
    Ok(checked.map(|()| file))
}

/// Checks the folder of the file at `path`.
fn check_folder(path: &Path) -> Result<(), NotPrivate> {
    let folder = path.parent().unwrap_or(Path::new(""));
    match folder.metadata() {
        Ok(meta) => check(folder, &meta),
        Err(_) => Ok(()),
    }
}

#[cfg(unix)]
fn check(path: &Path, meta: &fs::Metadata) -> Result<(), NotPrivate> {
    use std::os::unix::fs::MetadataExt as _;

    const WRITABLE_BY_OTHERS: u32 = 0o022;
    let own = rustix::process::geteuid().as_raw();
    if meta.uid() != own && meta.uid() != 0 {
        Err(NotPrivate::Owner(path.to_path_buf()))
    } else if meta.mode() & WRITABLE_BY_OTHERS != 0 {
        Err(NotPrivate::Writable(path.to_path_buf()))
    } else {
        Ok(())
    }
}

#[cfg(not(unix))]
const fn check(_: &Path, _: &fs::Metadata) -> Result<(), NotPrivate> {
    Ok(())
}

/// Locks `file` until it is dropped; false if another process holds the lock for too
/// long. `on_wait` is called once when it takes a while.
fn wait_for_lock(file: &fs::File, on_wait: Option<fn()>) -> std::io::Result<bool> {
    let start = Instant::now();
    let mut on_wait = on_wait;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(fs::TryLockError::Error(error)) => return Err(error),
            Err(fs::TryLockError::WouldBlock) => {}
        }
        let waited = start.elapsed();
        if waited >= MAX_WAIT {
            return Ok(false);
        }
        if waited >= QUIET_WAIT
            && let Some(on_wait) = on_wait.take()
        {
            on_wait();
        }
        thread::sleep(POLL);
    }
}
