//! Templates that calls have found, for the next calls: these need neither the configuration nor
//! the tool's file, as long as nothing has changed that decides which tool a name is.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use cogtools_core::Tool;

use crate::fingerprint::PathStamp;

/// The tools by name.
#[derive(Debug, Default)]
pub(crate) struct KeptTools(Mutex<HashMap<String, Entry>>);

/// A tool that was found.
#[derive(Debug)]
pub(crate) struct KeptTool {
    pub(crate) tool: Arc<Tool>,
    snapshot: Snapshot,
    /// Until when the snapshot is enough. It does not show that another folder is the project now.
    until: Instant,
    /// Since when nothing has changed: the begin of the last look at the files.
    looked_at: Mutex<Instant>,
}

/// What is known of a name.
#[derive(Debug)]
struct Entry {
    /// What decides which tool it is: they are looked at before the next call reads them.
    paths: Arc<[PathBuf]>,
    /// The tool, unless the paths were read before they were looked at.
    kept: Option<Arc<KeptTool>>,
}

/// What was at paths before they were read.
#[derive(Debug)]
pub(crate) struct Snapshot {
    paths: Arc<[PathBuf]>,
    stamps: Vec<PathStamp>,
    /// Before they were taken.
    taken_at: Instant,
}

impl Snapshot {
    /// What is at `paths`, if all of it is settled.
    fn take(paths: Arc<[PathBuf]>, now: SystemTime) -> Option<Self> {
        let taken_at = Instant::now();
        let stamps = paths.iter().map(|path| PathStamp::if_settled(path, now));
        let stamps = stamps.collect::<Option<_>>()?;
        Some(Self {
            paths,
            stamps,
            taken_at,
        })
    }

    fn is_current(&self) -> bool {
        let mut both = self.stamps.iter().zip(self.paths.iter());
        both.all(|(stamp, path)| stamp.is_current(path))
    }
}

impl KeptTool {
    /// Whether a call that was read at `read_at` may still use it. Of calls that were read
    /// before, only the first one looks at the files: the others see the same.
    pub(crate) fn is_current(&self, read_at: Instant) -> bool {
        let now = Instant::now();
        let mut looked_at = self
            .looked_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if now >= self.until {
            return false;
        }
        if *looked_at > read_at {
            return true;
        }
        let is_current = self.snapshot.is_current();
        if is_current {
            *looked_at = now;
        }
        is_current
    }
}

impl KeptTools {
    /// How many tools are kept.
    const MAX: usize = 256;
    /// How long a tool is kept, whatever happens.
    const MAX_AGE: Duration = Duration::from_secs(1);

    /// The tool of that name, if it is kept. It may have changed.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<KeptTool>> {
        self.entries().get(name)?.kept.clone()
    }

    /// What is at the paths that decided at the last call which tool `name` is.
    pub(crate) fn snapshot(&self, name: &str) -> Option<Snapshot> {
        let paths = Arc::clone(&self.entries().get(name)?.paths);
        Snapshot::take(paths, SystemTime::now())
    }

    /// Keeps `tool`, which `paths` and its own file decided on, if `before` is what was there
    /// before they were read. Otherwise the next call can keep it.
    pub(crate) fn insert(&self, tool: &Arc<Tool>, paths: Vec<PathBuf>, before: Option<Snapshot>) {
        let file: &Path = tool.text().path();
        let paths: Arc<[PathBuf]> = paths.into_iter().chain([file.to_path_buf()]).collect();
        let snapshot = before.filter(|before| before.paths == paths);
        let kept = snapshot.map(|snapshot| {
            Arc::new(KeptTool {
                tool: Arc::clone(tool),
                until: Instant::now() + Self::MAX_AGE,
                looked_at: Mutex::new(snapshot.taken_at),
                snapshot,
            })
        });
        let mut entries = self.entries();
        let name = tool.name().as_str();
        if entries.len() >= Self::MAX && !entries.contains_key(name) {
            entries.clear();
        }
        entries.insert(name.to_owned(), Entry { paths, kept });
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, HashMap<String, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
