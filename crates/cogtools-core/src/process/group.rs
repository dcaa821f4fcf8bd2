//! A program that leads its own process group.
//!
//! Processes that it starts are in the group too, so that they can all be signalled
//! together. The leader is not reaped before that: as long as it exists, even as a
//! zombie, its process ID cannot be reused.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// A program and the processes that it started. On systems without process groups, only
/// the program.
#[derive(Debug)]
pub struct Group {
    child: Child,
    reaped: bool,
}

impl Group {
    /// Starts `command` as the leader of a group.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = command.spawn()?;
        Ok(Self {
            child,
            reaped: false,
        })
    }

    /// The leader, for access to its pipes.
    pub const fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Asks the whole group to terminate (SIGTERM). Does nothing on other systems.
    pub fn terminate(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
    }

    /// Kills the whole group.
    pub fn kill(&mut self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
        #[cfg(not(unix))]
        let _ = self.child.kill();
    }

    /// Waits for the leader and returns its status. After that the group must not be
    /// signalled.
    pub fn reap(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        self.reaped = true;
        Ok(status)
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        if !self.reaped {
            // A group that has exited needs no signal.
            let _ = rustix::process::kill_process_group(self.id(), signal);
        }
    }

    #[cfg(unix)]
    fn id(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Sends an event when the leader has exited, without reaping it.
    #[cfg(unix)]
    pub(super) fn notify_exit(
        &self,
        events: std::sync::mpsc::SyncSender<super::pipe::Event>,
    ) -> io::Result<()> {
        use rustix::io::Errno;
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let id = self.id();
        super::pipe::spawn_detached("wait", move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while waitid(WaitId::Pid(id), options).is_err_and(|error| error == Errno::INTR) {}
            let _ = events.send(super::pipe::Event::Ended);
        })
    }

    /// Whether the leader has exited, for systems without that event.
    #[cfg(not(unix))]
    pub(super) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }
}

impl Drop for Group {
    /// Kills a group that was not reaped, so that no zombie is left.
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            let _ = self.child.wait();
        }
    }
}
