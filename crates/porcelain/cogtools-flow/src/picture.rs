//! The graph of a flow as a picture: SVG without scripts, fonts or anything from elsewhere.

use std::fmt::Write as _;

use cogtools_core::tool::{Flow, FlowNode};
use cogtools_program::picture::{HEIGHT, Layout, Place};

/// Colours of light and of dark pages.
const STYLE: &str = "\
text{font:13px ui-monospace,monospace;text-anchor:middle;fill:#1f2328}
.kind{font-size:11px;fill:#59636e}
.node{fill:#f6f8fa;stroke:#59636e}
.agent{fill:#ddf4ff}.router{fill:#fff8c5}.ask{fill:#fbefff}
path{fill:none;stroke:#59636e;stroke-width:1.5}
.optional{stroke-dasharray:4 4}
marker path{fill:#59636e;stroke:none}
@media (prefers-color-scheme:dark){text{fill:#f0f6fc}.kind{fill:#9198a1}.node{fill:#151b23;stroke:#9198a1}
.agent{fill:#0c2d6b}.router{fill:#4b2900}.ask{fill:#3c1e70}path{stroke:#9198a1}marker path{fill:#9198a1}}";

/// Draws `flow`.
pub(crate) fn draw(flow: &Flow) -> String {
    let layout = Layout::of(flow);
    let (width, height) = (layout.width, layout.height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<style>\n{STYLE}\n</style>\n<defs><marker id=\"end\" \
         viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker></defs>\n"
    );
    for line in &layout.lines {
        let class = if line.is_optional {
            " class=\"optional\""
        } else {
            ""
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<path d=\"{}\" marker-end=\"url(#end)\"{class}/>",
            line.path
        );
    }
    for place in &layout.places {
        if let Some(node) = place.node {
            text.push_str(&shape(&flow.nodes()[node], place));
        }
    }
    text.push_str("</svg>\n");
    text
}

/// A node. Its name consists of lower-case letters, digits and `_`.
fn shape(node: &FlowNode, place: &Place) -> String {
    let (kind, x, y, width) = (node.kind(), place.x, place.y, place.width);
    let class = if node.is_router() { "router" } else { kind };
    let radius = match class {
        "agent" => HEIGHT / 2,
        _ => 6,
    };
    format!(
        "<rect class=\"node {class}\" x=\"{}\" y=\"{y}\" width=\"{width}\" \
         height=\"{HEIGHT}\" rx=\"{radius}\"/>\n<text x=\"{x}\" y=\"{}\">{}</text>\n\
         <text class=\"kind\" x=\"{x}\" y=\"{}\">{kind}</text>\n",
        x - width / 2,
        y + 21,
        node.id,
        y + 38,
    )
}
