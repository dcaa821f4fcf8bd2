//! The server's output: messages to standard output, warnings to standard error.
//!
//! Only the thread that runs the program writes to the streams; the others send it
//! what to write, so a client that reads slowly slows the server down.

use cogtools_core::Diagnostic;
use cogtools_program::{EACH_FOR_MCP, Failure, Io};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// How many messages may wait to be written.
const MAX_QUEUED: usize = 64;

/// Something to write.
#[derive(Debug)]
pub(crate) enum Outgoing {
    /// A line for the client.
    Message(Vec<u8>),
    /// Problems that do not end the server.
    Warnings(Vec<Diagnostic>),
    /// A line of the log of requests.
    Log(String),
}

/// The two ends of the queue.
pub(crate) fn outgoing() -> (Sender<Outgoing>, Receiver<Outgoing>) {
    channel(MAX_QUEUED)
}

/// Writes until every sender is gone. After a failure it calls `on_failure` once and
/// drains the queue, so that no sender blocks.
pub(crate) fn write_loop(
    io: &mut Io<'_>,
    mut queue: Receiver<Outgoing>,
    on_failure: impl Fn(),
) -> Result<(), Failure> {
    let mut result = Ok(());
    while let Some(item) = queue.blocking_recv() {
        match item {
            Outgoing::Warnings(diagnostics) => io.warn(&diagnostics, &EACH_FOR_MCP),
            // As for warnings: if it cannot be written, calls go on.
            Outgoing::Log(line) => drop(io.stderr.write_all(line.as_bytes())),
            Outgoing::Message(line) if result.is_ok() => {
                result = io.print(&line);
                if result.is_err() {
                    on_failure();
                }
            }
            Outgoing::Message(_) => {}
        }
    }
    result
}
