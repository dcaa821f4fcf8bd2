//! Watches the files, and notifies when the list has really changed: soon, but not
//! for every single write.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::Source;
use cogtools_program::project;
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use crate::catalogue::Catalogue;
use crate::server::AppState;

/// The time without an event before the list is loaded again.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// The time for which events can postpone that.
const MAX_DEBOUNCE: Duration = Duration::from_secs(1);
/// The pause between polls of files where the system does not report changes.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Collects the events of files and sources that may change the list.
#[derive(Debug)]
struct Debounce {
    notify: Arc<Notify>,
}

/// Watches the files of the project until the task is aborted.
pub(crate) async fn run(state: Arc<AppState>) {
    // A source that was late has answered.
    let notify = state.catalogue.source_changed();
    let debounce = Arc::new(Debounce { notify });
    let Some(mut watcher) = FolderWatcher::new(&debounce) else {
        return;
    };
    let catalogue = Arc::clone(&state.catalogue);
    let Ok((mut watcher, mut last_digest)) = tokio::task::spawn_blocking(move || {
        // The list comes first: it reads every file, and each read would be an event.
        let digest = catalogue.digest();
        watcher.watch(&folders(&catalogue));
        (watcher, digest)
    })
    .await
    else {
        return;
    };
    // Changes in between were not reported, so the list is loaded once more.
    debounce.notify.notify_one();
    loop {
        debounce.wait().await;
        let catalogue = Arc::clone(&state.catalogue);
        let loaded = tokio::task::spawn_blocking(move || {
            watcher.watch(&folders(&catalogue));
            (watcher, catalogue.digest())
        });
        let Ok((same_watcher, digest)) = loaded.await else {
            return;
        };
        watcher = same_watcher;
        if std::mem::replace(&mut last_digest, digest) != digest {
            state.list_changed.send_replace(());
        }
    }
}

impl Debounce {
    /// Waits for an event, and then until there are no more.
    async fn wait(&self) {
        self.notify.notified().await;
        let end = Instant::now() + MAX_DEBOUNCE;
        while Instant::now() < end {
            if timeout(DEBOUNCE, self.notify.notified()).await.is_err() {
                return;
            }
        }
    }

    fn on_event(&self, event: &notify::Result<Event>) {
        let is_relevant = match event {
            Ok(event) => {
                !matches!(event.kind, EventKind::Access(_))
                    && event.paths.iter().any(|path| is_relevant(path))
            }
            // Events were lost.
            Err(_) => true,
        };
        if is_relevant {
            self.notify.notify_one();
        }
    }
}

/// Returns true if a path can be a tool, a configuration or a folder of tools.
fn is_relevant(path: &Path) -> bool {
    path.extension().is_none_or(|extension| extension == "yaml")
        || path.file_name().is_some_and(|name| name == "package.json")
}

/// Watches folders.
struct FolderWatcher {
    watcher: Box<dyn Watcher + Send>,
    folders: Vec<PathBuf>,
}

impl FolderWatcher {
    /// The system's own watcher, or one that polls.
    fn new(debounce: &Arc<Debounce>) -> Option<Self> {
        let on_event = || {
            let debounce = Arc::clone(debounce);
            move |event| debounce.on_event(&event)
        };
        let config = Config::default();
        let polling = config.with_poll_interval(POLL_INTERVAL);
        let watcher: Box<dyn Watcher + Send> = match RecommendedWatcher::new(on_event(), config) {
            Ok(watcher) => Box::new(watcher),
            Err(_) => Box::new(PollWatcher::new(on_event(), polling).ok()?),
        };
        Some(Self {
            watcher,
            folders: Vec::new(),
        })
    }

    /// Watches exactly these folders. Each is watched anew: one that was deleted and
    /// created again is not the same.
    fn watch(&mut self, folders: &[PathBuf]) {
        for folder in &self.folders {
            let _ = self.watcher.unwatch(folder);
        }
        self.folders = folders.to_vec();
        self.folders.retain(|folder| {
            let watched = self.watcher.watch(folder, RecursiveMode::NonRecursive);
            watched.is_ok()
        });
    }
}

/// Returns the folders to watch for changes of the list: the root, for its configuration,
/// and the folders of tools, or the closest ancestors that exist.
fn folders(catalogue: &Catalogue) -> Vec<PathBuf> {
    let (root, config) = catalogue.with_io(|io| {
        let project = project::project(io);
        let config = project::valid_config(&project, io);
        (project.root().to_path_buf(), config)
    });
    let path = |source: &Source| match source.folder() {
        Some(folder) => folder.path().to_path_buf(),
        None => root.join("node_modules"),
    };
    let closest = |path: PathBuf| {
        let existing = path.ancestors().find(|path| path.is_dir());
        existing.map(Path::to_path_buf)
    };
    let sources = config.map(|config| config.sources).unwrap_or_default();
    let mut folders: Vec<PathBuf> = sources.iter().map(path).filter_map(closest).collect();
    let host_folder = root.join(".gemini");
    if host_folder.is_dir() {
        folders.push(host_folder);
    }
    folders.push(root);
    folders.sort_unstable();
    folders.dedup();
    folders
}
