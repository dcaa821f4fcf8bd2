//! Terminates child programs when this process is asked to end.
//!
//! A termination signal, or the exit of the host that started this process, first cancels what
//! it runs; then the process exits itself. Signals are handled only while something runs;
//! otherwise the default action is right.

use std::cell::OnceCell;

use cogtools_core::Cancel;

/// Handles termination signals until it is dropped.
#[derive(Debug)]
pub struct SignalGuard {
    #[cfg(unix)]
    signal: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    #[cfg(unix)]
    handlers: Vec<signal_hook::SigId>,
    /// The handler with which Ctrl-C cancels what runs.
    #[cfg(unix)]
    interrupt: Option<signal_hook::SigId>,
    #[cfg(unix)]
    stopped: std::sync::Arc<std::sync::atomic::AtomicBool>,
    /// True if the next signal is the second one.
    #[cfg(unix)]
    is_second: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

/// Handles termination signals from the first time that sources may run programs to the end of
/// the process.
#[derive(Debug, Default)]
pub struct SignalWatch {
    guard: OnceCell<(Cancel, SignalGuard)>,
    token: Option<Cancel>,
}

impl SignalWatch {
    /// For a process that handles signals itself, and cancels what runs with `cancel`.
    pub fn with_token(cancel: Cancel) -> Self {
        Self {
            guard: OnceCell::new(),
            token: Some(cancel),
        }
    }

    /// Starts handling signals. The returned token cancels the programs that run from now on.
    pub fn begin(&self) -> Cancel {
        if let Some(cancel) = &self.token {
            return cancel.clone();
        }
        let (cancel, _) = self.guard.get_or_init(|| {
            let cancel = Cancel::default();
            let guard = SignalGuard::begin(&cancel);
            (cancel, guard)
        });
        cancel.clone()
    }

    /// Like [`SignalWatch::begin`], but a second signal ends the process at once, whatever it
    /// does: for what a user may wait for.
    pub fn begin_with_second(&self) -> Cancel {
        let cancel = self.begin();
        if let Some((_, guard)) = self.guard.get() {
            guard.end_at_second_signal();
        }
        cancel
    }

    /// Like [`SignalWatch::begin`], but Ctrl-C only sets the returned token, each time: what runs
    /// may end.
    pub fn begin_with_interrupt(&self) -> Cancel {
        let interrupt = Cancel::default();
        self.begin();
        if let Some((cancel, guard)) = self.guard.get() {
            guard.redirect_interrupt(cancel, &interrupt);
        }
        interrupt
    }

    /// Forgets Ctrl-C, and whatever else has cancelled the token, for a program that goes on
    /// after what was cancelled has ended. Returns whether it may: no other signal has come.
    pub fn go_on(&self) -> bool {
        let Some((cancel, guard)) = self.guard.get() else {
            return true;
        };
        guard.forget_interrupt();
        cancel.reset();
        let may_go_on = guard.status().is_none();
        if !may_go_on {
            cancel.cancel();
        }
        may_go_on
    }

    /// Returns true after a signal, whose status the process will have.
    pub fn is_interrupted(&self) -> bool {
        self.status().is_some()
    }

    /// The status to exit with, after a signal.
    pub fn status(&self) -> Option<u8> {
        self.guard.get()?.1.status()
    }
}

#[cfg(not(unix))]
impl SignalGuard {
    /// Does nothing: this system has no termination signals.
    pub const fn begin(_: &Cancel) -> Self {
        Self {}
    }

    /// Does nothing.
    #[expect(clippy::unused_self, reason = "it has fields on Unix")]
    pub(crate) const fn end_at_second_signal(&self) {}

    /// Does nothing.
    #[expect(clippy::unused_self, reason = "it has fields on Unix")]
    pub(crate) const fn forget_interrupt(&self) {}

    /// Does nothing.
    #[expect(clippy::unused_self, reason = "it has fields on Unix")]
    pub(crate) const fn redirect_interrupt(&self, _: &Cancel, _: &Cancel) {}

    /// The status to exit with, after a signal.
    #[expect(clippy::unused_self, reason = "it has fields on Unix")]
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
    use cogtools_core::process::ignored_signals;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::{flag, low_level};

    use super::SignalGuard;

    /// The interval of the checks that the host is still running.
    const PARENT_POLL: Duration = Duration::from_millis(100);

