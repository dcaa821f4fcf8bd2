//! Whether a run has needed all of its memory.

use cogtools_core::javascript::Script;

/// The most memory that this process had when the run began, in bytes.
pub(super) struct Memory(usize);

impl Memory {
    /// The memory of a run that begins now.
    pub(super) fn new() -> Self {
        Self(peak().unwrap_or(usize::MAX))
    }

    /// Whether the run has come near its limit at any time.
    pub(super) fn is_exhausted(&self) -> bool {
        let needed = peak().and_then(|peak| peak.checked_sub(self.0));
        needed.is_some_and(|needed| needed >= Script::MEMORY / 4 * 3)
    }
}

/// The most memory that this process has had, in bytes.
#[cfg(unix)]
fn peak() -> Option<usize> {
    use nix::sys::resource::{UsageWho, getrusage};

    let unit = if cfg!(target_os = "macos") {
        1
    } else {
        1 << 10
    };
    let size = getrusage(UsageWho::RUSAGE_SELF).ok()?.max_rss();
    usize::try_from(size).ok()?.checked_mul(unit)
}

/// Unknown here.
#[cfg(not(unix))]
const fn peak() -> Option<usize> {
    None
}
