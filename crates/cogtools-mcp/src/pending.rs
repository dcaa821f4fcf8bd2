//! Requests that have no answer yet: what the end of the input waits for.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::RequestId;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The requests in flight.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    requests: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Pending {
    /// How many requests may be in flight; further ones wait in the pipe.
    const MOST: usize = 1_000;

    /// A request has come.
    pub(crate) fn begin(&self, id: RequestId) {
        self.requests().insert(id);
    }

    /// It is answered, or nobody wants the answer any more.
    pub(crate) fn end(&self, id: &RequestId) {
        if self.requests().remove(id) {
            self.fewer.notify_waiters();
        }
    }

    /// Waits until there is room for one more.
    pub(crate) async fn room(&self) {
        self.at_most(Self::MOST - 1).await;
    }

    /// Waits until none is left, no longer than `patience`; says whether none is.
    pub(crate) async fn none(&self, patience: Duration) -> bool {
        timeout(patience, self.at_most(0)).await.is_ok()
    }

    async fn at_most(&self, count: usize) {
        loop {
            // Listening begins before the look, so that nothing is missed between.
            let fewer = self.fewer.notified();
            if self.requests().len() <= count {
                return;
            }
            fewer.await;
        }
    }

    fn requests(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
