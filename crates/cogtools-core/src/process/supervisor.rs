//! Looks after a running program: collects what it says, and ends it when it has
//! to be ended.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::pipe::{self, Event, Stream};
use super::{Captured, Exit, Group, Output, Process};
use crate::Cancel;

/// How long what holds a pipe may live on after the program itself.
const LINGER: Duration = Duration::from_millis(500);
/// How long a group has to end by itself once it is asked to.
const GRACE: Duration = Duration::from_millis(500);
/// How often somebody's wish to stop is looked for. Where no event tells that the
/// program has ended, this is also how often that is asked.
const TICK: Duration = Duration::from_millis(if cfg!(unix) { 20 } else { 2 });
/// Longer than any run: for a time limit that no clock can hold.
const FOREVER: Duration = Duration::from_hours(24 * 365);

pub(super) struct Supervisor {
    group: Group,
    events: Receiver<Event>,
    stdout: Captured,
    stderr: Captured,
    most: usize,
    /// How many of its outputs are not closed.
    open: usize,
    ended: bool,
}

impl Supervisor {
    /// Serves the pipes of `group`, gives it `input`, and keeps `most` bytes of its
    /// standard output.
    pub(super) fn start(mut group: Group, input: Vec<u8>, most: usize) -> io::Result<Self> {
        let (sender, events) = sync_channel(16);
        #[cfg(unix)]
        group.notify_exit(sender.clone())?;
        let leader = group.child();
        let (stdin, stdout, stderr) = (
            leader.stdin.take(),
            leader.stdout.take(),
            leader.stderr.take(),
        );
        let mut open = 0;
        if let Some(pipe) = stdout {
            pipe::read(pipe, Stream::Out, sender.clone())?;
            open += 1;
        }
        if let Some(pipe) = stderr {
            pipe::read(pipe, Stream::Err, sender)?;
            open += 1;
        }
        if let Some(pipe) = stdin {
            pipe::write_input(pipe, input)?;
        }
        Ok(Self {
            group,
            events,
            stdout: Captured::default(),
            stderr: Captured::default(),
            most,
            open,
            ended: false,
        })
    }

    /// Stays with the program to its end.
    pub(super) fn run(mut self, timeout: Duration, cancel: &Cancel) -> io::Result<Output> {
        let now = Instant::now();
        let deadline = now.checked_add(timeout).unwrap_or(now + FOREVER);
        let mut early = self.pump_until(deadline, Some(cancel), |watch| watch.ended);
        let mut held = false;
        if early.is_none() {
            let linger = Instant::now() + LINGER;
            early = self.pump_until(linger, Some(cancel), Self::is_over);
            // It has ended in time; what hangs on to its pipes has not.
            held = early == Some(Exit::TimedOut);
            if held {
                early = None;
            }
        }
        if !self.is_over() {
            self.stop();
        }
        let status = self.group.reap()?;
        self.stderr.truncate_head(Process::STDERR_LIMIT);
        Ok(Output {
            exit: early.unwrap_or(Exit::Status(status)),
            stdout: self.stdout,
            stderr: self.stderr,
            left_children: held,
        })
    }

    /// Ends the group: asks first, and then does not ask.
    fn stop(&mut self) {
        self.group.terminate();
        self.pump_until(Instant::now() + GRACE, None, Self::is_over);
        self.group.kill();
        self.pump_until(Instant::now() + GRACE, None, Self::is_over);
    }

    /// Takes what comes until it is `enough`. Bounds are looked at as long as there
    /// is somebody who may `cancel`.
    fn pump_until(
        &mut self,
        deadline: Instant,
        cancel: Option<&Cancel>,
        enough: impl Fn(&Self) -> bool,
    ) -> Option<Exit> {
        loop {
            #[cfg(not(unix))]
            (self.ended |= self.group.has_ended());
            if enough(self) {
                return None;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(Exit::TimedOut);
            }
            if let Some(cancel) = cancel {
                if cancel.is_cancelled() {
                    return Some(Exit::Cancelled);
                }
                if self.stdout.total() + self.stderr.total() > Process::KILL_LIMIT {
                    return Some(Exit::OutputLimit);
                }
            }
            match self.events.recv_timeout(left.min(TICK)) {
                Ok(event) => self.handle(event),
                Err(RecvTimeoutError::Timeout) => {}
                // All threads have said what they had to say; the clock goes on.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(left.min(TICK)),
            }
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Data(Stream::Out, bytes) => self.stdout.keep_head(&bytes, self.most),
            Event::Data(Stream::Err, bytes) => self.stderr.keep_tail(&bytes, Process::STDERR_LIMIT),
            Event::Closed => self.open -= 1,
            #[cfg(unix)]
            Event::Ended => self.ended = true,
        }
    }

    /// Whether nothing can come any more.
    const fn is_over(&self) -> bool {
        self.ended && self.open == 0
    }
}
