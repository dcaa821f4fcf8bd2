//! The signals that this process gets, as flags, and a pipe that wakes it up.
//!
//! A handled signal has its default action again in the program that is run, even if the parent
//! of this process ignores it.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::SigSet;
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU,
    SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::{flag, low_level};

/// The signals that have arrived.
pub(crate) struct Signals {
    wake: UnixStream,
    terminate: Arc<AtomicBool>,
    kill: Arc<AtomicBool>,
    closed: Arc<AtomicBool>,
}

/// Those that ask to end.
const TERMINATE: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];
/// Those that are only handled for the sake of the program.
const RESET: [i32; 9] = [
    SIGALRM, SIGPROF, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
];

impl Signals {
    /// Handles signals, and blocks none.
    pub(crate) fn handle() -> io::Result<Self> {
        let (wake, sender) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let signals = Self {
            wake,
            terminate: Arc::default(),
            kill: Arc::default(),
            closed: Arc::default(),
        };
        for signal in TERMINATE {
            flag::register(signal, Arc::clone(&signals.terminate))?;
        }
        flag::register(SIGQUIT, Arc::clone(&signals.kill))?;
        flag::register(SIGUSR1, Arc::clone(&signals.closed))?;
        for signal in RESET {
            flag::register(signal, Arc::default())?;
        }
        // The flag first: it must be set when the pipe wakes this process up.
        for signal in TERMINATE.into_iter().chain([SIGQUIT, SIGUSR1, SIGCHLD]) {
            low_level::pipe::register(signal, sender.try_clone()?)?;
        }
        SigSet::empty().thread_set_mask()?;
        Ok(signals)
    }

    /// What becomes readable when there is a signal.
    pub(crate) const fn wake(&self) -> &UnixStream {
        &self.wake
    }

    /// Empties the pipe.
    pub(crate) fn drain(&self) {
        let mut bytes = [0; 64];
        while (&self.wake).read(&mut bytes).is_ok_and(|count| count > 0) {}
    }

    /// Whether the program should be asked to terminate: once for any number of signals.
    pub(crate) fn take_terminate(&self) -> bool {
        self.terminate.swap(false, Ordering::AcqRel)
    }

    /// Whether everything should be killed (SIGQUIT).
    pub(crate) fn kill(&self) -> bool {
        self.kill.load(Ordering::Acquire)
    }

    /// Whether nothing holds the program's outputs any more (SIGUSR1).
    pub(crate) fn closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}
