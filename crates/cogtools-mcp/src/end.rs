//! What ends the server besides its client: a signal, or the end of the process
//! that started it, which may come without the end of any stream.

#[cfg(unix)]
use std::time::Duration;

/// How often the parent is looked for.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(500);

/// Waits for one of them, and gives the exit status that tells of it.
#[cfg(unix)]
pub(crate) async fn wait() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};

    let kinds = [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
    ];
    let [terminate, interrupt, hangup] = kinds.map(|kind| async move {
        if let Ok(mut signals) = signal(kind)
            && signals.recv().await.is_some()
        {
            return status(kind.as_raw_value());
        }
        std::future::pending().await
    });
    tokio::select! {
        status = terminate => status,
        status = interrupt => status,
        status = hangup => status,
        () = orphaned() => status(SignalKind::hangup().as_raw_value()),
    }
}

/// Waits for the user's wish to stop.
#[cfg(not(unix))]
pub(crate) async fn wait() -> u8 {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
    status(2)
}

/// The status of a program that a signal ended.
fn status(signal: i32) -> u8 {
    u8::try_from(signal).unwrap_or(0).saturating_add(128)
}

/// Waits for the end of the process that started this one.
#[cfg(unix)]
async fn orphaned() {
    let first = cogtools_program::parent();
    while cogtools_program::parent() == first {
        tokio::time::sleep(LOOK).await;
    }
}
