//! The keys of a flow in its file, and the tools that its nodes call.

pub(crate) mod argument;
pub(crate) mod reach;
pub(crate) mod result;

use cogtools_core::Tool;
use cogtools_core::text::Span;
use cogtools_core::tool::{Flow, FlowCallShape, FlowNode};

use crate::lint_file::LintFile;

impl LintFile {
    /// The flow, if the file is one.
    pub(crate) fn flow(&self) -> Option<&Flow> {
        self.tool.as_ref()?.flow()
    }

    /// The span of a key of a node: the last one along `path` that is in the file.
    pub(crate) fn node_span(&self, id: &str, path: &[&str]) -> Span {
        let keys = ["implementation", "flow", "nodes", id];
        let keys = keys.into_iter().chain(path.iter().copied());
        let document = self.document.as_ref();
        document.map_or(Span { start: 0, end: 1 }, |document| document.walk(keys).1)
    }

    /// The span of a key of the call of `node`.
    pub(crate) fn call_span(&self, node: &FlowNode, path: &[&str]) -> Span {
        let mut keys = match node.kind() {
            "each" => vec!["each", "tool"],
            _ => vec!["tool"],
        };
        keys.extend(path);
        self.node_span(&node.id, &keys)
    }

    /// Returns true if the file has a key of a node.
    pub(crate) fn has_node_key(&self, id: &str, path: &[&str]) -> bool {
        let keys = ["implementation", "flow", "nodes", id];
        let mut keys = keys.into_iter().chain(path.iter().copied());
        let found = keys.try_fold(self.document.as_ref(), |node, key| {
            node.map(|node| node.get(key))
        });
        found.flatten().is_some()
    }

    /// The only tool that a call can reach, if the file says which one that is.
    pub(crate) fn callee(&self, call: &FlowCallShape<'_>) -> Option<&Tool> {
        if let Some(name) = call.name {
            return self.neighbours.find(name);
        }
        let capability = match (call.capability, call.among) {
            (Some(capability), _) => capability,
            (None, [capability]) => capability,
            _ => return None,
        };
        match self.neighbours.with_capability(capability).as_slice() {
            [tool] => Some(tool),
            _ => None,
        }
    }
}
