//! Whether a node that was interrupted can run again by itself.

use std::collections::BTreeMap;

use cogtools_core::tool::{Flow, FlowNode};
use cogtools_core::{Registry, Tool};

/// How deep flows within flows are looked into; fewer than that may run.
const MAX_DEPTH: usize = 8;

/// Finds out which nodes can run again.
pub(crate) struct Repeatable<'r> {
    registry: &'r Registry,
    /// What is known of flows, by their names.
    flows: BTreeMap<String, bool>,
}

impl<'r> Repeatable<'r> {
    pub(crate) const fn new(registry: &'r Registry) -> Self {
        Self {
            registry,
            flows: BTreeMap::new(),
        }
    }

    /// Whether running `node` again, or an item of it, does what the first run did: it calls no
    /// tool, or one that is a template, only reads, or is idempotent.
    pub(crate) fn node(&mut self, node: &FlowNode) -> bool {
        self.node_at(node, 0)
    }

    fn node_at(&mut self, node: &FlowNode, depth: usize) -> bool {
        if !node.calls_tools() {
            return true;
        }
        let called = node.tool().and_then(|name| self.registry.find(name).ok());
        called.is_some_and(|tool| self.tool(&tool, depth))
    }

    fn tool(&mut self, tool: &Tool, depth: usize) -> bool {
        let annotations = tool.annotations();
        let is = |hint: Option<bool>| hint == Some(true);
        if is(annotations.read_only) || is(annotations.idempotent) {
            return true;
        }
        match tool.flow() {
            // A flow runs no programs itself; its nodes may.
            Some(flow) => self.flow(tool.name().as_str(), flow, depth),
            None => !tool.runs_programs(),
        }
    }

    fn flow(&mut self, name: &str, flow: &Flow, depth: usize) -> bool {
        if let Some(known) = self.flows.get(name) {
            return *known;
        }
        // What calls itself, or is too deep, does not run to its end anyway.
        self.flows.insert(name.to_owned(), false);
        let mut nodes = flow.nodes().iter();
        let found = depth < MAX_DEPTH && nodes.all(|node| self.node_at(node, depth + 1));
        self.flows.insert(name.to_owned(), found);
        found
    }
}
