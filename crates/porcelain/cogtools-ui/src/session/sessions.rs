//! The session files that the pages show, and where their lines are.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Index, SessionFile, SessionId, Store, Timestamp};
use cogtools_program::dirs::state_dir;
use cogtools_program::project::project;
use cogtools_program::{Failure, Io};

use crate::respond::PageError;

/// How many sessions have their lines remembered.
const MAX_INDEXES: usize = 256;
/// What the names of sessions in files of their own begin with: no name in a store has it.
const FILE_PREFIX: &str = "file.";

/// The session files.
pub(crate) struct Sessions {
    store: Store,
    /// Sessions that the command line names.
    files: Vec<SessionFile>,
    /// Where lines are, which the files say again at any time.
    indexes: Mutex<HashMap<PathBuf, Arc<Mutex<Index>>>>,
}

/// A session that there is.
pub(crate) struct Known {
    /// Its name in URLs.
    pub(crate) name: String,
    pub(crate) file: SessionFile,
    pub(crate) modified: Option<Timestamp>,
}

impl Sessions {
    /// The sessions of the project that contains `io`'s working directory, and `files`.
    pub(crate) fn new(files: &[PathBuf], io: &Io<'_>) -> Result<Self, Failure> {
        let Some(state) = state_dir(io) else {
            let message = "there is no directory for sessions";
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            return Err(diagnostic.hint("set HOME, or XDG_STATE_HOME").into());
        };
        let project = project(io);
        let named = |path: &PathBuf| SessionFile::named(project.root(), &io.cwd, path);
        Ok(Self {
            store: Store::new(&state, project.root()),
            files: files.iter().map(named).collect(),
            indexes: Mutex::default(),
        })
    }

    /// All sessions: those of the command line, then the one that was written to last.
    pub(crate) fn all(&self) -> Result<Vec<Known>, PageError> {
        let files = self.files.iter().enumerate().map(|(index, file)| {
            let modified = file.path().metadata().and_then(|meta| meta.modified());
            Known {
                name: format!("{FILE_PREFIX}{index}"),
                file: file.clone(),
                modified: modified.ok().map(Timestamp::from_system),
            }
        });
        let stored = self
            .store
            .list()
            .map_err(|error| vec![self.store.unreadable(&error)])?;
        let stored = stored.into_iter().map(|stored| Known {
            name: stored.id.to_string(),
            file: self.store.file(&stored.id),
            modified: Some(stored.modified),
        });
        Ok(files.chain(stored).collect())
    }

    /// The file of the session `name`, as URLs name it, if it is there.
    pub(crate) fn file(&self, name: &str) -> Result<SessionFile, PageError> {
        let file = if let Some(index) = name.strip_prefix(FILE_PREFIX) {
            let index: usize = index.parse().map_err(|_| PageError::NotFound)?;
            self.files.get(index).cloned().ok_or(PageError::NotFound)?
        } else {
            let id: SessionId = name.parse().map_err(|_| PageError::NotFound)?;
            self.store.file(&id)
        };
        if file.path().symlink_metadata().is_err() {
            return Err(PageError::NotFound);
        }
        Ok(file)
    }

    /// Calls `work` with the lines of `file` as they are now.
    pub(crate) fn with_index<T>(
        &self,
        file: &SessionFile,
        work: impl FnOnce(&Index) -> Result<T, PageError>,
    ) -> Result<T, PageError> {
        let path = file.path();
        let lock = || self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&path).cloned();
        if let Some(index) = known {
            let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
            index.refresh()?;
            return work(&index);
        }
        let index = Arc::new(Mutex::new(Index::open(file.clone())?));
        {
            let mut indexes = lock();
            if indexes.len() >= MAX_INDEXES {
                indexes.clear();
            }
            indexes.insert(path, Arc::clone(&index));
        }
        let index = index.lock().unwrap_or_else(PoisonError::into_inner);
        work(&index)
    }
}
