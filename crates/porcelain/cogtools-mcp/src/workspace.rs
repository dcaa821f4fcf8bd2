//! The folder where the user of a client works, its first root, and the watch for changes of the
//! project's tools.
//!
//! By the standard, the server of a plugin starts in a folder of the plugin, and has the plugin's
//! tools by a variable. Their programs belong where the user works, and the client's roots say where
//! that is. The revision 2026-07-28 deprecates roots, and so does the SDK; stateful clients have them.
#![allow(deprecated, reason = "stateful clients still have roots")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::Source;
use cogtools_program::{file_uri, project};
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

use crate::catalogue::Catalogue;
use crate::server::AppState;

/// The time that a client may take to name its roots, and that calls wait for them.
const PATIENCE: Duration = Duration::from_secs(3);

/// The folder, once the client has named it.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// False if the command line says where the project is, or the working directory does.
    is_followed: bool,
    folder: Mutex<Option<PathBuf>>,
    /// True while the client is about to name it.
    awaited: watch::Sender<bool>,
}

impl Workspace {
    /// A workspace that follows the client's roots, or stays unknown.
    pub(crate) fn new(is_followed: bool) -> Self {
        Self {
            is_followed,
            folder: Mutex::default(),
            awaited: watch::Sender::new(false),
        }
    }

    /// The folder, if the client has named one.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.folder.lock().clone()
    }

    /// Lets calls wait for the roots of a client that has some.
    pub(crate) fn expect(&self, has_roots: bool) {
        self.awaited.send_replace(self.is_followed && has_roots);
    }

    /// Waits until the client has named its roots, if it is about to.
    pub(crate) async fn known(&self) {
        let mut awaited = self.awaited.subscribe();
        if timeout(PATIENCE, awaited.wait_for(|it| !it)).await.is_err() {
            self.awaited.send_replace(false);
        }
    }

    /// Asks the client at `peer` for its roots, if it has some; returns true if the folder changes.
    /// A client that does not answer changes nothing.
    pub(crate) async fn ask(&self, peer: &Peer<RoleServer>) -> bool {
        let client = peer.peer_info();
        if !self.is_followed || client.is_none_or(|it| it.capabilities.roots.is_none()) {
            return false;
        }
        self.awaited.send_replace(true);
        let answer = timeout(PATIENCE, peer.list_roots()).await;
        let is_changed = answer.ok().and_then(Result::ok).is_some_and(|answer| {
            let paths = answer
                .roots
                .iter()
                .filter_map(|root| file_uri::path(&root.uri));
            let folder = { paths }.find(|path| path.is_absolute() && path.is_dir());
            let mut known = self.folder.lock();
            let is_changed = *known != folder;
            *known = folder;
            is_changed
        });
        self.awaited.send_replace(false);
        is_changed
    }
}

/// The time without an event before the list is loaded again.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// The time for which events can postpone that.
const MAX_DEBOUNCE: Duration = Duration::from_secs(1);
/// The pause between polls of files where the system does not report changes.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The time for which the first list waits for a client, whose first answer it would slow down.
const FIRST_CLIENT: Duration = Duration::from_millis(500);

/// Watches the files of the project until the task is aborted.
pub(crate) async fn follow_files(state: Arc<AppState>) {
    let _ = timeout(FIRST_CLIENT, state.introduced.cancelled()).await;
    // A source that was late and has answered is an event, too.
    let events = state.catalogue.source_changed();
    let Some(mut watcher) = watcher(&events) else {
        return;
    };
    let (mut watched, mut last) = (Vec::new(), None);
    loop {
        let (catalogue, is_first) = (Arc::clone(&state.catalogue), last.is_none());
        let loading = tokio::task::spawn_blocking(move || {
            // The first list is loaded before: it reads every file, and each read is an event.
            let first = is_first.then(|| catalogue.digest());
            watch_folders(&mut *watcher, &mut watched, folders(&catalogue));
            let digest = first.unwrap_or_else(|| catalogue.digest());
            (watcher, watched, digest)
        });
        let Ok(loaded) = loading.await else {
            return;
        };
        let digest = loaded.2;
        (watcher, watched) = (loaded.0, loaded.1);
        match last.replace(digest) {
            // Changes in between, or since a client's list, were not reported, so the list is
            // loaded once more.
            None => {
                last = Some(state.catalogue.listed_or(digest));
                events.notify_one();
            }
            Some(last) if last == digest => {}
            Some(last) => state.list_changed.send_modify(|changes| {
                changes.tools += u64::from(last.0 != digest.0);
                changes.offers += u64::from(last.1 != digest.1);
            }),
        }
        // Waits for an event, and then until there are no more.
        events.notified().await;
        let end = Instant::now() + MAX_DEBOUNCE;
        while timeout(DEBOUNCE, events.notified()).await.is_ok() && Instant::now() < end {}
    }
}

/// Returns the system's own watcher, or one that polls; each sends relevant events.
fn watcher(events: &Arc<Notify>) -> Option<Box<dyn Watcher + Send>> {
    let on_event = || {
        let events = Arc::clone(events);
        move |event: notify::Result<Event>| {
            let is_relevant = match event {
                Ok(event) => {
                    !matches!(event.kind, EventKind::Access(_))
                        && event.paths.iter().any(|path| is_relevant(path))
                }
                // Events were lost.
                Err(_) => true,
            };
            if is_relevant {
                events.notify_one();
            }
        }
    };
    let config = Config::default();
    if let Ok(watcher) = RecommendedWatcher::new(on_event(), config) {
        return Some(Box::new(watcher));
    }
    let polling = config.with_poll_interval(POLL_INTERVAL);
    Some(Box::new(PollWatcher::new(on_event(), polling).ok()?))
}

/// Returns true if a path can be a tool, a configuration or a folder of tools.
fn is_relevant(path: &Path) -> bool {
    path.extension().is_none_or(|extension| extension == "yaml")
        || path.file_name().is_some_and(|name| name == "package.json")
}

/// Watches exactly these folders instead of the ones that are `watched`. Each is watched anew: one
/// that was deleted and created again is another.
fn watch_folders(watcher: &mut dyn Watcher, watched: &mut Vec<PathBuf>, folders: Vec<PathBuf>) {
    for folder in watched.drain(..) {
        let _ = watcher.unwatch(&folder);
    }
    *watched = folders;
    watched.retain(|folder| watcher.watch(folder, RecursiveMode::NonRecursive).is_ok());
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
