//! The threads that read what the client of a session prints.

use std::io::Read as _;
use std::process::ChildStderr;
use std::thread::{self, JoinHandle};

/// How much of the beginning of standard error is read.
const MAX_STDERR_BYTES: u64 = 64 << 10;

/// Reads standard error to its end, and keeps its beginning.
pub(crate) fn read_errors(stderr: Option<ChildStderr>) -> std::io::Result<JoinHandle<Vec<u8>>> {
    spawn("session-stderr", move || {
        let mut text = Vec::new();
        if let Some(mut stderr) = stderr {
            let _ = (&mut stderr).take(MAX_STDERR_BYTES).read_to_end(&mut text);
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        }
        text
    })
}

/// Starts a thread.
pub(crate) fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<JoinHandle<T>> {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.stack_size(256 << 10).spawn(work)
}
