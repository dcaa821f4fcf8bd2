//! Waits for the program, and ends everything that it has left behind.
//!
//! This process adopts every descendant that loses its parent, so nothing can leave by a new
//! session or by forking twice. It ends when it has no child left.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::parent_id;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, kill_process_group, pidfd_open, wait,
};
use signal_hook::low_level;

use crate::children;
use crate::failure::Failure;
use crate::signals::Signals;

/// How long other processes may run after the program has exited, to print what is left.
const GRACE: Duration = Duration::from_millis(500);
/// How often killing is repeated while children remain.
const KILL_INTERVAL: Duration = Duration::from_millis(10);
/// How often the parent is checked where the system has no event for its exit.
const PARENT_INTERVAL: Duration = Duration::from_millis(50);

/// The process that started this one.
pub(crate) struct Parent {
    id: u32,
    exited: Option<OwnedFd>,
}

/// The running program.
pub(crate) struct Supervisor {
    program: Pid,
    signals: Signals,
    parent: Parent,
    status: Option<(WaitStatus, Instant)>,
}

impl Parent {
    /// The parent, which must be the process `expected` if there is one.
    pub(crate) fn new(expected: Option<u32>) -> Result<Self, Failure> {
        let id = expected.unwrap_or_else(parent_id);
        let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
        let exited = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        // Checked after that, so that the descriptor is not of a later process with its number.
        let parent = Self { id, exited };
        if parent.has_exited() {
            Err(Failure::Orphan)
        } else {
            Ok(parent)
        }
    }

    /// Whether it has exited: this process has another parent then.
    fn has_exited(&self) -> bool {
        parent_id() != self.id
    }
}

impl Supervisor {
    /// Supervises `program`, a child of this process.
    pub(crate) const fn new(program: Pid, signals: Signals, parent: Parent) -> Self {
        Self {
            program,
            signals,
            parent,
            status: None,
        }
    }

    /// Waits until nothing is left, and then exits as the program did.
    pub(crate) fn run(mut self) -> ExitCode {
        loop {
            // Before anything is checked, so that no event is missed.
            self.signals.drain();
            if !self.reap() {
                break;
            }
            if self.should_kill() {
                children::kill_all();
            } else if self.signals.take_terminate() && self.status.is_none() {
                let _ = kill_process_group(self.program, Signal::TERM);
            }
            self.wait_for_event();
        }
        self.status
            .map_or(ExitCode::FAILURE, |(status, _)| exit_as(status))
    }

    /// Collects what has exited; whether there are children left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.program => {
                    self.status = Some((status, Instant::now()));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Whether all children must be killed.
    fn should_kill(&self) -> bool {
        let is_over = |(_, end): (_, Instant)| self.signals.closed() || end.elapsed() >= GRACE;
        self.signals.kill() || self.parent.has_exited() || self.status.is_some_and(is_over)
    }

    fn wait_for_event(&self) {
        let mut events = vec![PollFd::new(self.signals.wake(), PollFlags::IN)];
        let exited = self.parent.exited.as_ref();
        // It stays readable, and there is nothing more to learn from it.
        let exited = exited.filter(|_| !self.parent.has_exited());
        events.extend(exited.map(|exited| PollFd::new(exited, PollFlags::IN)));
        let timeout = self.timeout().and_then(|it| Timespec::try_from(it).ok());
        let _ = poll(&mut events, timeout.as_ref());
    }

    fn timeout(&self) -> Option<Duration> {
        if self.should_kill() {
            return Some(KILL_INTERVAL);
        }
        let grace = |(_, end): (_, Instant)| GRACE.saturating_sub(end.elapsed());
        let check = self.parent.exited.is_none().then_some(PARENT_INTERVAL);
        self.status.map(grace).into_iter().chain(check).min()
    }
}

/// Exits with the same status, or by the same signal.
fn exit_as(status: WaitStatus) -> ExitCode {
    if let Some(signal) = status.terminating_signal() {
        // Returns only if that is not possible.
        let _ = low_level::emulate_default_handler(signal);
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(255));
    }
    let code = status
        .exit_status()
        .and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(255))
}

/// Makes this process the parent of every descendant that loses its own.
pub(crate) fn adopt() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(
        rustix::process::getpid(),
    ))?)
}
