//! What the server says: messages on standard output, words on standard error.
//!
//! Both streams belong to the thread that runs the program, which writes what
//! the others hand it; so a client that reads slowly slows the server down.

use cogtools_core::Diagnostic;
use cogtools_program::{Failure, Io, Severity};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// How many messages may wait to be written.
const WAITING: usize = 64;

/// One thing to say.
#[derive(Debug)]
pub(crate) enum Speech {
    /// A line for the client.
    Message(Vec<u8>),
    /// Words on something that went wrong, and from which the server goes on.
    Warning(Box<Diagnostic>),
}

/// The two ends of what is said.
pub(crate) fn speech() -> (Sender<Speech>, Receiver<Speech>) {
    channel(WAITING)
}

/// Says all of it, until nobody has anything to say any more. After a failure it
/// goes on listening, so that nobody waits for it in vain.
pub(crate) fn speak(
    io: &mut Io<'_>,
    mut speeches: Receiver<Speech>,
    gone: impl Fn(),
) -> Result<(), Failure> {
    let mut result = Ok(());
    while let Some(speech) = speeches.blocking_recv() {
        match speech {
            Speech::Warning(diagnostic) => io.report(Severity::Warning, &diagnostic),
            Speech::Message(line) if result.is_ok() => {
                result = io.print(&line);
                if result.is_err() {
                    gone();
                }
            }
            Speech::Message(_) => {}
        }
    }
    result
}
