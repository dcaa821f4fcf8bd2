//! Pipes of a Unix system: one thread waits for all of them, and for the end of the program.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::ChildStdin;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use super::{CHUNK_BYTES, Event, Stream};
use crate::process::Group;

/// Interval of checks for the program's exit where that is not an event: while it has
/// outputs, whose end shows it in most cases, and when it has none.
const EXIT_INTERVAL: Duration = Duration::from_millis(20);
const EXIT_INTERVAL_WITHOUT_OUTPUTS: Duration = Duration::from_millis(1);

/// The pipes of a program.
pub(in crate::process) struct Pipes {
    stdin: Option<Input>,
    /// The outputs that are open. The one that was read last is the last one, so that none has
    /// to wait for another one that is always full.
    outputs: Vec<(Stream, File)>,
    exit: Exit,
    chunk: Vec<u8>,
}

/// The input of a program, and how much of it has been written.
struct Input {
    pipe: ChildStdin,
    bytes: Vec<u8>,
    written: usize,
}

/// Ways to notice the end of the program.
enum Exit {
    /// This descriptor can be read then.
    Descriptor(OwnedFd),
    /// The system is asked again and again.
    Asked,
    /// It has been noticed.
    Reported,
}

impl Pipes {
    /// Takes the pipes of `group`. `input` is written to it.
    pub(in crate::process) fn new(group: &mut Group, input: Vec<u8>) -> io::Result<Self> {
        let exit = group
            .exit_descriptor()
            .map_or(Exit::Asked, Exit::Descriptor);
        let child = group.child();
        let stdout = child.stdout.take().map(OwnedFd::from);
        let stderr = child.stderr.take().map(OwnedFd::from);
        let outputs = [(Stream::Out, stdout), (Stream::Err, stderr)];
        let outputs = outputs.into_iter();
        let outputs = outputs.filter_map(|(stream, pipe)| Some((stream, File::from(pipe?))));
        let stdin = child.stdin.take().map(|pipe| Input::new(pipe, input));
        let mut pipes = Self {
            stdin: stdin.transpose()?,
            outputs: outputs.collect(),
            exit,
            chunk: vec![0; CHUNK_BYTES],
        };
        // Most inputs fit into the empty pipe.
        pipes.write();
        Ok(pipes)
    }

    /// Returns the next event, if there is one within about `timeout`.
    pub(in crate::process) fn next(
        &mut self,
        group: &mut Group,
        timeout: Duration,
    ) -> io::Result<Option<Event>> {
        if matches!(self.exit, Exit::Asked) && group.has_ended() {
            self.exit = Exit::Reported;
            return Ok(Some(Event::Ended));
        }
        let ready = self.wait(timeout)?;
        if ready.exit {
            self.exit = Exit::Reported;
            return Ok(Some(Event::Ended));
        }
        if ready.stdin {
            self.write();
        }
        ready.output.map(|index| self.read(index)).transpose()
    }

    /// Waits until something can be done, for about `timeout` at most.
    fn wait(&self, timeout: Duration) -> io::Result<Ready> {
        let exit = match &self.exit {
            Exit::Descriptor(exit) => Some(exit),
            Exit::Asked | Exit::Reported => None,
        };
        let timeout = match self.exit {
            Exit::Asked if self.outputs.is_empty() => timeout.min(EXIT_INTERVAL_WITHOUT_OUTPUTS),
            Exit::Asked => timeout.min(EXIT_INTERVAL),
            Exit::Descriptor(_) | Exit::Reported => timeout,
        };
        let outputs = self.outputs.iter();
        let outputs = outputs.map(|(_, pipe)| PollFd::new(pipe, PollFlags::IN));
        let stdin = self.stdin.as_ref();
        let stdin = stdin.map(|input| PollFd::new(&input.pipe, PollFlags::OUT));
        let exit = exit.map(|exit| PollFd::new(exit, PollFlags::IN));
        let (has_stdin, has_exit) = (stdin.is_some(), exit.is_some());
        let mut polled: Vec<PollFd<'_>> = outputs.chain(stdin).chain(exit).collect();
        let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
        match poll(&mut polled, Some(&timeout)) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error.into()),
        }
        let mut ready = polled.iter().map(|polled| !polled.revents().is_empty());
        let outputs: Vec<bool> = ready.by_ref().take(self.outputs.len()).collect();
        Ok(Ready {
            output: outputs.iter().position(|is_ready| *is_ready),
            stdin: has_stdin && ready.next() == Some(true),
            exit: has_exit && ready.next() == Some(true),
        })
    }

    /// Reads from the output at `index`, which does not block.
    fn read(&mut self, index: usize) -> io::Result<Event> {
        let (stream, mut pipe) = self.outputs.remove(index);
        loop {
            return match pipe.read(&mut self.chunk) {
                Ok(count) if count > 0 => {
                    self.outputs.push((stream, pipe));
                    Ok(Event::Data(stream, self.chunk[..count].to_vec()))
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(_) | Err(_) => Ok(Event::Closed),
            };
        }
    }

    /// Writes as much of the input as fits, and closes the pipe after the last of it. A program
    /// need not read its input, so a pipe closed at the other end is not an error.
    fn write(&mut self) {
        let Some(input) = &mut self.stdin else {
            return;
        };
        while let Some(rest @ [_, ..]) = input.bytes.get(input.written..) {
            match input.pipe.write(rest) {
                Ok(count) => input.written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => break,
            }
        }
        self.stdin = None;
    }
}

/// Pipes that can be served without waiting.
#[derive(Default)]
struct Ready {
    output: Option<usize>,
    stdin: bool,
    exit: bool,
}

impl Input {
    fn new(pipe: ChildStdin, bytes: Vec<u8>) -> io::Result<Self> {
        // Only this end: the program's own blocks.
        fcntl_setfl(&pipe, fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
        Ok(Self {
            pipe,
            bytes,
            written: 0,
        })
    }
}
