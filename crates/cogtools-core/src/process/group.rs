//! A program that leads a process group of its own.
//!
//! What it starts is in the group too, so that all of it can be ended at once.
//! The leader is not reaped before that is done: as long as it is there, even as
//! a zombie, its number cannot come to mean other processes.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// A program and what it started. Where there are no process groups it is the
/// program alone.
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

    /// The leader, for its pipes.
    pub const fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Asks all of the group to end (SIGTERM). Nothing elsewhere.
    pub fn terminate(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
    }

    /// Ends all of the group.
    pub fn kill(&mut self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
        #[cfg(not(unix))]
        let _ = self.child.kill();
    }

    /// Waits for the leader and takes its status. From then on the group is no
    /// longer ours to signal.
    pub fn reap(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        self.reaped = true;
        Ok(status)
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        if !self.reaped {
            // A group that is gone already needs no signal.
            let _ = rustix::process::kill_process_group(self.id(), signal);
        }
    }

    #[cfg(unix)]
    fn id(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Sends an event when the leader has ended, which is not reaped by that.
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

    /// Whether the leader is known to have ended, where no event says so.
    #[cfg(not(unix))]
    pub(super) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }
}

impl Drop for Group {
    /// Whoever loses a group ends it, and leaves no zombie.
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            let _ = self.child.wait();
        }
    }
}
