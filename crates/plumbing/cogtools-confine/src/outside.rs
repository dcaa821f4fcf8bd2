//! The process outside: the parent of the supervisor where that begins a session that this one
//! cannot begin, or is the first process of a PID namespace that this one is not in.
//!
//! It passes signals on, and exits as the program did. A namespace and everything in it end with
//! their first process.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use fork::ProcessFork;
use nix::sched::CloneFlags;
use nix::unistd::{getpgrp, getpid};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::Failure;
use crate::confinement::release_streams;
use crate::options::Options;
use crate::sandbox::{Namespaces, namespaces};
use crate::supervisor::{Parent, READY, Signals, exit_as, exit_by};

/// Which process this one has become.
pub(crate) enum Side {
    /// The supervisor, which ends with its parent.
    Inside(Parent),
    /// The one outside, after the supervisor has ended.
    Outside(ExitCode),
}

/// The supervisor and its reports.
struct Inside {
    supervisor: Pid,
    /// True if it is the first process of a namespace.
    is_first: bool,
    reports: io::PipeReader,
    is_ready: bool,
    /// The signal that ended the program.
    signal: Option<i32>,
}

/// Makes another process for the program of `options` if it needs one, and waits for it outside.
pub(crate) fn divide(options: &Options) -> Result<Side, Failure> {
    let failed = |what| move |error| Failure::Confine(what, error);
    let parent = Parent::new(options.parent)?;
    let policy = options.policy.as_ref();
    let in_namespace = policy.is_some_and(|policy| policy.namespaces == Namespaces::All);
    // The leader of a group cannot begin a session, and the supervisor does.
    if !in_namespace && getpid() != getpgrp() {
        return Ok(Side::Inside(parent));
    }
    let _ = rustix::process::setsid();
    if in_namespace {
        let made = namespaces::enter_spaces(CloneFlags::CLONE_NEWPID);
        made.map_err(failed("a namespace of processes cannot be made"))?;
    }
    let divided = Inside::start(in_namespace).map_err(failed("a process cannot be made"))?;
    let inside = match divided {
        Ok(inside) => inside,
        Err(pipe) => return Parent::outside(pipe).map(Side::Inside),
    };
    let waited = inside.wait(&parent);
    let code = waited.map_err(failed("a process cannot be waited for"))?;
    Ok(Side::Outside(code))
}

/// Returns what `inside` says as the first process of a PID namespace; `None` if it says nothing or
/// the system forbids one. In that process itself, that is an empty text.
pub(crate) fn ask(inside: impl FnOnce() -> Option<String>) -> Option<String> {
    namespaces::enter_spaces(CloneFlags::CLONE_NEWPID).ok()?;
    let mut said = String::new();
    match Inside::start(true).ok()? {
        Err(mut pipe) => {
            // Without it, the process outside reads nothing.
            let _ = pipe.write_all(inside().unwrap_or_default().as_bytes());
            Some(said)
        }
        Ok(mut supervisor) => {
            supervisor.reports.read_to_string(&mut said).ok()?;
            (!said.is_empty()).then_some(said)
        }
    }
}

impl Inside {
    /// Makes the process of the supervisor, which gets the pipe for its reports.
    fn start(is_first: bool) -> io::Result<Result<Self, io::PipeWriter>> {
        let (reports, pipe) = io::pipe()?;
        // There is one thread, so that nothing is held by another.
        Ok(match fork::fork_process()? {
            ProcessFork::Child => Err(pipe),
            ProcessFork::Parent(id) => Ok(Self {
                supervisor: Pid::from_raw(id.get()).ok_or(io::ErrorKind::InvalidData)?,
                is_first,
                reports,
                is_ready: false,
                signal: None,
            }),
        })
    }

    /// Waits until it has ended, and exits as the program did. `parent` is of this process.
    fn wait(mut self, parent: &Parent) -> io::Result<ExitCode> {
        let signals = Signals::handle()?;
        release_streams()?;
        ioctl_fionbio(&self.reports, true)?;
        let mut has_closed = false;
        loop {
            // Before anything is checked, so that no event is missed.
            signals.drain();
            let ended = waitpid(Some(self.supervisor), WaitOptions::NOHANG)?;
            self.read();
            if let Some((_, status)) = ended {
                return Ok(self
                    .signal
                    .map_or_else(|| exit_as(status, exit_by), exit_by));
            }
            let asked = signals.take_terminate();
            if parent.has_exited() || signals.kill() || (asked && !self.is_ready) {
                // All others end with the first process; elsewhere it ends them, if there are any.
                let kills = self.is_first || !self.is_ready;
                self.send(if kills { Signal::KILL } else { Signal::QUIT });
            } else if asked {
                self.send(Signal::TERM);
            }
            if self.is_ready && signals.closed() && !has_closed {
                has_closed = true;
                self.send(Signal::USR1);
            }
            let mut events = vec![
                PollFd::new(signals.wake(), PollFlags::IN),
                PollFd::new(&self.reports, PollFlags::IN),
            ];
            events.extend(parent.event().filter(|_| !parent.has_exited()));
            let timeout = parent.interval().and_then(|it| Timespec::try_from(it).ok());
            let _ = poll(&mut events, timeout.as_ref());
        }
    }

    fn send(&self, signal: Signal) {
        // It is there until it has been waited for.
        let _ = kill_process(self.supervisor, signal);
    }

    /// Reads what has been reported.
    fn read(&mut self) {
        let mut bytes = [0; 16];
        while let Ok(count) = self.reports.read(&mut bytes)
            && count > 0
        {
            for report in &bytes[..count] {
                if *report == READY {
                    self.is_ready = true;
                } else {
                    self.signal = Some((*report).into());
                }
            }
        }
    }
}
