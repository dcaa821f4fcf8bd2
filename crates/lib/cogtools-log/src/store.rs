//! The sessions of a project that have no file of their own: `sessions/PROJECT/ID.jsonl` in
//! the user's state.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::{fs, io};

use cogtools_document::file::create_private_folder;
use cogtools_document::{Code, Diagnostic};
use cogtools_process::digest;
use serde_json::Value;

use crate::log::open_locked;
use crate::{
    EndStatus, Event, Index, LogError, Reader, Session, SessionFile, SessionId, Timestamp,
};

/// The number of digits of a path's hash that distinguish projects of one name.
const HASH_DIGITS: usize = 8;
/// The number of characters of a project's name in the name of its folder.
const MAX_NAME_CHARS: usize = 40;

/// The sessions of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

/// A session in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its name.
    pub id: SessionId,
    /// When it was written to last.
    pub modified: Timestamp,
    /// The size of its file.
    pub bytes: u64,
}

impl Store {
    /// The beginning of the names of sessions that are trials of an eval: only who names one
    /// finds it.
    pub const TRIAL: &'static str = "eval-";

    /// The sessions of the project at `root`, in the user's folder `state`.
    pub fn new(state: &Path, root: &Path) -> Self {
        let sessions = state.join("sessions");
        Self {
            folder: sessions.join(project_name(root)),
        }
    }

    /// The sessions of the project at `root`, in the user's folder `state`, if there is one.
    ///
    /// # Errors
    /// There is none.
    pub fn of(state: Option<&Path>, root: &Path) -> Result<Self, Box<Diagnostic>> {
        let store = state.map(|state| Self::new(state, root));
        store.ok_or_else(|| Box::new(Self::missing()))
    }

    /// The failure of a user who has no folder for sessions.
    pub fn missing() -> Diagnostic {
        Diagnostic::new(Code::IoFailed, "there is no folder for sessions")
            .hint("set HOME, or XDG_STATE_HOME")
    }

    /// The folder, which need not exist.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder with the reports of `cogtools eval`, which need not exist.
    pub fn reports(&self) -> PathBuf {
        self.folder.join("evals")
    }

    /// The file of a session, new or not.
    pub fn file(&self, id: &SessionId) -> SessionFile {
        SessionFile::stored(&self.folder, id)
    }

    /// The file for a new session. The folder is created, for its user only.
    pub fn new_file(&self) -> Result<(SessionId, SessionFile), LogError> {
        create_private_folder(&self.folder)
            .map_err(|error| LogError::Write(self.folder.clone(), error))?;
        let id = SessionId::random();
        let file = self.file(&id);
        Ok((id, file))
    }

    /// All sessions, the one that was written to last first.
    pub fn list(&self) -> io::Result<Vec<Stored>> {
        self.read(false)
    }

    /// The trials of `cogtools eval`, which [`Self::list`] leaves out.
    pub fn trials(&self) -> io::Result<Vec<Stored>> {
        self.read(true)
    }

