//! Collections that have begun, and what finished nodes weigh.

use std::collections::HashSet;

use super::node::{Entry, Node};
use crate::text::Span;

/// Up to this many keys of one mapping are compared one by one.
const FEW_KEYS: usize = 16;

/// What a node costs whoever copies it: an alias stands for all of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Itself and all nodes inside of it.
    pub(super) nodes: usize,
    /// The bytes of its strings.
    pub(super) text: usize,
    /// How many collections nest in it, itself counted.
    pub(super) height: usize,
}

/// A collection that has begun and not ended.
pub(super) struct Frame {
    pub(super) anchor: usize,
    pub(super) start: usize,
    pub(super) size: Size,
    pub(super) partial: Partial,
}

/// What has been read of it.
pub(super) enum Partial {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        key: Option<(String, Span)>,
        seen: HashSet<String>,
    },
}

impl Frame {
    pub(super) const fn new(anchor: usize, start: usize, partial: Partial) -> Self {
        let size = Size {
            nodes: 1,
            text: 0,
            height: 1,
        };
        Self {
            anchor,
            start,
            size,
            partial,
        }
    }

    /// Counts a finished node as one of its own.
    pub(super) fn add(&mut self, inner: Size) {
        self.size.nodes += inner.nodes;
        self.size.text += inner.text;
        self.size.height = self.size.height.max(inner.height + 1);
    }
}

impl Partial {
    pub(super) fn map() -> Self {
        Self::Map {
            entries: Vec::new(),
            key: None,
            seen: HashSet::new(),
        }
    }
}

/// Whether `key` stands in `entries` already; large mappings keep a set.
pub(super) fn is_repeated(key: &str, entries: &[Entry], seen: &mut HashSet<String>) -> bool {
    if entries.len() < FEW_KEYS {
        return entries.iter().any(|entry| entry.key == key);
    }
    if seen.is_empty() {
        seen.extend(entries.iter().map(|entry| entry.key.clone()));
    }
    !seen.insert(key.to_owned())
}
