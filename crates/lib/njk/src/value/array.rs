//! Arrays: shared, mutable and equal only to themselves, as in JavaScript,
//! so that `items.push(x)` works in a template.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Enumerator, Object, ObjectRepr, Value};

use super::depth;

#[derive(Debug)]
pub(crate) struct Array {
    items: Mutex<Arc<Vec<Value>>>,
    depth: AtomicU32,
}

impl Array {
    /// An array of `items`; limits are checked by [`crate::budget::Budget`].
    pub(crate) fn new(items: Vec<Value>) -> Self {
        let depth = items.iter().map(depth).max().unwrap_or_default();
        Self {
            items: Mutex::new(Arc::new(items)),
            depth: AtomicU32::new(depth.saturating_add(1)),
        }
    }

    /// The current items. No lock is held afterwards: an array may contain itself.
    pub(crate) fn items(&self) -> Arc<Vec<Value>> {
        Arc::clone(&self.items.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn len(&self) -> usize {
        self.items
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<Value> {
        self.items
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(index)
            .cloned()
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Changes the items in place. `change` must not access this array.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut items))
    }

    /// Records that a value with `inner` levels was added.
    pub(crate) fn deepen(&self, inner: u32) {
        self.depth
            .fetch_max(inner.saturating_add(1), Ordering::Relaxed);
    }
}

impl Object for Array {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get(key.as_usize()?)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.len())
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}
