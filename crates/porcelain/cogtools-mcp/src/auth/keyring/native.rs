//! The Keychain of macOS and the Credential Manager of Windows, by their own interfaces.
//!
//! The system may ask the user, so each request has a thread and a time limit. The Credential
//! Manager takes 2,560 bytes; a secret that is longer is not kept.

use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use keyring_core::{CredentialStore, Entry, Error};

use super::{Keyring, MAX_READ, MAX_WRITE, SERVICE};

/// The store of the system.
pub(super) struct Native {
    store: Arc<CredentialStore>,
}

impl Native {
    /// The user's login keychain.
    #[cfg(target_os = "macos")]
    pub(super) fn of_user() -> Option<Self> {
        let store = apple_native_keyring_store::keychain::Store::new().ok()?;
        Some(Self { store })
    }

    /// The user's credentials.
    #[cfg(windows)]
    pub(super) fn of_user() -> Option<Self> {
        let store = windows_native_keyring_store::Store::new().ok()?;
        Some(Self { store })
    }

    /// The answer to a request about the secret `key`, if it comes within `limit`.
    fn ask<T: Send + 'static>(
        &self,
        key: &str,
        limit: Duration,
        request: impl FnOnce(&Entry) -> Result<T, Error> + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = mpsc::channel();
        let (store, key) = (Arc::clone(&self.store), key.to_owned());
        let work = move || {
            let entry = store.build(SERVICE, &key, None);
            let answer = entry.and_then(|entry| request(&entry));
            // The caller may have stopped waiting.
            let _ = sender.send(answer.ok());
        };
        thread::Builder::new().spawn(work).ok()?;
        receiver.recv_timeout(limit).ok()?
    }
}

impl Keyring for Native {
    fn save(&self, key: &str, _: &str, secret: &[u8]) -> bool {
        let bytes = secret.to_vec();
        let saved = self.ask(key, MAX_WRITE, move |entry| entry.set_secret(&bytes));
        saved.is_some() && self.load(key).as_deref() == Some(secret)
    }

    fn load(&self, key: &str) -> Option<Vec<u8>> {
        let secret = self.ask(key, MAX_READ, Entry::get_secret)?;
        (!secret.is_empty()).then_some(secret)
    }

    fn remove(&self, key: &str) -> bool {
        let removed = self.ask(key, MAX_WRITE, Entry::delete_credential);
        removed.is_some()
    }
}

impl Debug for Native {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Native").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use keyring_core::mock;

    use super::*;

    #[test]
    fn a_secret_is_kept_and_forgotten() {
        let store = mock::Store::new().expect("a store in memory");
        let keyring = Native { store };
        assert_eq!(keyring.load("a"), None);
        assert!(keyring.save("a", "https://x/y", b"secret\n{}"));
        assert_eq!(keyring.load("a").as_deref(), Some(&b"secret\n{}"[..]));
        assert_eq!(keyring.load("b"), None);
        assert!(keyring.save("a", "https://x/y", b"another"));
        assert_eq!(keyring.load("a").as_deref(), Some(&b"another"[..]));
        assert!(keyring.remove("a"));
        assert!(!keyring.remove("a"));
        assert_eq!(keyring.load("a"), None);
    }
}
