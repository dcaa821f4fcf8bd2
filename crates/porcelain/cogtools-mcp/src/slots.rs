//! The places of slow calls.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// Places that clients and sources share: a source that does not answer keeps some of them, and
/// others go on.
#[derive(Debug)]
pub(crate) struct Slots {
    /// The number of places.
    count: usize,
    /// The number of places that each has; those that have none are not in it.
    held: Mutex<HashMap<Holder, usize>>,
    /// Notified when a place is free.
    freed: Notify,
}

/// A client, and a source, or a tool of the project.
pub(crate) type Holder = (u64, String);

/// A place, until it is dropped.
pub(crate) struct Slot {
    slots: Arc<Slots>,
    holder: Holder,
}

impl Slots {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            count,
            held: Mutex::default(),
            freed: Notify::new(),
        }
    }

    /// Waits until `holder` has fewer places than are free, or until one is free if it has none.
    pub(crate) async fn acquire(self: &Arc<Self>, holder: Holder) -> Slot {
        loop {
            // Before the check, so that no change in between is missed.
            let mut freed = pin!(self.freed.notified());
            freed.as_mut().enable();
            if self.take(&holder) {
                let slots = Arc::clone(self);
                return Slot { slots, holder };
            }
            freed.await;
        }
    }

    fn take(&self, holder: &Holder) -> bool {
        let mut held = self.held.lock();
        let free = self.count - held.values().sum::<usize>();
        let own = held.get(holder).copied().unwrap_or_default();
        if own < free {
            held.insert(holder.clone(), own + 1);
        }
        own < free
    }

    /// Waits until all places are free.
    pub(crate) async fn idle(&self) {
        loop {
            let mut freed = pin!(self.freed.notified());
            freed.as_mut().enable();
            if self.held.lock().is_empty() {
                return;
            }
            freed.await;
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut held = self.slots.held.lock();
        if let Some(count) = held.get_mut(&self.holder) {
            *count -= 1;
        }
        held.retain(|_, count| *count > 0);
        drop(held);
        self.slots.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_holder_leaves_places_to_others() {
        let slots = Arc::new(Slots::new(8));
        let holder = |source: &str| (0, source.to_owned());
        let mut held = Vec::new();
        for (source, expected) in [("silent", 4), ("slow", 2), ("late", 1), ("other", 1)] {
            let before = held.len();
            while slots.take(&holder(source)) {
                let (slots, holder) = (Arc::clone(&slots), holder(source));
                held.push(Slot { slots, holder });
            }
            assert_eq!(held.len() - before, expected, "{source}");
        }
        held.pop();
        drop(slots.acquire(holder("last")).await);
        held.clear();
        slots.idle().await;
    }
}
