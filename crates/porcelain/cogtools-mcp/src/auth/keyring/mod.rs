//! The keyring of the system. A secret never is an argument of a process.

#[cfg(any(target_os = "macos", windows, test))]
mod native;
#[cfg(target_os = "linux")]
mod secret_tool;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use cogtools_program::Io;

/// The name of our secrets.
const SERVICE: &str = "cogtools-mcp";
/// The time that the user may take to unlock it.
const MAX_WRITE: Duration = Duration::from_mins(1);
/// The time that a call waits for it.
const MAX_READ: Duration = Duration::from_secs(5);

/// A keyring. It says if it cannot do something, such as keep a secret that is too long for it.
pub(super) trait Keyring: Debug + Send + Sync {
    /// Keeps the secret `key` for the server at `url`; returns true if it is there then.
    fn save(&self, key: &str, url: &str, secret: &[u8]) -> bool;

    /// The secret `key`.
    fn load(&self, key: &str) -> Option<Vec<u8>>;

    /// Forgets the secret `key`; returns true if it was there.
    fn remove(&self, key: &str) -> bool;
}

/// The keyring of the user, if there is one: the Secret Service.
#[cfg(target_os = "linux")]
pub(super) fn of(io: &Io<'_>) -> Option<Arc<dyn Keyring>> {
    Some(Arc::new(secret_tool::SecretTool::of(io)?))
}

/// The keyring of the user: the Keychain, or the Credential Manager.
#[cfg(any(target_os = "macos", windows))]
pub(super) fn of(_: &Io<'_>) -> Option<Arc<dyn Keyring>> {
    Some(Arc::new(native::Native::of_user()?))
}

/// There is none.
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
pub(super) fn of(_: &Io<'_>) -> Option<Arc<dyn Keyring>> {
    None
}
