//! The process outside of a PID namespace, whose first process is the supervisor.
//!
//! It passes signals on, and exits as the program did. The namespace and everything in it end with
//! their first process.

use std::io::{self, Read as _};
use std::process::{Child, Command, ExitCode, Stdio};

use nix::sched::CloneFlags;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::process::{Pid, Signal, kill_process};

use crate::Failure;
use crate::confinement::release_streams;
use crate::options::Options;
use crate::sandbox::{Namespaces, namespaces};
use crate::supervisor::{Parent, READY, Signals, exit_as, exit_by};

/// The supervisor and its reports.
struct Inside {
    supervisor: Child,
    reports: io::PipeReader,
    is_ready: bool,
    /// The signal that ended the program.
    signal: Option<i32>,
}

/// Returns true if the program of `options` runs in a PID namespace, which this process is not in.
pub(crate) fn is_needed(options: &Options) -> bool {
    let policy = options.policy.as_ref();
    options.init.is_none() && policy.is_some_and(|policy| policy.namespaces == Namespaces::All)
}

/// Runs the program of `options` in a PID namespace.
pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    let failed = |error| Failure::Confine("a namespace of processes cannot be made", error);
    let parent = Parent::new(options.parent)?;
    // The leader of a group cannot begin a session, and the supervisor does.
    let _ = rustix::process::setsid();
    let signals = Signals::handle().map_err(failed)?;
    let inside = Inside::start(|option| options.command_of_this(option)).map_err(failed)?;
    release_streams().map_err(failed)?;
    inside.wait(&signals, &parent).map_err(failed)
}

/// The text that `--check` prints in a PID namespace; `None` if the system forbids one.
pub(crate) fn check() -> Option<String> {
    let command = |option: &str| {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([option, "--check"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        Ok(command)
    };
    let output = Inside::start(command)
        .ok()?
        .supervisor
        .wait_with_output()
        .ok()?;
    output.status.success().then_some(())?;
    String::from_utf8(output.stdout).ok()
}

impl Inside {
    /// Starts the supervisor, which `command` makes with an option.
    fn start(command: impl FnOnce(&str) -> io::Result<Command>) -> io::Result<Self> {
        namespaces::enter_spaces(CloneFlags::CLONE_NEWPID)?;
        namespaces::keep_for_program()?;
        let (reports, pipe) = io::pipe()?;
        ioctl_fionbio(&reports, true)?;
        fcntl_setfd(&pipe, FdFlags::empty())?;
        let number = std::os::fd::AsRawFd::as_raw_fd(&pipe);
        let supervisor = command(&format!("--init={number}"))?.spawn()?;
        Ok(Self {
            supervisor,
            reports,
            is_ready: false,
            signal: None,
        })
    }

    /// Waits until it has ended, and exits as the program did. `parent` is of this process.
    fn wait(mut self, signals: &Signals, parent: &Parent) -> io::Result<ExitCode> {
        let id = Pid::from_child(&self.supervisor);
        let mut has_closed = false;
        loop {
            // Before anything is checked, so that no event is missed.
            signals.drain();
            let status = self.supervisor.try_wait()?;
            self.read();
            if let Some(status) = status {
                return Ok(self.signal.map_or_else(|| exit_as(status), exit_by));
            }
            let asked = signals.take_terminate();
            if parent.has_exited() || signals.kill() || (asked && !self.is_ready) {
                self.supervisor.kill()?;
            } else if asked {
                let _ = kill_process(id, Signal::TERM);
            }
            if self.is_ready && signals.closed() && !has_closed {
                has_closed = true;
                let _ = kill_process(id, Signal::USR1);
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
