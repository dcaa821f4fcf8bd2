//! Looks after a running program: collects what it says, and ends it when it has
//! to be ended.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::pipe::{self, Event, Stream};
use super::{End, Group, Kept, Output, Process};
use crate::Cancel;

/// How long what holds a pipe may live on after the program itself.
const LINGER: Duration = Duration::from_millis(500);
/// How long a group has to end by itself once it is asked to.
const GRACE: Duration = Duration::from_millis(500);
/// How often somebody's wish to stop is looked for. Where no event tells that the
/// program has ended, this is also how often that is asked.
const TICK: Duration = Duration::from_millis(if cfg!(unix) { 20 } else { 2 });
/// Longer than any run: for a time limit that no clock can hold.
const AGES: Duration = Duration::from_hours(24 * 365);

pub(super) struct Watch {
    group: Group,
    events: Receiver<Event>,
    stdout: Kept,
    stderr: Kept,
    most: usize,
    /// How many of its outputs are not closed.
    open: usize,
    ended: bool,
}

impl Watch {
    /// Serves the pipes of `group`, gives it `input`, and keeps `most` bytes of its
    /// standard output.
    pub(super) fn begin(mut group: Group, input: Vec<u8>, most: usize) -> io::Result<Self> {
        let (sender, events) = sync_channel(16);
        #[cfg(unix)]
        group.announce(sender.clone())?;
        let leader = group.leader();
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
            pipe::feed(pipe, input)?;
        }
        Ok(Self {
            group,
            events,
            stdout: Kept::default(),
            stderr: Kept::default(),
            most,
            open,
            ended: false,
        })
    }

    /// Stays with the program to its end.
    pub(super) fn run(mut self, timeout: Duration, cancel: &Cancel) -> io::Result<Output> {
        let now = Instant::now();
        let deadline = now.checked_add(timeout).unwrap_or(now + AGES);
        let mut early = self.go(deadline, Some(cancel), |watch| watch.ended);
        let mut held = false;
        if early.is_none() {
            let linger = Instant::now() + LINGER;
            early = self.go(linger, Some(cancel), Self::is_over);
            // It has ended in time; what hangs on to its pipes has not.
            held = early == Some(End::Late);
            if held {
                early = None;
            }
        }
        if !self.is_over() {
            self.stop();
        }
        let status = self.group.reap()?;
        self.stderr.cut(Process::SAID);
        Ok(Output {
            end: early.unwrap_or(End::Exit(status)),
            stdout: self.stdout,
            stderr: self.stderr,
            held,
        })
    }

    /// Ends the group: asks first, and then does not ask.
    fn stop(&mut self) {
        self.group.ask();
        self.go(Instant::now() + GRACE, None, Self::is_over);
        self.group.kill();
        self.go(Instant::now() + GRACE, None, Self::is_over);
    }

    /// Takes what comes until it is `enough`. Bounds are looked at as long as there
    /// is somebody who may `cancel`.
    fn go(
        &mut self,
        deadline: Instant,
        cancel: Option<&Cancel>,
        enough: impl Fn(&Self) -> bool,
    ) -> Option<End> {
        loop {
            #[cfg(not(unix))]
            (self.ended |= self.group.has_ended());
            if enough(self) {
                return None;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(End::Late);
            }
            if let Some(cancel) = cancel {
                if cancel.is_asked() {
                    return Some(End::Cancelled);
                }
                if self.stdout.total() + self.stderr.total() > Process::FLOOD {
                    return Some(End::Flooded);
                }
            }
            match self.events.recv_timeout(left.min(TICK)) {
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {}
                // All threads have said what they had to say; the clock goes on.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(left.min(TICK)),
            }
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Said(Stream::Out, bytes) => self.stdout.begin(&bytes, self.most),
            Event::Said(Stream::Err, bytes) => self.stderr.end(&bytes, Process::SAID),
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
