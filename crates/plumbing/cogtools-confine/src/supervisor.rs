//! Waits for the program, and ends everything that it has left behind.
//!
//! This process adopts every descendant that loses its parent, so nothing can leave by a new
//! session or by forking twice. It ends when it has no child left.

use std::io::{self, PipeWriter, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::parent_id;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::SigSet;
use nix::unistd::{self, getpgid, getpgrp};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    pidfd_open, wait,
};
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU,
    SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::{flag, low_level};

use crate::Failure;
use crate::trace::Trace;
use crate::usage::{Budget, children};

/// Time that other processes have after the program has exited, to print the rest.
const GRACE: Duration = Duration::from_millis(500);
/// Interval at which killing is repeated while children remain.
const KILL_INTERVAL: Duration = Duration::from_millis(10);
/// Interval at which the parent is checked where the system has no event for its exit.
const PARENT_INTERVAL: Duration = Duration::from_millis(50);

/// The process that this one ends with.
pub(crate) enum Parent {
    /// The one that started it.
    Process { id: u32, exited: Option<OwnedFd> },
    /// One outside of this PID namespace, where it has no number. It reads this pipe.
    Outside(PipeWriter),
}

/// Reports that signals are handled. Other reports are numbers of signals.
pub(crate) const READY: u8 = 0;

/// The running program.
pub(crate) struct Supervisor {
    program: Pid,
    signals: Signals,
    parent: Parent,
    status: Option<(WaitStatus, Instant)>,
    budget: Budget,
    /// True once the program and its descendants have exceeded the budget.
    is_over: bool,
    /// The time of the next look at the budget.
    due: Option<Instant>,
    trace: Option<Trace>,
}

impl Parent {
    /// The parent, which must be the process `expected` if there is one.
    pub(crate) fn new(expected: Option<u32>) -> Result<Self, Failure> {
        let id = expected.unwrap_or_else(parent_id);
        let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
        let exited = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        // Checked after that, so that the descriptor is not of a later process with its number.
        Self::Process { id, exited }.checked()
    }

    /// The process that reads `pipe`.
    pub(crate) fn outside(pipe: PipeWriter) -> Result<Self, Failure> {
        Self::Outside(pipe).checked()
    }

    /// Fails if it has exited already: nothing would end what is started.
    fn checked(self) -> Result<Self, Failure> {
        if self.has_exited() {
            Err(Failure::Orphan)
        } else {
            Ok(self)
        }
    }

    /// Returns true if it has exited: this process has another parent then, or nothing reads its
    /// reports.
    pub(crate) fn has_exited(&self) -> bool {
        match self {
            Self::Process { id, .. } => parent_id() != *id,
            Self::Outside(pipe) => {
                let mut events = [PollFd::new(pipe, PollFlags::empty())];
                let now = Timespec::default();
                poll(&mut events, Some(&now)).is_ok_and(|count| count > 0)
            }
        }
    }

    /// The time after which to ask again whether it has exited; `None` if that is an event.
    pub(crate) fn interval(&self) -> Option<Duration> {
        self.event().is_none().then_some(PARENT_INTERVAL)
    }

    /// The event of its exit, if the system has one.
    pub(crate) fn event(&self) -> Option<PollFd<'_>> {
        match self {
            Self::Process { exited, .. } => Some(PollFd::new(exited.as_ref()?, PollFlags::IN)),
            Self::Outside(pipe) => Some(PollFd::new(pipe, PollFlags::empty())),
        }
    }

    /// Sends `report` to a process outside.
    pub(crate) fn report(&self, report: u8) {
        if let Self::Outside(pipe) = self {
            // If it is gone, this process ends, too.
            let _ = (&*pipe).write_all(&[report]);
        }
    }

    /// Exits by `signal`. The first process of a namespace cannot, and reports it.
    fn exit_by(&self, signal: i32) -> ExitCode {
        if let Self::Outside(_) = self {
            self.report(u8::try_from(signal).unwrap_or(READY));
            return ExitCode::FAILURE;
        }
        exit_by(signal)
    }
}

impl Supervisor {
    /// Supervises `program`, a child of this process, which has `budget` and may be traced.
    pub(crate) const fn new(
        program: Pid,
        signals: Signals,
        parent: Parent,
        budget: Budget,
        trace: Option<Trace>,
    ) -> Self {
        Self {
            program,
            signals,
            parent,
            status: None,
            budget,
            is_over: false,
            due: None,
            trace,
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
            let look = self.look();
            if self.should_kill() {
                kill_children();
            } else if self.signals.take_terminate() && self.status.is_none() {
                let _ = kill_process_group(self.program, Signal::TERM);
            }
            self.wait_for_event(look);
        }
        if self.is_over {
            return self.parent.exit_by(SIGXCPU);
        }
        let Some((status, _)) = self.status else {
            return ExitCode::FAILURE;
        };
        exit_as(status, |signal| self.parent.exit_by(signal))
    }

