//! The event that the list of tools has changed, for every connection.

use tokio::sync::watch;

/// The sender of the event.
#[derive(Debug)]
pub(crate) struct ListChanged(watch::Sender<()>);

/// Receives the events that follow its creation.
#[derive(Debug)]
pub(crate) struct Subscription(watch::Receiver<()>);

impl ListChanged {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    pub(crate) fn notify(&self) {
        self.0.send_replace(());
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        Subscription(self.0.subscribe())
    }
}

impl Subscription {
    /// Waits for the next change; changes that were missed count as one.
    pub(crate) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
