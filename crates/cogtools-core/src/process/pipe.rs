//! The pipes of a program, each served by a thread of its own, so that none of
//! them can stand still because another one is full.

use std::io::{self, ErrorKind, Read, Write as _};
use std::process::ChildStdin;
use std::sync::mpsc::SyncSender;

/// What happens to a program while it runs.
#[derive(Debug)]
pub(super) enum Event {
    /// It printed something.
    Data(Stream, Vec<u8>),
    /// It, and all that it started, closed one of its outputs.
    Closed,
    /// It ended. Elsewhere that is asked and not told.
    #[cfg(unix)]
    Ended,
}

/// One of its outputs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    Out,
    Err,
}

/// How much is read at once.
const CHUNK: usize = 64 << 10;
/// So much fits into every empty pipe: writing it waits for nobody.
const PIPE_ROOM: usize = 4 << 10;

/// Starts a thread that nobody has to wait for.
pub(super) fn spawn_detached(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new().name(name.to_owned());
    builder.stack_size(256 << 10).spawn(work).map(drop)
}

/// Reads `pipe` to its end, or until nobody listens.
pub(super) fn read(
    mut pipe: impl Read + Send + 'static,
    stream: Stream,
    events: SyncSender<Event>,
) -> io::Result<()> {
    spawn_detached("pipe", move || {
        let mut chunk = vec![0; CHUNK];
        loop {
            match pipe.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => {
                    let said = Event::Data(stream, chunk[..count].to_vec());
                    if events.send(said).is_err() {
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

/// Writes `input` and closes the pipe. A program need not read what it is given,
/// so that a pipe closed at the other end is no failure.
pub(super) fn write_input(mut pipe: ChildStdin, input: Vec<u8>) -> io::Result<()> {
    if input.len() <= PIPE_ROOM {
        let _ = pipe.write_all(&input);
        return Ok(());
    }
    spawn_detached("feed", move || {
        let _ = pipe.write_all(&input);
    })
}
