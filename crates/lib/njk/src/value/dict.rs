//! Objects, in JavaScript's order: keys that are indexes first, by number,
//! then the others as they were written.

use std::sync::Arc;

use indexmap::IndexMap;
use minijinja::value::{Enumerator, Object, ObjectRepr, Value};

use super::depth;

pub(crate) type Entries = IndexMap<Arc<str>, Value>;

#[derive(Debug)]
pub(crate) struct Dict {
    entries: Entries,
    depth: u32,
    keywords: bool,
}

impl Dict {
    pub(crate) fn new(mut entries: Entries) -> Self {
        if entries.keys().any(|key| index(key).is_some()) {
            entries.sort_by(|left, _, right, _| match (index(left), index(right)) {
                (Some(left), Some(right)) => left.cmp(&right),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => std::cmp::Ordering::Equal,
            });
        }
        let depth = entries.values().map(depth).max().unwrap_or_default();
        Self {
            entries,
            depth: depth.saturating_add(1),
            keywords: false,
        }
    }

    /// The keyword arguments of a call.
    pub(crate) fn keywords(entries: Entries) -> Self {
        Self {
            keywords: true,
            ..Self::new(entries)
        }
    }

    pub(crate) fn is_keywords(&self) -> bool {
        self.keywords
    }

    pub(crate) fn entries(&self) -> &Entries {
        &self.entries
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key)
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }
}

/// The number that `key` spells, if JavaScript counts it as an index.
pub(crate) fn index(key: &str) -> Option<u32> {
    let plain =
        key == "0" || !key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit());
    let number = if plain { key.parse().ok() } else { None };
    number.filter(|number| *number != u32::MAX)
}

impl Object for Dict {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get(key.as_str()?).cloned()
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.get(key).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.entries.keys().map(|key| Value::from(&**key)).collect())
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}
