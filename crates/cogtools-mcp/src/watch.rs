//! Follows the files: says when the list has really changed, soon but not for
//! every single write.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use crate::server::House;

/// How long it has to be quiet before anybody looks.
const QUIET: Duration = Duration::from_millis(100);
/// How long to wait for quiet at most.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often files are looked at where the system does not tell of changes.
const POLL: Duration = Duration::from_secs(2);

/// Something has happened to a file that may matter.
#[derive(Debug, Default)]
struct Stir {
    notify: Notify,
}

/// Follows the files of the house for ever.
pub(crate) async fn follow(house: Arc<House>) {
    let stir = Arc::new(Stir::default());
    let Some(mut eye) = Eye::open(&stir) else {
        return;
    };
    let catalogue = Arc::clone(&house.catalogue);
    let Ok((mut eye, mut known)) = tokio::task::spawn_blocking(move || {
        // Every file is read now, and a watcher would hear of each.
        let digest = catalogue.digest();
        eye.look_at(&catalogue.folders());
        (eye, digest)
    })
    .await
    else {
        return;
    };
    // Nobody has heard of what happened between, so there is a second look.
    stir.notify.notify_one();
    loop {
        stir.settled().await;
        let catalogue = Arc::clone(&house.catalogue);
        let looked = tokio::task::spawn_blocking(move || {
            eye.look_at(&catalogue.folders());
            (eye, catalogue.digest())
        });
        let Ok((same_eye, digest)) = looked.await else {
            return;
        };
        eye = same_eye;
        if std::mem::replace(&mut known, digest) != digest {
            house.changes.announce();
        }
    }
}

impl Stir {
    /// Waits until something has happened, and then for quiet.
    async fn settled(&self) {
        self.notify.notified().await;
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if timeout(QUIET, self.notify.notified()).await.is_err() {
                return;
            }
        }
    }

    fn hear(&self, event: &notify::Result<Event>) {
        let matters = match event {
            Ok(event) => {
                !matches!(event.kind, EventKind::Access(_))
                    && event.paths.iter().any(|path| matters(path))
            }
            // Something was missed.
            Err(_) => true,
        };
        if matters {
            self.notify.notify_one();
        }
    }
}

/// Whether a path can be a tool, a configuration or a folder of tools.
fn matters(path: &Path) -> bool {
    path.extension().is_none_or(|ending| ending == "yaml")
        || path.file_name().is_some_and(|name| name == "package.json")
}

/// What watches folders.
struct Eye {
    watcher: Box<dyn Watcher + Send>,
    folders: Vec<PathBuf>,
}

impl Eye {
    /// The system's own way to watch, or else looking again and again.
    fn open(stir: &Arc<Stir>) -> Option<Self> {
        let hear = || {
            let stir = Arc::clone(stir);
            move |event| stir.hear(&event)
        };
        let config = Config::default();
        let watcher: Box<dyn Watcher + Send> = match RecommendedWatcher::new(hear(), config) {
            Ok(watcher) => Box::new(watcher),
            Err(_) => Box::new(PollWatcher::new(hear(), config.with_poll_interval(POLL)).ok()?),
        };
        Some(Self {
            watcher,
            folders: Vec::new(),
        })
    }

    /// Watches these folders and no others. One that was removed and made again is
    /// another one, so each is taken up anew.
    fn look_at(&mut self, folders: &[PathBuf]) {
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
