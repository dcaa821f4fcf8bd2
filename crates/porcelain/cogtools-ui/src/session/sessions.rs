//! The session files that the pages show: the list of them, and the state of each.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use cogtools_log::{Entry, Event, Index, Line, SessionFile, SessionId, Store, Timestamp};
use cogtools_program::dirs::state_dir;
use cogtools_program::project::project;
use cogtools_program::{Failure, Io};
use serde::Serialize;

use crate::respond::PageError;
use crate::session::list::Summaries;

/// The number of sessions whose lines are remembered.
const MAX_INDEXES: usize = 256;
/// The beginning of names of sessions in files of their own: no name in a store has it.
const FILE_PREFIX: &str = "file.";

/// The session files.
pub(crate) struct Sessions {
    store: Store,
    /// Sessions that the command line names.
    files: Vec<SessionFile>,
    /// Where lines are, which the files say again at any time.
    indexes: Mutex<HashMap<PathBuf, Arc<Mutex<Index>>>>,
    pub(super) summaries: Summaries,
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
        let project = project(io);
        let named = |path: &PathBuf| SessionFile::named(project.root(), &io.cwd, path);
        let files: Vec<SessionFile> = files.iter().map(named).collect();
        for file in &files {
            file.open_to_read().map_err(|error| error.diagnostic())?;
        }
        Ok(Self {
            store: Store::of(state_dir(io).as_deref(), project.root())?,
            files,
            indexes: Mutex::default(),
            summaries: Summaries::default(),
        })
    }

    /// The folder with the reports of `cogtools eval`.
    pub(crate) fn reports(&self) -> PathBuf {
        self.store.reports()
    }

    /// All sessions: first the ones that the command line names, then the newest.
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

    /// The name and the file of a new session.
    pub(crate) fn new_file(&self) -> Result<(String, SessionFile), PageError> {
        let new = self.store.new_file();
        let (id, file) = new.map_err(|error| PageError::Failed(vec![error.diagnostic()]))?;
        Ok((id.to_string(), file))
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
        let index = if let Some(index) = known {
            index
        } else {
            let index = Arc::new(Mutex::new(Index::open(file.clone())?));
            let mut indexes = lock();
            if indexes.len() >= MAX_INDEXES {
                indexes.clear();
            }
            indexes.insert(path, Arc::clone(&index));
            index
        };
        let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
        index.refresh()?;
        work(&index)
    }
}

/// The number of lines at the end that say what the state is.
const END_LINES: usize = 24;
/// The present state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunState {
    /// A process, of this server or of a terminal, works on a turn.
    Running,
    /// A turn has no end, and its process is gone.
    Interrupted,
    /// Every turn has its end.
    Idle,
}

impl RunState {
    /// The state of the session with these lines.
    pub(crate) fn of(index: &Index) -> Result<Self, PageError> {
        let behind = index.lines() + 1;
        let lines = index.read(behind.saturating_sub(END_LINES)..behind)?;
        if !is_open(&lines) {
            return Ok(Self::Idle);
        }
        Ok(if index.file().is_in_use()? {
            Self::Running
        } else {
            Self::Interrupted
        })
    }

    /// The state now, if nothing was written since: only the process may be gone, or another.
    pub(crate) fn again(self, file: &SessionFile) -> Result<Self, PageError> {
        Ok(match self {
            Self::Idle => Self::Idle,
            Self::Running | Self::Interrupted if file.is_in_use()? => Self::Running,
            Self::Running | Self::Interrupted => Self::Interrupted,
        })
    }

    /// Its name in pages and events.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Idle => "idle",
        }
    }
}

/// Returns true if the last turn in `lines` has no end. What a run writes about itself, such as its
/// cache, may also come after its end; and the end of an agent that a call runs does not end the
/// turn.
fn is_open(lines: &[Line]) -> bool {
    let entries: Vec<&Entry> = lines
        .iter()
        .filter_map(|line| line.entry.as_ref().ok())
        .collect();
    let mut found = entries.iter().rev().filter_map(|entry| match entry.event {
        Event::End { .. } if is_nested(entry, &entries) => None,
        Event::End { .. } | Event::Undone { .. } => Some(false),
        Event::Cache { .. }
        | Event::Usage(_)
        | Event::Error { .. }
        | Event::Expired { .. }
        | Event::Compaction { .. }
        | Event::Torn { .. }
        | Event::Unknown(_) => None,
        _ => Some(true),
    });
    found.next().unwrap_or(false)
}

/// Returns true if an entry is below an agent that a call runs, as far as `entries` say so.
fn is_nested(entry: &Entry, entries: &[&Entry]) -> bool {
    let parent = |entry: &&Entry| {
        let id = entry.parent?;
        entries.iter().copied().find(|one| one.id == id)
    };
    std::iter::successors(Some(entry), parent).any(|one| matches!(one.event, Event::Agent { .. }))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use cogtools_log::Reader;
    use serde_json::{Value, json};

    use super::*;

    /// Returns true if a session is open that has these events, each with its parent.
    fn check(events: &[(u64, Value)], expected: bool) {
        let mut text = json!({"kind": "session", "format": 1, "session": "a", "project": "p",
            "time": "2026-11-22T09:00:00Z", "program": "1", "model": "m"})
        .to_string();
        for ((parent, event), id) in events.iter().zip(1_u64..) {
            let mut line = event.clone();
            line["id"] = id.into();
            line["parent"] = (*parent > 0).then_some(*parent).into();
            line["time"] = "2026-11-22T09:00:00Z".into();
            let _ = write!(text, "\n{line}");
        }
        let mut reader = Reader::new(text.as_bytes(), Path::new("s")).expect("a session");
        let lines: Vec<Line> = std::iter::from_fn(|| reader.next_line().expect("a line")).collect();
        assert!(lines.iter().all(|line| line.entry.is_ok()), "{lines:?}");
        assert_eq!(is_open(&lines), expected, "{events:?}");
    }

    #[test]
    fn a_turn_is_open_until_its_own_end() {
        let task = || json!({"kind": "task", "parts": []});
        let agent = || json!({"kind": "agent", "tool": "t"});
        let end = || json!({"kind": "end", "status": "completed"});
        let cache = || json!({"kind": "cache", "name": "n", "state": "deleted", "tokens": 1});
        let later = || json!({"kind": "later"});
        check(&[], false);
        check(&[(0, task())], true);
        check(&[(0, task()), (1, end())], false);
        check(
            &[(0, task()), (1, end()), (2, cache()), (3, later())],
            false,
        );
        check(&[(0, task()), (1, end()), (2, task()), (3, cache())], true);
        // The agent has ended, and the call that runs it has not.
        check(&[(0, task()), (1, agent()), (2, task()), (3, end())], true);
        let agents = [
            (0, task()),
            (1, agent()),
            (2, task()),
            (3, end()),
            (1, end()),
        ];
        check(&agents, false);
        let undone = json!({"kind": "undone", "task": 1});
        check(&[(0, task()), (0, undone)], false);
    }
}