    impl SignalGuard {
        /// Cancels `cancel` on termination signals, and when the parent exits.
        pub fn begin(cancel: &Cancel) -> Self {
            let signal = Arc::new(AtomicUsize::new(0));
            let stopped = Arc::new(AtomicBool::new(false));
            let is_second = Arc::new(AtomicBool::new(false));
            let (mut handlers, mut interrupt) = (Vec::new(), None);
            let ignored = ignored_signals();
            let is_handled = |number: &i32| ignored & (1 << (number - 1)) == 0;
            let numbers = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
            for number in numbers.into_iter().filter(is_handled) {
                let Ok(value) = usize::try_from(number) else {
                    continue;
                };
                // Once the guard is dropped, signals have their default action.
                let default_action =
                    flag::register_conditional_default(number, Arc::clone(&stopped));
                drop(default_action);
                // The number first, so that it is known when the token is cancelled.
                handlers.extend(flag::register_usize(number, Arc::clone(&signal), value));
                let handler = flag::register(number, cancel.flag()).ok();
                handlers.extend(handler);
                interrupt = interrupt.or(handler.filter(|_| number == SIGINT));
            }
            let guard = Self {
                signal,
                handlers,
                interrupt,
                stopped,
                is_second,
            };
            // Under `nohup`, the process continues when the host is gone.
            if is_handled(&SIGHUP) {
                guard.watch_parent(cancel.clone());
            }
            guard
        }

        /// From now on the second signal ends the process, without waiting for anything.
        pub(crate) fn end_at_second_signal(&self) {
            let ignored = ignored_signals();
            let numbers = [SIGINT, SIGTERM];
            for number in numbers
                .into_iter()
                .filter(|number| ignored & (1 << (number - 1)) == 0)
            {
                // Handlers run in the order in which they are registered.
                let is_armed = Arc::clone(&self.is_second);
                let end = flag::register_conditional_shutdown(number, 128 + number, is_armed);
                let arm = flag::register(number, Arc::clone(&self.is_second));
                // Both stay until the process ends.
                drop((end, arm));
            }
        }

        /// Makes Ctrl-C set `interrupt` from now on, and cancel nothing.
        pub(crate) fn redirect_interrupt(&self, cancel: &Cancel, interrupt: &Cancel) {
            if let Some(handler) = self.interrupt
                && low_level::unregister(handler)
            {
                // It stays until the process ends.
                if flag::register(SIGINT, interrupt.flag()).is_err() {
                    let _ = flag::register(SIGINT, cancel.flag());
                }
            }
        }

        /// Forgets Ctrl-C, so that the next one is the first again.
        pub(crate) fn forget_interrupt(&self) {
            if let Ok(interrupt) = usize::try_from(SIGINT) {
                let (set, failed) = (Ordering::AcqRel, Ordering::Acquire);
                // Another signal, or none, stays as it is.
                let _ = self.signal.compare_exchange(interrupt, 0, set, failed);
            }
            self.is_second.store(false, Ordering::Release);
        }

        /// The status to exit with, after a signal: 128 plus its number.
        pub fn status(&self) -> Option<u8> {
            match self.signal.load(Ordering::Acquire) {
                0 => None,
                number => u8::try_from(128 + number).ok(),
            }
        }

        /// When the parent exits, the process gets another parent, and its result is no longer
        /// needed. It then ends as if its terminal had been closed.
        fn watch_parent(&self, cancel: Cancel) {
            let host = parent_id();
            let (signal, stopped) = (Arc::clone(&self.signal), Arc::clone(&self.stopped));
            let poll = move || {
                while !stopped.load(Ordering::Acquire) {
                    if parent_id() != host {
                        signal.store(usize::try_from(SIGHUP).unwrap_or(1), Ordering::Release);
                        cancel.cancel();
                        return;
                    }
                    thread::sleep(PARENT_POLL);
                }
            };
            // If the thread does not start, only the check of the parent is missing.
            let _ = thread::Builder::new().name("host".into()).spawn(poll);
        }
    }

    impl Drop for SignalGuard {
        fn drop(&mut self) {
            self.stopped.store(true, Ordering::Release);
            for handler in self.handlers.drain(..) {
                low_level::unregister(handler);
            }
        }
    }
}
