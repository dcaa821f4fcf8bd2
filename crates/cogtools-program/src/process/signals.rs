//! The ends of this process that must not leave programs behind.
//!
//! A signal that asks it to end, and the death of the host that started it, first
//! reach whatever this process runs; then it ends itself. It is looked out for
//! only while something runs: otherwise the usual ends are the right ones.

use std::cell::OnceCell;

use cogtools_core::Cancel;

/// Looks out for the end of this process.
#[derive(Debug)]
pub struct SignalGuard {
    #[cfg(unix)]
    signal: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    #[cfg(unix)]
    handlers: Vec<signal_hook::SigId>,
    #[cfg(unix)]
    over: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

/// Looks out for it from the first time that sources which are programs may run
/// to the end of the process.
#[derive(Debug, Default)]
pub struct SignalWatch {
    watch: OnceCell<(Cancel, SignalGuard)>,
    token: Option<Cancel>,
}

impl SignalWatch {
    /// For a process that looks out for its end itself: who asks `cancel` ends what
    /// runs.
    pub fn with_token(cancel: Cancel) -> Self {
        Self {
            watch: OnceCell::new(),
            token: Some(cancel),
        }
    }

    /// What ends the programs that run from now on: those ends ask it, or whoever
    /// is followed.
    pub fn begin(&self) -> Cancel {
        if let Some(cancel) = &self.token {
            return cancel.clone();
        }
        let (cancel, _) = self.watch.get_or_init(|| {
            let cancel = Cancel::default();
            let watch = SignalGuard::begin(&cancel);
            (cancel, watch)
        });
        cancel.clone()
    }

    /// The status to end with, if it has to.
    pub(crate) fn status(&self) -> Option<u8> {
        self.watch.get()?.1.status()
    }
}

#[cfg(not(unix))]
impl SignalGuard {
    /// Nothing here asks a process to end: it is ended.
    pub const fn begin(_: &Cancel) -> Self {
        Self {}
    }

    /// The status to end with, if it has to.
    #[expect(clippy::unused_self, reason = "there is something to ask elsewhere")]
    pub const fn status(&self) -> Option<u8> {
        None
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::process::parent_id;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use cogtools_core::Cancel;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::{flag, low_level};

    use super::SignalGuard;

    /// How often it is looked whether the host is still there.
    const TICK: Duration = Duration::from_millis(100);

    impl SignalGuard {
        /// From now on those ends ask `cancel`.
        pub fn begin(cancel: &Cancel) -> Self {
            let signal = Arc::new(AtomicUsize::new(0));
            let over = Arc::new(AtomicBool::new(false));
            let mut handlers = Vec::new();
            let ignored = ignored();
            let counts = |number: &i32| ignored & (1 << (number - 1)) == 0;
            let numbers = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
            for number in numbers.into_iter().filter(counts) {
                let Ok(value) = usize::try_from(number) else {
                    continue;
                };
                // When nothing runs any more, signals do what they usually do.
                let usual = flag::register_conditional_default(number, Arc::clone(&over));
                drop(usual);
                // The number first: whoever sees the wish to end can look it up.
                handlers.extend(flag::register_usize(number, Arc::clone(&signal), value));
                handlers.extend(flag::register(number, cancel.flag()));
            }
            let watch = Self {
                signal,
                handlers,
                over,
            };
            // `nohup` says that the work goes on when the host is gone.
            if counts(&SIGHUP) {
                watch.watch_parent(cancel.clone());
            }
            watch
        }

        /// The status to end with, if it has to: 128 and the signal's number.
        pub fn status(&self) -> Option<u8> {
            match self.signal.load(Ordering::Acquire) {
                0 => None,
                number => u8::try_from(128 + number).ok(),
            }
        }

        /// A process whose parent dies gets another one; nobody waits for its
        /// answer then. It ends as if its terminal had been closed.
        fn watch_parent(&self, cancel: Cancel) {
            let host = parent_id();
            let (signal, over) = (Arc::clone(&self.signal), Arc::clone(&self.over));
            let look = move || {
                while !over.load(Ordering::Acquire) {
                    if parent_id() != host {
                        signal.store(usize::try_from(SIGHUP).unwrap_or(1), Ordering::Release);
                        cancel.cancel();
                        return;
                    }
                    thread::sleep(TICK);
                }
            };
            // Without the thread all is as it would be without this watch.
            let _ = thread::Builder::new().name("host".into()).spawn(look);
        }
    }

    /// The signals that whoever started this process wants it to ignore, as a set of
    /// bits; none where the system does not tell.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let bits = bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
        bits.unwrap_or_default()
    }

    impl Drop for SignalGuard {
        fn drop(&mut self) {
            self.over.store(true, Ordering::Release);
            for handler in self.handlers.drain(..) {
                low_level::unregister(handler);
            }
        }
    }
}
