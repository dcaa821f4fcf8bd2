//! A program, and a way to signal everything that it started.
//!
//! A program leads its own process group, so that all of it can be signalled together. A
//! confined one is run by `cogtools-confine`, which is signalled instead. Neither is reaped
//! before that: as long as it exists, even as a zombie, its process ID cannot be reused.

use std::io;
use std::process::{Child, Command, ExitStatus};
#[cfg(unix)]
use std::sync::{Arc, Once, OnceLock};

/// A program and the processes that it started. On systems without process groups, only
/// the program.
#[derive(Debug)]
pub struct Group {
    child: Child,
    reaped: bool,
    /// True if it is run by `cogtools-confine`.
    #[cfg_attr(not(unix), expect(dead_code, reason = "it is signalled nowhere else"))]
    confined: bool,
}

/// Time that `cogtools-confine` has to kill everything.
#[cfg(target_os = "linux")]
const KILL_GRACE: std::time::Duration = std::time::Duration::from_secs(2);

impl Group {
    /// Starts `command` as the leader of a group.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        #[cfg(target_os = "linux")]
        super::orphans::hide();
        #[cfg(unix)]
        keep_statuses();
        Ok(Self::new(command.spawn()?, false))
    }

    /// Starts `command`, which is `cogtools-confine` and makes its own session.
    pub(super) fn start_confined(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        keep_statuses();
        #[cfg(target_os = "linux")]
        {
            super::orphans::hide();
            super::orphans::adopt();
            super::orphans::register(|| {
                let group = Self::new(command.spawn()?, true);
                Ok((group.id(), group))
            })
        }
        #[cfg(not(target_os = "linux"))]
        Ok(Self::new(command.spawn()?, true))
    }

    const fn new(child: Child, confined: bool) -> Self {
        Self {
            child,
            reaped: false,
            confined,
        }
    }

    /// The leader, for access to its pipes.
    pub const fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Asks everything to terminate (SIGTERM). Does nothing on other systems.
    pub fn terminate(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
    }

    /// Kills everything.
    pub fn kill(&mut self) {
        #[cfg(target_os = "linux")]
        if self.confined {
            self.kill_confined();
            return;
        }
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
        #[cfg(not(unix))]
        let _ = self.child.kill();
    }

    /// Reports that nothing holds the program's outputs any more: what it leaves behind need not
    /// be waited for.
    pub(super) fn outputs_closed(&self) {
        #[cfg(target_os = "linux")]
        if self.confined {
            self.signal(rustix::process::Signal::USR1);
        }
    }

    /// Waits for the leader and returns its status. After that the group must not be
    /// signalled.
    pub fn reap(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        self.reaped = true;
        #[cfg(target_os = "linux")]
        if self.confined {
            use std::os::unix::process::ExitStatusExt as _;
            super::orphans::forget(self.id());
            // Perhaps it was killed itself, and not the program.
            if status.signal().is_some() {
                super::orphans::kill();
            }
        }
        Ok(status)
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        use rustix::process::{kill_process, kill_process_group};
        if self.reaped {
            return;
        }
        // One that has exited needs no signal.
        let _ = if self.confined {
            let session = if cfg!(target_os = "linux") {
                // It passes the signal on.
                Err(rustix::io::Errno::SRCH)
            } else {
                kill_process_group(self.id(), signal)
            };
            session.or_else(|_| kill_process(self.id(), signal))
        } else {
            kill_process_group(self.id(), signal)
        };
    }

    #[cfg(unix)]
    fn id(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Lets `cogtools-confine` kill everything, and kills it if it does not: a program can stop
    /// it. What is left is then ours to kill.
    #[cfg(target_os = "linux")]
    fn kill_confined(&self) {
        use rustix::process::Signal;
        use std::time::{Duration, Instant};
        self.signal(Signal::CONT);
        self.signal(Signal::QUIT);
        let deadline = Instant::now() + KILL_GRACE;
        while !self.reaped && !self.has_ended() {
            if Instant::now() >= deadline {
                return self.signal(Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// A descriptor that can be read once the leader has exited, where the system has that.
    #[cfg(target_os = "linux")]
    pub(super) fn exit_descriptor(&self) -> Option<std::os::fd::OwnedFd> {
        rustix::process::pidfd_open(self.id(), rustix::process::PidfdFlags::empty()).ok()
    }

    /// There is no such descriptor.
    #[cfg(all(unix, not(target_os = "linux")))]
    #[expect(clippy::unused_self, reason = "Linux needs it")]
    pub(super) const fn exit_descriptor(&self) -> Option<std::os::fd::OwnedFd> {
        None
    }

    /// Returns true if the leader has exited. It is not reaped.
    #[cfg(unix)]
    pub fn has_ended(&self) -> bool {
        use rustix::io::Errno;
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        // Where a process is not to be waited for, there is none after its end.
        !matches!(
            waitid(WaitId::Pid(self.id()), options),
            Ok(None) | Err(Errno::INTR)
        )
    }

    /// Returns true if the leader has exited.
    #[cfg(not(unix))]
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }
}

/// The signals that this process inherited as ignored, as a bit set; empty if unknown: only Linux
/// says so, in `proc_pid_status(5)`.
#[cfg(unix)]
pub fn ignored_signals() -> u64 {
    static IGNORED: OnceLock<u64> = OnceLock::new();
    *IGNORED.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let bits = bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
        bits.unwrap_or_default()
    })
}

/// Lets the system keep how children end: where a host ignores `SIGCHLD`, it forgets that.
#[cfg(unix)]
pub(super) fn keep_statuses() {
    use signal_hook::consts::SIGCHLD;
    static KEPT: Once = Once::new();
    KEPT.call_once(|| {
        if ignored_signals() & (1 << (SIGCHLD - 1)) != 0 {
            let _ = signal_hook::flag::register(SIGCHLD, Arc::default());
        }
    });
}

impl Drop for Group {
    /// Kills a group that was not reaped, so that no zombie is left.
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            let _ = self.reap();
        }
    }
}
