//! Requests without a response yet: the server completes them before it exits.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::RequestId;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The requests in flight.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    requests: Mutex<HashSet<RequestId>>,
    changed: Notify,
}

impl InFlight {
    /// How many requests may be in flight; further ones wait.
    const MAX_REQUESTS: usize = 1_000;

    /// Adds a request.
    pub(crate) fn insert(&self, id: RequestId) {
        self.requests().insert(id);
    }

    /// Removes a request that was answered or cancelled.
    pub(crate) fn remove(&self, id: &RequestId) {
        if self.requests().remove(id) {
            self.changed.notify_waiters();
        }
    }

    /// Whether no further request is allowed.
    pub(crate) fn is_full(&self) -> bool {
        self.requests().len() >= Self::MAX_REQUESTS
    }

    /// Waits until another request is allowed.
    pub(crate) async fn wait_for_slot(&self) {
        self.wait_until_at_most(Self::MAX_REQUESTS - 1).await;
    }

    /// Waits until none is left, at most for `limit`; returns whether none is left.
    pub(crate) async fn wait_idle(&self, limit: Duration) -> bool {
        timeout(limit, self.wait_until_at_most(0)).await.is_ok()
    }

    async fn wait_until_at_most(&self, count: usize) {
        loop {
            // Subscribed before the check, so that no change in between is missed.
            let changed = self.changed.notified();
            if self.requests().len() <= count {
                return;
            }
            changed.await;
        }
    }

    fn requests(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
