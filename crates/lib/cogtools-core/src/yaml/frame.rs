//! Unfinished collections, and the size of finished nodes.

use std::collections::HashSet;

use super::error::{YamlError, YamlErrorKind};
use super::node::{Entry, Node};
use super::{MAX_NODES, MAX_TEXT};
use crate::text::Span;

/// Up to this many keys of a mapping are compared one by one.
const MAX_COMPARED_KEYS: usize = 16;

/// The size of a node, which each of its aliases copies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// The number of nodes, including itself.
    pub(super) nodes: usize,
    /// The length of its strings in bytes.
    pub(super) text: usize,
    /// How deep its collections nest, including itself.
    pub(super) height: usize,
}

/// A collection whose end has not been read.
pub(super) struct Frame {
    pub(super) anchor: usize,
    pub(super) start: usize,
    pub(super) size: Size,
    pub(super) partial: Partial,
}

/// The part of a collection that has been read.
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

    /// Adds the size of a finished child.
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

/// Whether `key` is in `entries` already; large mappings use the set.
pub(super) fn is_repeated(key: &str, entries: &[Entry], seen: &mut HashSet<String>) -> bool {
    if entries.len() < MAX_COMPARED_KEYS {
        return entries.iter().any(|entry| entry.key == key);
    }
    if seen.is_empty() {
        seen.extend(entries.iter().map(|entry| entry.key.clone()));
    }
    !seen.insert(key.to_owned())
}

/// Adds `size` to `sum` and checks the limits.
pub(super) fn account(sum: &mut Size, size: Size, span: Span) -> Result<(), YamlError> {
    sum.nodes += size.nodes;
    sum.text += size.text;
    let kind = match sum {
        sum if sum.nodes > MAX_NODES => YamlErrorKind::TooMany,
        sum if sum.text > MAX_TEXT => YamlErrorKind::TooLong,
        _ => return Ok(()),
    };
    Err(YamlError { kind, span })
}
