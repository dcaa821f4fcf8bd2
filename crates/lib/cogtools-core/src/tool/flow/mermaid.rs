//! The graph of a flow as a Mermaid diagram, which Markdown viewers draw.

use std::fmt::Write as _;

use super::{Flow, FlowNode};

impl Flow {
    /// The graph as a Mermaid diagram. A need that is optional is a dotted arrow.
    pub fn mermaid(&self) -> String {
        let mut text = "flowchart TD\n".to_owned();
        for node in &self.nodes {
            let (open, close) = shape(node);
            let (id, kind) = (&node.id, node.kind());
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {id}{open}\"{id}: {kind}\"{close}");
        }
        for node in &self.nodes {
            for need in &node.needs {
                let arrow = if need.is_optional { "-.->" } else { "-->" };
                let _ = writeln!(text, "    {} {arrow} {}", need.node, node.id);
            }
        }
        text
    }
}

/// What encloses the label: a rhombus for what chooses, a rounded box for what asks a model.
fn shape(node: &FlowNode) -> (&'static str, &'static str) {
    match node.kind() {
        _ if node.is_router() => ("{", "}"),
        "agent" => ("([", "])"),
        "ask" => ("[/", "/]"),
        _ => ("[", "]"),
    }
}
