//! Cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A cancellation token, shared by the caller and everything that should stop.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// The token that cancels this one as well.
    parent: Option<Arc<Self>>,
}

impl Cancel {
    /// A token for a part of the work: it can be cancelled alone, and is cancelled with this one.
    #[must_use]
    pub fn child(&self) -> Self {
        Self {
            flag: Arc::default(),
            parent: Some(Arc::new(self.clone())),
        }
    }

    /// Requests cancellation.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
    }

    /// Returns true if cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        let parent = self.parent.as_ref();
        self.flag.load(Ordering::Acquire) || parent.is_some_and(|parent| parent.is_cancelled())
    }

    /// Takes the request back, once everything that it cancelled has ended.
    pub fn reset(&self) {
        self.flag.store(false, Ordering::Release);
    }

    /// The flag itself, for signal handlers, which can only set it.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_cancelled_alone_or_with_its_parent() {
        let whole = Cancel::default();
        let (part, other) = (whole.child(), whole.child());
        part.cancel();
        let state = |tokens: [&Cancel; 3]| tokens.map(Cancel::is_cancelled);
        assert_eq!(state([&whole, &part, &other]), [false, true, false]);
        whole.cancel();
        assert_eq!(state([&whole, &part, &other.child()]), [true; 3]);
        whole.reset();
        assert_eq!(state([&whole, &part, &other]), [false, true, false]);
    }
}
