//! Ends the process when its terminal is gone.
//!
//! The library that reads keys does not stop when a terminal has no more of them: it reads again,
//! without a pause, and looks at no flag that SIGHUP sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpid, kill_process};

/// The interval of the checks that the watch is still needed.
const TICK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 300_000_000,
};
/// The time that the process has to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// Watches the terminal on standard input until it is dropped.
#[derive(Debug)]
pub(crate) struct HangupWatch(Arc<AtomicBool>);

impl HangupWatch {
    pub(crate) fn begin() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_over);
        thread::spawn(move || watch(&flag));
        Self(is_over)
    }
}

impl Drop for HangupWatch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn watch(is_over: &AtomicBool) {
    let stdin = std::io::stdin();
    while !is_over.load(Ordering::Acquire) {
        let mut terminal = [PollFd::new(&stdin, PollFlags::empty())];
        let found = poll(&mut terminal, Some(&TICK));
        if found.is_ok() && terminal[0].revents().contains(PollFlags::HUP) {
            return end(is_over);
        }
    }
}

/// Tells the process to end as if the terminal had, and ends it if it cannot.
fn end(is_over: &AtomicBool) {
    for signal in [Signal::HUP, Signal::TERM, Signal::TERM] {
        // There is nothing left to do for a process that cannot signal itself.
        let _ = kill_process(getpid(), signal);
        thread::sleep(GRACE);
        if is_over.load(Ordering::Acquire) {
            return;
        }
    }
}
