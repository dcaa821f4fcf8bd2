//! The folder where the user of a client works: its first root.
//!
//! By the standard, the server of a plugin starts in a folder of the plugin, and has the plugin's
//! tools by a variable. Their programs belong where the user works, and the client's roots say where
//! that is. The revision 2026-07-28 deprecates roots, and so does the SDK; stateful clients have them.
#![allow(deprecated, reason = "stateful clients still have roots")]

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cogtools_program::file_uri;
use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::sync::watch;
use tokio::time::timeout;

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
        self.lock().clone()
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
            let mut known = self.lock();
            let is_changed = *known != folder;
            *known = folder;
            is_changed
        });
        self.awaited.send_replace(false);
        is_changed
    }

    fn lock(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
