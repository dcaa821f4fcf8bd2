//! The news that the list has changed, for everybody who wants to hear it.

use tokio::sync::watch;

/// The place where changes are announced.
#[derive(Debug)]
pub(crate) struct Changes(watch::Sender<()>);

/// Hears of changes from the time it was made on.
#[derive(Debug)]
pub(crate) struct Listener(watch::Receiver<()>);

impl Changes {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    pub(crate) fn announce(&self) {
        self.0.send_replace(());
    }

    pub(crate) fn listen(&self) -> Listener {
        Listener(self.0.subscribe())
    }
}

impl Listener {
    /// Waits for the next change; several at once are one.
    pub(crate) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
