//! Waiting for a process and its pipes, up to a deadline.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

/// Reads a pipe to its end.
pub(crate) fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    later(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Runs `work` in a separate thread, which sends the result to the receiver.
pub(crate) fn later<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver
}

/// The result of `work`, if it arrives before `end`.
pub(crate) fn until<T>(end: Instant, work: &Receiver<T>) -> Option<T> {
    let left = end.saturating_duration_since(Instant::now());
    work.recv_timeout(left).ok()
}

/// Kills the process group that `pid` leads; without unsafe code, only a shell can
/// send signals.
pub(crate) fn end_group(pid: u32) {
    let script = format!("kill -s KILL -- -{pid}");
    let _ = Command::new("/bin/sh")
        .args(["-c", &script])
        .stderr(Stdio::null())
        .status();
}