    fn read(&self, are_trials: bool) -> io::Result<Vec<Stored>> {
        let entries = entries(&self.folder)?.into_iter().flatten().flatten();
        let is_wanted = |stored: &Stored| stored.id.as_str().starts_with(Self::TRIAL) == are_trials;
        let found = entries.filter_map(|entry| stored(&entry).filter(is_wanted));
        let mut found: Vec<Stored> = found.collect();
        found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.id.cmp(&b.id)));
        Ok(found)
    }

    /// The session of a person that was written to last, among those with an entry of this `kind`.
    /// A file without a line is none: its process could not begin it.
    pub fn newest(&self, kind: Option<&str>) -> io::Result<Option<Stored>> {
        let is_wanted = |stored: &Stored| {
            let file = self.file(&stored.id);
            let reader = Reader::open(&file);
            let of_person = reader.map_or(true, |reader| !reader.header().of_tool);
            let has = |kind| Session::read(&file).map_or(true, |session| session.has(kind));
            of_person && kind.is_none_or(has)
        };
        let begun = self.list()?.into_iter().filter(|stored| stored.bytes > 0);
        Ok({ begun }.find(is_wanted))
    }

    /// The sessions of a person that wait for an approval of calls.
    pub fn waiting(&self) -> io::Result<Vec<SessionId>> {
        let is_waiting = |stored: &Stored| {
            let index = Index::open(self.file(&stored.id));
            let index = index.ok().filter(|index| !index.header().of_tool);
            let last = index.and_then(|index| index.read(index.lines()..index.lines() + 1).ok());
            let last = last.and_then(|lines| lines.into_iter().next()?.entry.ok());
            let status = EndStatus::ApprovalWanted;
            let has_task = || Session::read(&self.file(&stored.id)).is_ok_and(|it| it.has("task"));
            last.is_some_and(|last| last.event == Event::End { status }) && has_task()
        };
        let waiting = self.list()?.into_iter().filter(is_waiting);
        Ok(waiting.map(|stored| stored.id).collect())
    }

    /// The file with the verdict of a trial of `cogtools eval`, which need not exist.
    pub fn trial_file(&self, id: &SessionId) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    /// Removes the reports of `cogtools eval` that are old.
    ///
    /// # Errors
    ///
    /// The first error of the system.
    pub fn remove_reports(&self, is_old: impl Fn(Timestamp) -> bool) -> io::Result<()> {
        for entry in entries(&self.reports())?.into_iter().flatten() {
            let entry = entry?;
            if is_old(Timestamp::from_system(entry.metadata()?.modified()?)) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes a session, its blobs and the verdict of a trial.
    ///
    /// # Errors
    ///
    /// [`LogError::InUse`] if a process writes to it.
    pub fn remove(&self, id: &SessionId) -> Result<(), LogError> {
        remove_unless_in_use(&self.file(id))?;
        let path = self.trial_file(id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(LogError::Write(path, error)),
            _ => Ok(()),
        }
    }
}

/// The entries of `folder`, if it exists.
fn entries(folder: &Path) -> io::Result<Option<fs::ReadDir>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(Some(entries)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn stored(entry: &fs::DirEntry) -> Option<Stored> {
    let name = entry.file_name().into_string().ok()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let meta = entry.metadata().ok()?;
    (extension == SessionFile::EXTENSION && meta.is_file()).then_some(())?;
    Some(Stored {
        id: stem.parse().ok()?,
        modified: Timestamp::from_system(meta.modified().ok()?),
        bytes: meta.len(),
    })
}

/// The name of a project's folder: its own name, for people, and a hash of its path.
fn project_name(root: &Path) -> String {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    // A path that is no text is known by its bytes.
    let hash = match root.to_str() {
        Some(path) => digest::value(&Value::from(path)),
        None => digest::bytes(root.as_os_str().as_encoded_bytes()),
    };
    let hash = hash.to_string();
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let name: String = name.chars().take(MAX_NAME_CHARS).collect();
    let name = name.replace(|letter: char| !is_plain(letter), "_");
    format!("{name}-{}", &hash[..HASH_DIGITS])
}

/// The number of names that a message lists.
const MAX_NAMES: usize = 5;

impl Store {
    /// The file of the session that has or begins with the name `prefix`; without one, of the
    /// session that was written to last.
    ///
    /// # Errors
    ///
    /// `SESSION_NOT_FOUND` if there is none, or several; `IO_FAILED` if the folder cannot be read.
    pub fn locate(&self, prefix: Option<&str>) -> Result<SessionFile, Box<Diagnostic>> {
        let Some(prefix) = prefix else {
            let newest = self.newest(None).map_err(|error| self.unreadable(&error))?;
            let newest = newest.ok_or_else(|| {
                let message = "this project has no sessions";
                Diagnostic::new(Code::SessionNotFound, message).hint(
                    "name the file of a session; `cogtools ask`, flows, plans and code write them",
                )
            })?;
            return Ok(self.file(&newest.id));
        };
        let found = self.read(prefix.starts_with(Self::TRIAL));
        let mut found = found.map_err(|error| self.unreadable(&error))?;
        found.retain(|stored| stored.id.as_str().starts_with(prefix));
        let exact = found.iter().find(|stored| stored.id.as_str() == prefix);
        if let Some(one) = exact.or(found.first().filter(|_| found.len() == 1)) {
            return Ok(self.file(&one.id));
        }
        let (message, hint) = if found.is_empty() {
            (
                format!("no session of this project begins with `{prefix}`"),
                "`cogtools session list` shows the sessions of this project".to_owned(),
            )
        } else {
            let count = found.len();
            let names = found.iter().take(MAX_NAMES);
            let names: Vec<String> = names.map(|it| format!("`{}`", it.id)).collect();
            let more = if count > MAX_NAMES { ", …" } else { "" };
            (
                format!("{count} sessions of this project begin with `{prefix}`"),
                format!("name one of {}{more}", names.join(", ")),
            )
        };
        let diagnostic = Diagnostic::new(Code::SessionNotFound, message);
        Err(Box::new(diagnostic.hint(hint)))
    }

    /// The failure of a folder that cannot be read.
    pub fn unreadable(&self, error: &io::Error) -> Diagnostic {
        let message = format!("`{}` cannot be read: {error}", self.folder().display());
        Diagnostic::new(Code::IoFailed, message).hint("make the folder readable")
    }
}

/// Removes a session with its blobs, unless a process writes to it.
pub(crate) fn remove_unless_in_use(file: &SessionFile) -> Result<(), LogError> {
    let failed = |error| LogError::Write(file.display_path().to_path_buf(), error);
    let _lock = open_locked(file, false)?;
    fs::remove_file(file.path()).map_err(failed)?;
    match fs::remove_dir_all(file.blobs().folder()) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}
