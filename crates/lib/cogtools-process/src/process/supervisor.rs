//! Supervises a running program: collects its output, and terminates it when it
//! exceeds a limit or is cancelled.

use std::fmt::{self, Debug, Formatter};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pipes::{Event, Pipes, Stream};
use super::{Exit, Group, Output, Process};
use crate::Cancel;

/// Time for which other processes may keep a pipe open after the program has exited.
const PIPE_GRACE: Duration = Duration::from_millis(500);
/// Time that a group has to exit after it was asked to terminate.
const TERMINATION_GRACE: Duration = Duration::from_millis(500);
/// Interval at which cancellation is polled.
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
    /// Number of its outputs that are still open.
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

    /// Returns true if no further event can come.
    const fn is_over(&self) -> bool {
        self.ended && self.open == 0
    }
}

/// The captured part of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes that were captured.
    pub bytes: Vec<u8>,
    /// Number of bytes that were left out.
    pub left_out: u64,
}

impl Captured {
    /// The length of the whole output, in bytes.
    pub const fn total(&self) -> u64 {
        self.bytes.len() as u64 + self.left_out
    }

    /// Appends `next` while there is room, so that the beginning is captured.
    pub(super) fn keep_head(&mut self, next: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len()).min(next.len());
        self.bytes.extend_from_slice(&next[..room]);
        self.left_out += (next.len() - room) as u64;
    }

    /// Appends `next` and drops earlier bytes, so that the end is captured. It may be
    /// twice as long as `limit` until [`Self::truncate_head`].
    pub(super) fn keep_tail(&mut self, next: &[u8], limit: usize) {
        self.bytes.extend_from_slice(next);
        if self.bytes.len() > 2 * limit {
            self.truncate_head(limit);
        }
    }

    /// Drops all but the last `limit` bytes.
    pub(super) fn truncate_head(&mut self, limit: usize) {
        let over = self.bytes.len().saturating_sub(limit);
        self.bytes.drain(..over);
        self.left_out += over as u64;
    }

    /// Leaves out the beginning of one of `secrets` at the end, where the rest was cut off: masking
    /// finds whole secrets.
    pub fn drop_begun(&mut self, secrets: &[String]) {
        let part = |secret: &[u8], length: usize| self.bytes.ends_with(&secret[..length]);
        let over = self.cut_part(secrets, part);
        self.bytes.truncate(self.bytes.len() - over);
        self.left_out += over as u64;
    }

    /// Leaves out the end of one of `secrets` at the beginning, as [`Self::drop_begun`].
    pub fn drop_ended(&mut self, secrets: &[String]) {
        let part =
            |secret: &[u8], length: usize| self.bytes.starts_with(&secret[secret.len() - length..]);
        let over = self.cut_part(secrets, part);
        self.truncate_head(self.bytes.len() - over);
    }

    /// The length of the longest part of a secret that `is_there`, if something was cut off.
    fn cut_part(&self, secrets: &[String], is_there: impl Fn(&[u8], usize) -> bool) -> usize {
        let secrets = secrets.iter().filter(|_| self.left_out > 0);
        let part = |it: &String| {
            (1..it.len())
                .rev()
                .find(|length| is_there(it.as_bytes(), *length))
        };
        secrets.filter_map(part).max().unwrap_or(0)
    }
}

/// The longest line, in bytes; the rest of a longer one is dropped.
const MAX_LINE: usize = 16 << 10;

/// Receives lines.
#[derive(Clone)]
pub struct LineSink(Arc<dyn Fn(&str) + Send + Sync>);

/// The line that a program is printing.
#[derive(Debug)]
pub(super) struct Lines {
    sink: LineSink,
    line: Vec<u8>,
}

impl LineSink {
    /// Passes each line that has ended to `receive`, without its end.
    pub fn new(receive: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(receive))
    }

    /// Passes a line on.
    pub fn pass(&self, line: &str) {
        (self.0)(line);
    }
}

impl Debug for LineSink {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineSink").finish_non_exhaustive()
    }
}

impl Lines {
    pub(super) const fn new(sink: LineSink) -> Self {
        Self {
            sink,
            line: Vec::new(),
        }
    }

    /// Adds what was printed.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        // A sequence for a terminal ends with BEL, and needs no line.
        for part in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\x07')) {
            let (text, has_ended) = match part.split_last() {
                Some((b'\n' | b'\x07', text)) => (text, true),
                _ => (part, false),
            };
            let room = MAX_LINE.saturating_sub(self.line.len());
            self.line.extend(&text[..text.len().min(room)]);
            if has_ended {
                (self.sink.0)(String::from_utf8_lossy(&self.line).trim_end_matches('\r'));
                self.line.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn the_beginning_is_captured() {
        let mut captured = Captured::default();
        for next in ["abc", "def", "ghi"] {
            captured.keep_head(next.as_bytes(), 5);
        }
        assert_eq!(
            (captured.bytes.as_slice(), captured.left_out),
            (&b"abcde"[..], 4)
        );
        assert_eq!(captured.total(), 9);
    }

    #[test]
    fn the_end_is_captured() {
        let mut captured = Captured::default();
        for next in ["abc", "def", "ghijkl", "mn"] {
            captured.keep_tail(next.as_bytes(), 5);
        }
        captured.truncate_head(5);
        assert_eq!(
            (captured.bytes.as_slice(), captured.left_out),
            (&b"jklmn"[..], 9)
        );
        assert_eq!(captured.total(), 14);
    }

    #[test]
    fn a_part_of_a_secret_is_left_out() {
        let secrets = ["secret".to_owned(), "set".to_owned()];
        for (bytes, left_out, begun, ended) in [
            ("a secre", 1, "a ", "a secre"),
            ("a se", 1, "a ", "a se"),
            ("cret b", 1, "cret b", " b"),
            ("t b", 1, "t b", " b"),
            ("a secret", 1, "a secret", "a secret"),
            ("s", 0, "s", "s"),
        ] {
            let captured = || Captured {
                bytes: bytes.into(),
                left_out,
            };
            let (mut head, mut tail) = (captured(), captured());
            head.drop_begun(&secrets);
            tail.drop_ended(&secrets);
            assert_eq!(head.bytes, begun.as_bytes());
            assert_eq!(tail.bytes, ended.as_bytes());
            assert_eq!([head.total(), tail.total()], [captured().total(); 2]);
        }
    }

    #[test]
    fn lines_are_complete_and_bounded() {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&seen);
        let sink = LineSink::new(move |line| sink.lock().expect("a lock").push(line.to_owned()));
        let mut lines = Lines::new(sink);
        for part in ["a", "b\r\n", "\nc\nrest", &"x".repeat(MAX_LINE), "\nd"] {
            lines.push(part.as_bytes());
        }
        let long = format!("rest{}", "x".repeat(MAX_LINE - 4));
        assert_eq!(
            *seen.lock().expect("a lock"),
            ["ab", "", "c", long.as_str()]
        );
    }
}
