//! The pipes of a program, each served by its own thread, so that none blocks because
//! another one is full.

use std::io::{self, ErrorKind, Read, Write as _};
use std::process::ChildStdin;
use std::sync::mpsc::SyncSender;

/// What happens to a program while it runs.
#[derive(Debug)]
pub(super) enum Event {
    /// It printed something.
    Data(Stream, Vec<u8>),
    /// It and everything that it started closed one of its outputs.
    Closed,
    /// It exited. Other systems poll for that.
    #[cfg(unix)]
    Ended,
}

/// One of its outputs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    Out,
    Err,
}

/// How many bytes are read at a time.
const CHUNK_BYTES: usize = 64 << 10;
/// How many bytes fit into any empty pipe, so that writing them does not block.
const MIN_PIPE_CAPACITY: usize = 4 << 10;

/// Starts a thread that need not be joined.
pub(super) fn spawn_detached(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new().name(name.to_owned());
    builder.stack_size(256 << 10).spawn(work).map(drop)
}

/// Reads `pipe` to its end, or until the receiver of `events` is dropped.
pub(super) fn read(
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
pub(super) fn write_input(mut pipe: ChildStdin, input: Vec<u8>) -> io::Result<()> {
    if input.len() <= MIN_PIPE_CAPACITY {
        let _ = pipe.write_all(&input);
        return Ok(());
    }
    spawn_detached("stdin", move || {
        let _ = pipe.write_all(&input);
    })
}
