//! Progress of calls, for clients that ask for it.

use cogtools_core::{Progress, ProgressUpdate};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;

/// How many updates may wait for the client; further ones are dropped.
const MAX_WAITING: usize = 64;

/// Sends the updates of one call to the client.
pub(crate) struct Forwarder(JoinHandle<()>);

/// Where a tool reports its progress, if the client has asked for it.
pub(crate) fn forwarder(request: &RequestContext<RoleServer>) -> Option<(Progress, Forwarder)> {
    let token = request.meta.get_progress_token()?;
    let (sender, updates) = channel(MAX_WAITING);
    let progress = Progress::new(move |update| drop(sender.try_send(update)));
    let task = tokio::spawn(forward(request.peer.clone(), token, updates));
    Some((progress, Forwarder(task)))
}

impl Forwarder {
    /// Waits until all updates are sent: none may follow the response. The tool no longer
    /// reports any, or no one waits for it.
    pub(crate) async fn finish(self) {
        let limit = std::time::Duration::from_millis(100);
        let abort = self.0.abort_handle();
        let _ = tokio::time::timeout(limit, self.0).await;
        abort.abort();
    }
}

async fn forward(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut updates: Receiver<ProgressUpdate>,
) {
    // Clients expect progress to grow.
    let mut last = f64::NEG_INFINITY;
    while let Some(update) = updates.recv().await {
        if update.progress <= last {
            continue;
        }
        last = update.progress;
        let mut params = ProgressNotificationParam::new(token.clone(), update.progress);
        params.total = update.total;
        params.message = update.message;
        let _ = peer.notify_progress(params).await;
    }
}
