//! A node: what it is called, what it needs, and how often and how long it may run.

use std::time::Duration;

use crate::Retry;

/// A node of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Its name, unique in the graph.
    pub id: String,
    /// The nodes that must end before it starts.
    pub needs: Vec<Need>,
    /// What happens when it fails.
    pub retry: Retry,
    /// How long an attempt may take; `None` for as long as it takes.
    pub timeout: Option<Duration>,
}

/// A node that another one needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Its name.
    pub node: String,
    /// Whether the other one runs even if this one was skipped or has failed.
    pub is_optional: bool,
}

impl Node {
    /// A node that needs nothing, and runs once for as long as it takes.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
        }
    }

    /// The same node, which needs `node` to succeed.
    #[must_use]
    pub fn after(mut self, node: impl Into<String>) -> Self {
        self.needs.push(Need {
            node: node.into(),
            is_optional: false,
        });
        self
    }

    /// The same node, which needs `node` to end in any way.
    #[must_use]
    pub fn after_any(mut self, node: impl Into<String>) -> Self {
        self.needs.push(Need {
            node: node.into(),
            is_optional: true,
        });
        self
    }
}
