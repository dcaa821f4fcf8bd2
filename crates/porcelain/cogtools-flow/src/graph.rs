//! The graph of a flow, for the executor.

use cogtools_core::tool::{Flow, FlowNode};
use cogtools_core::{Code, Diagnostic};
use cogtools_executor::{Graph, GraphError, Need, Node, Retry};

/// The graph of `flow`.
///
/// # Errors
///
/// Only what a file that was loaded cannot have.
pub(crate) fn of(flow: &Flow) -> Result<Graph, Box<Diagnostic>> {
    let nodes = flow.nodes().iter().map(node).collect();
    Graph::new(nodes).map_err(|error: GraphError| {
        Box::new(Diagnostic::new(Code::InvalidTool, error.to_string()))
    })
}

/// The node of the graph for `node`.
pub(crate) fn node(node: &FlowNode) -> Node {
    let needs = node.needs.iter().map(|need| Need {
        node: need.node.clone(),
        is_optional: need.is_optional,
    });
    Node {
        id: node.id.clone(),
        needs: needs.collect(),
        // The items of a list are run again one by one.
        retry: match node.kind() {
            "each" => Retry::default(),
            _ => retry(node),
        },
        timeout: node.timeout.filter(|_| node.kind() != "each"),
    }
}

/// How often `node`, or an item of it, is run again.
pub(crate) const fn retry(node: &FlowNode) -> Retry {
    Retry {
        times: node.retry.times,
        delay: node.retry.delay,
        backoff: node.retry.backoff,
    }
}
