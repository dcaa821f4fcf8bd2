//! What ends the server other than its client: a signal, or the exit of the parent
//! process, after which the streams may stay open.

#[cfg(unix)]
use std::time::Duration;

/// How often the parent is checked.
#[cfg(unix)]
const PARENT_POLL: Duration = Duration::from_millis(500);

/// Waits for one of them, and returns the exit status for it.
///
/// A `service` that was started to live on, as by nohup(1), outlives its parent and the terminal.
#[cfg(unix)]
pub(crate) async fn signal(service: bool) -> u8 {
    use tokio::signal::unix::{self, SignalKind};

    let kinds = [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
    ];
    let [terminate, interrupt, hangup] = kinds.map(|kind| async move {
        if let Ok(mut signals) = unix::signal(kind)
            && signals.recv().await.is_some()
        {
            return status(kind.as_raw_value());
        }
        std::future::pending().await
    });
    if service && ignores_hangup() {
        return tokio::select! {
            status = terminate => status,
            status = interrupt => status,
        };
    }
    tokio::select! {
        status = terminate => status,
        status = interrupt => status,
        status = hangup => status,
        () = parent_exited() => status(SignalKind::hangup().as_raw_value()),
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn signal(_: bool) -> u8 {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
    status(2)
}

/// The status of a program that a signal terminated.
fn status(signal: i32) -> u8 {
    u8::try_from(signal).unwrap_or(0).saturating_add(128)
}

/// Whether the server was started so that it ignores the end of the terminal. Only Linux says
/// so: `SigIgn` in `proc_pid_status(5)`.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 != 0)
}

/// Waits for the exit of the parent process.
#[cfg(unix)]
async fn parent_exited() {
    let first = cogtools_program::parent();
    while cogtools_program::parent() == first {
        tokio::time::sleep(PARENT_POLL).await;
    }
}
