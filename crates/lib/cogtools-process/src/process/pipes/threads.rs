//! Pipes of a system that cannot wait for several at once: each has its own thread.

use std::io::{self, ErrorKind, Read, Write as _};
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::{CHUNK_BYTES, Event, Stream};
use crate::process::Group;

/// Interval of checks for the program's exit.
const EXIT_INTERVAL: Duration = Duration::from_millis(2);
/// Number of bytes that fit into any empty pipe, so that writing them does not block.
const MIN_PIPE_CAPACITY: usize = 4 << 10;

/// The pipes of a program.
pub(in crate::process) struct Pipes {
    events: Receiver<Event>,
    has_ended: bool,
}

impl Pipes {
    /// Takes the pipes of `group`. `input` is written to it.
    pub(in crate::process) fn new(group: &mut Group, input: Vec<u8>) -> io::Result<Self> {
        let (sender, events) = sync_channel(16);
        let child = group.child();
        if let Some(pipe) = child.stdout.take() {
            read(pipe, Stream::Out, sender.clone())?;
        }
        if let Some(pipe) = child.stderr.take() {
            read(pipe, Stream::Err, sender)?;
        }
        if let Some(pipe) = child.stdin.take() {
            write(pipe, input)?;
        }
        Ok(Self {
            events,
            has_ended: false,
        })
    }

    /// Returns the next event, if there is one within about `timeout`.
    pub(in crate::process) fn next(
        &mut self,
        group: &mut Group,
        timeout: Duration,
    ) -> io::Result<Option<Event>> {
        if !self.has_ended && group.has_ended() {
            self.has_ended = true;
            return Ok(Some(Event::Ended));
        }
        let timeout = timeout.min(EXIT_INTERVAL);
        match self.events.recv_timeout(timeout) {
            Ok(event) => return Ok(Some(event)),
            Err(RecvTimeoutError::Timeout) => {}
            // Every output is closed.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(timeout),
        }
        Ok(None)
    }
}

/// Starts a thread that need not be joined.
fn spawn_detached(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.stack_size(256 << 10).spawn(work).map(drop)
}

/// Reads `pipe` to its end, or until the receiver of `events` is dropped.
fn read(
    mut pipe: impl Read + Send + 'static,
    stream: Stream,
    events: SyncSender<Event>,
) -> io::Result<()> {
    spawn_detached("pipe", move || {
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            match pipe.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => {
                    let data = Event::Data(stream, chunk[..count].to_vec());
                    if events.send(data).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let _ = events.send(Event::Closed);
    })
}

/// Writes `input` and closes the pipe. A program need not read its input, so a pipe
/// closed at the other end is not an error.
fn write(mut pipe: ChildStdin, input: Vec<u8>) -> io::Result<()> {
    if input.len() <= MIN_PIPE_CAPACITY {
        let _ = pipe.write_all(&input);
        return Ok(());
    }
    spawn_detached("stdin", move || {
        let _ = pipe.write_all(&input);
    })
}
