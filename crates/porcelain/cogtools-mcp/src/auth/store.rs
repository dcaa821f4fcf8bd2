//! The store of tokens: the keyring of the system, else files that only the user can read. One
//! entry is for exactly one URL of a server.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::digest;
use cogtools_core::file::{WriteError, WritePath, create_private_folder, remove, replace_private};
use cogtools_program::Io;
use cogtools_program::dirs::state_dir;
use tokio::time::{Instant, sleep};

use super::LoginError;
use super::grant::Grant;
use super::keyring::{self, Keyring};

/// The folder, in the user's state.
const FOLDER: &str = "logins";
/// The largest entry.
const MAX_BYTES: u64 = 256 << 10;
/// The time that another process may take to renew a token.
const MAX_WAIT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The tokens of the user.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    keyring: Option<Arc<dyn Keyring>>,
}

/// The place of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Keyring,
    File(PathBuf),
}

impl Store {
    /// Returns the store of the user who runs this program.
    pub(crate) fn of(io: &Io<'_>) -> Option<Self> {
        Some(Self {
            folder: state_dir(io)?.join(FOLDER),
            keyring: keyring::of(io),
        })
    }

    /// Loads the tokens for the server at `url`.
    pub(crate) fn load(&self, url: &str) -> Option<Grant> {
        let bytes = if self.path(url, MARKER).is_file() {
            self.keyring.as_ref()?.load(&key(url))?
        } else {
            read(&self.path(url, DATA))?
        };
        let grant: Grant = serde_json::from_slice(&bytes).ok()?;
        // The name of an entry is no proof of what is in it.
        (grant.server == url).then_some(grant)
    }

    /// Keeps `grant`, and forgets the last one for its server.
    pub(crate) fn save(&self, grant: &Grant) -> Result<Kept, LoginError> {
        let failed = |error: &dyn std::fmt::Display| LoginError::Store(error.to_string());
        let url = &grant.server;
        let bytes = serde_json::to_vec(grant).map_err(|error| failed(&error))?;
        create_private_folder(&self.folder).map_err(|error| failed(&error))?;
        let write = |ending: &str, bytes: &[u8]| {
            let name = format!("{}{ending}", key(url));
            let file = WritePath::below(&self.folder, name.as_ref());
            replace_private(&file, bytes).map_err(|error| failed(&error))
        };
        let keyring = self.keyring.as_ref();
        if keyring.is_some_and(|keyring| keyring.save(&key(url), url, &bytes)) {
            // It says only where the token is.
            write(MARKER, b"")?;
            let _ = self.remove_file(url, DATA);
            return Ok(Kept::Keyring);
        }
        write(DATA, &bytes)?;
        // One that has no room for this token may still have the last one.
        if self.path(url, MARKER).is_file()
            && let Some(keyring) = keyring
        {
            keyring.remove(&key(url));
        }
        let _ = self.remove_file(url, MARKER);
        Ok(Kept::File(self.path(url, DATA)))
    }

    /// Forgets the tokens for the server at `url`; returns true if there were any.
    pub(crate) fn remove(&self, url: &str) -> Result<bool, LoginError> {
        let in_keyring = self.path(url, MARKER).is_file()
            && self.keyring.as_ref().is_some_and(|it| it.remove(&key(url)));
        let mut was_there = in_keyring;
        for ending in [MARKER, DATA] {
            if self.path(url, ending).exists() {
                let removed = self.remove_file(url, ending);
                removed.map_err(|error| LoginError::Store(error.to_string()))?;
                was_there = true;
            }
        }
        Ok(was_there)
    }

    fn remove_file(&self, url: &str, ending: &str) -> Result<(), WriteError> {
        let name = format!("{}{ending}", key(url));
        remove(&WritePath::below(&self.folder, name.as_ref()))
    }

    /// Excludes other processes that renew the token for `url`: most authorization servers accept
    /// a refresh token once.
    pub(crate) async fn lock(&self, url: &str) -> Option<File> {
        // What waits for the last file finds the token in the new one.
        let file = File::open(self.path(url, DATA))
            .or_else(|_| File::open(self.path(url, MARKER)))
            .ok()?;
        let end = Instant::now() + MAX_WAIT;
        while file.try_lock().is_err() {
            if Instant::now() >= end {
                return None;
            }
            sleep(POLL_INTERVAL).await;
        }
        Some(file)
    }

    fn path(&self, url: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", key(url)))
    }
}

const DATA: &str = ".json";
const MARKER: &str = ".keyring";

/// The name of the entry for a URL.
fn key(url: &str) -> String {
    let hash = digest::bytes(url.as_bytes()).to_string();
    hash.chars().filter(char::is_ascii_alphanumeric).collect()
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(path).ok()?;
    let is_ours = metadata.is_file() && metadata.len() <= MAX_BYTES;
    is_ours.then(|| fs::read(path).ok()).flatten()
}