    /// Checks the budget if that is due; the time after which to do so again.
    fn look(&mut self) -> Option<Duration> {
        let left = self
            .due
            .map(|due| due.saturating_duration_since(Instant::now()));
        if let Some(left) = left.filter(|left| !left.is_zero()) {
            return Some(left);
        }
        let (exceeded, pause) = self.budget.check();
        self.is_over |= exceeded;
        // What is traced stops all the time.
        let due = pause.filter(|_| self.trace.is_some());
        self.due = due.map(|pause| Instant::now() + pause);
        pause
    }

    /// Collects what has exited, and resumes what is traced; whether there are children left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.program && !status.stopped() => {
                    self.status = Some((status, Instant::now()));
                }
                Ok(Some((pid, status))) => {
                    if let Some(trace) = self.trace.as_mut().filter(|_| status.stopped()) {
                        trace.resume(pid, status);
                    }
                }
                Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Returns true if all children must be killed.
    fn should_kill(&self) -> bool {
        let is_over = |(_, end): (_, Instant)| self.signals.closed() || end.elapsed() >= GRACE;
        self.is_over
            || self.signals.kill()
            || self.parent.has_exited()
            || self.status.is_some_and(is_over)
    }

    /// Waits until something happens, at most for `look`.
    fn wait_for_event(&self, look: Option<Duration>) {
        let mut events = vec![PollFd::new(self.signals.wake(), PollFlags::IN)];
        // It stays, and there is nothing more to learn from it.
        events.extend(self.parent.event().filter(|_| !self.parent.has_exited()));
        let timeout = self.timeout().into_iter().chain(look).min();
        let timeout = timeout.and_then(|it| Timespec::try_from(it).ok());
        let _ = poll(&mut events, timeout.as_ref());
    }

    fn timeout(&self) -> Option<Duration> {
        if self.should_kill() {
            return Some(KILL_INTERVAL);
        }
        let grace = |(_, end): (_, Instant)| GRACE.saturating_sub(end.elapsed());
        let grace = self.status.map(grace);
        grace.into_iter().chain(self.parent.interval()).min()
    }
}

/// Exits with the same status, or by the same signal.
pub(crate) fn exit_as(status: WaitStatus, exit_by: impl FnOnce(i32) -> ExitCode) -> ExitCode {
    if let Some(signal) = status.terminating_signal() {
        return exit_by(signal);
    }
    let code = status
        .exit_status()
        .and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(255))
}

/// Exits by `signal`.
pub(crate) fn exit_by(signal: i32) -> ExitCode {
    // Returns only if that is not possible.
    let _ = low_level::emulate_default_handler(signal);
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(255))
}

/// Makes this process the parent of every descendant that loses its own.
pub(crate) fn adopt() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(getpid()))?)
}

/// The signals that have arrived.
pub(crate) struct Signals {
    wake: UnixStream,
    terminate: Arc<AtomicBool>,
    kill: Arc<AtomicBool>,
    closed: Arc<AtomicBool>,
}

/// Signals that ask to end.
const TERMINATE: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];
/// Signals that are only handled for the sake of the program.
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

    /// Returns the stream that becomes readable when there is a signal.
    pub(crate) const fn wake(&self) -> &UnixStream {
        &self.wake
    }

    /// Empties the pipe.
    pub(crate) fn drain(&self) {
        let mut bytes = [0; 64];
        while (&self.wake).read(&mut bytes).is_ok_and(|count| count > 0) {}
    }

    /// Returns true if the program should be asked to terminate: once for any number of signals.
    pub(crate) fn take_terminate(&self) -> bool {
        self.terminate.swap(false, Ordering::AcqRel)
    }

    /// Returns true if everything should be killed (SIGQUIT).
    pub(crate) fn kill(&self) -> bool {
        self.kill.load(Ordering::Acquire)
    }

    /// Returns true if nothing holds the program's outputs any more (SIGUSR1).
    pub(crate) fn closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

/// Kills all of them. Their children become children of this process, so this must be repeated
/// until there are none.
fn kill_children() {
    let own = getpgrp();
    for child in children(getpid()) {
        // The system signals a group at once, so that nothing in it can be faster.
        let id = unistd::Pid::from_raw(child.as_raw_nonzero().get());
        let group = getpgid(Some(id)).ok().filter(|group| *group != own);
        // It is 0 if the group began outside a container that the child is in.
        let group = group.and_then(|group| Pid::from_raw(group.as_raw()));
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
        let _ = kill_process(child, Signal::KILL);
    }
}
