//! Supervises a running program: collects its output, and terminates it when it
//! exceeds a limit or is cancelled.

use std::io;
use std::time::{Duration, Instant};

use super::lines::Lines;
use super::pipes::{Event, Pipes, Stream};
use super::{Captured, Exit, Group, LineSink, Output, Process};
use crate::Cancel;

/// How long other processes may keep a pipe open after the program has exited.
const PIPE_GRACE: Duration = Duration::from_millis(500);
/// How long a group has to exit after it was asked to terminate.
const TERMINATION_GRACE: Duration = Duration::from_millis(500);
/// How often cancellation is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Longer than any run: for a timeout that overflows the clock.
const FOREVER: Duration = Duration::from_hours(24 * 365);

pub(super) struct Supervisor {
    group: Group,
    pipes: Pipes,
    stdout: Captured,
    stderr: Captured,
    stdout_limit: usize,
    /// Who reads standard error while the program runs.
    lines: Option<Lines>,
    /// How many of its outputs are still open.
    open: usize,
    ended: bool,
}

impl Supervisor {
    /// Serves the pipes of `group`, writes `input`, and captures up to `stdout_limit` bytes of
    /// its standard output.
    pub(super) fn start(
        mut group: Group,
        input: Vec<u8>,
        stdout_limit: usize,
        lines: Option<LineSink>,
    ) -> io::Result<Self> {
        let child = group.child();
        let open = usize::from(child.stdout.is_some()) + usize::from(child.stderr.is_some());
        let pipes = Pipes::new(&mut group, input)?;
        Ok(Self {
            group,
            pipes,
            stdout: Captured::default(),
            stderr: Captured::default(),
            stdout_limit,
            lines: lines.map(Lines::new),
            open,
            ended: false,
        })
    }

    /// Supervises the program until it exits.
    pub(super) fn run(mut self, timeout: Duration, cancel: &Cancel) -> io::Result<Output> {
        let now = Instant::now();
        let deadline = now.checked_add(timeout).unwrap_or(now + FOREVER);
        let mut stopped = self.pump_until(deadline, Some(cancel), |supervisor| supervisor.ended)?;
        let mut lingering = false;
        if stopped.is_none() {
            let deadline = Instant::now() + PIPE_GRACE;
            stopped = self.pump_until(deadline, Some(cancel), Self::is_over)?;
            // It has exited in time; a process that keeps its pipes open has not.
            lingering = stopped == Some(Exit::TimedOut);
            if lingering {
                stopped = None;
            }
        }
        if !self.is_over() {
            self.stop()?;
        }
        let status = self.group.reap()?;
        self.stderr.truncate_head(Process::STDERR_LIMIT);
        Ok(Output {
            exit: stopped.unwrap_or(Exit::Status(status)),
            stdout: self.stdout,
            stderr: self.stderr,
            left_children: lingering,
        })
    }

    /// Terminates the group, and kills it if that does not suffice.
    fn stop(&mut self) -> io::Result<()> {
        self.group.terminate();
        self.pump_until(Instant::now() + TERMINATION_GRACE, None, Self::is_over)?;
        self.group.kill();
        self.pump_until(Instant::now() + TERMINATION_GRACE, None, Self::is_over)?;
        Ok(())
    }

    /// Handles events until `is_done`. Limits are checked only when there is a `cancel`.
    fn pump_until(
        &mut self,
        deadline: Instant,
        cancel: Option<&Cancel>,
        is_done: impl Fn(&Self) -> bool,
    ) -> io::Result<Option<Exit>> {
        loop {
            if is_done(self) {
                return Ok(None);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Some(Exit::TimedOut));
            }
            if let Some(cancel) = cancel {
                if cancel.is_cancelled() {
                    return Ok(Some(Exit::Cancelled));
                }
                if self.stdout.total() + self.stderr.total() > Process::KILL_LIMIT {
                    return Ok(Some(Exit::OutputLimit));
                }
            }
            let timeout = left.min(POLL_INTERVAL);
            if let Some(event) = self.pipes.next(&mut self.group, timeout)? {
                self.handle(event);
            }
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Data(Stream::Out, bytes) => self.stdout.keep_head(&bytes, self.stdout_limit),
            Event::Data(Stream::Err, bytes) => {
                if let Some(lines) = &mut self.lines {
                    lines.push(&bytes);
                }
                self.stderr.keep_tail(&bytes, Process::STDERR_LIMIT);
            }
            Event::Closed => {
                self.open -= 1;
                if self.open == 0 && !self.ended {
                    self.group.outputs_closed();
                }
            }
            Event::Ended => self.ended = true,
        }
    }

    /// Whether no further event can come.
    const fn is_over(&self) -> bool {
        self.ended && self.open == 0
    }
}
