//! The graph of a flow as a picture, with the states that a run has given its nodes.

use std::collections::BTreeMap;

use cogtools_core::tool::Flow;
use cogtools_program::picture::{HEIGHT, Layout};
use serde_json::{Value, json};

use crate::session::Badge;

/// The number of nodes that are drawn.
const MAX_NODES: usize = 200;

/// The picture of `flow` as variables of a template; `None` if it is too large to be one.
pub(crate) fn graph(flow: &Flow, badges: &BTreeMap<String, Badge>) -> Option<Value> {
    let nodes = flow.nodes();
    if nodes.is_empty() || nodes.len() > MAX_NODES {
        return None;
    }
    let layout = Layout::of(flow);
    let boxes = layout.places.iter().filter_map(|place| {
        let node = &nodes[place.node?];
        Some(json!({
            "id": node.id, "kind": node.kind(), "badge": badges.get(&node.id),
            "x": place.x - place.width / 2, "y": place.y, "width": place.width, "height": HEIGHT,
            "centre": place.x, "name_y": place.y + 20, "kind_y": place.y + 38,
        }))
    });
    let lines = layout.lines.iter();
    let lines = lines.map(|line| json!({"path": line.path, "optional": line.is_optional}));
    Some(json!({
        "width": layout.width,
        "height": layout.height,
        "nodes": boxes.collect::<Vec<Value>>(),
        "lines": lines.collect::<Vec<Value>>(),
    }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cogtools_core::Tool;
    use cogtools_core::text::Text;

    use super::*;

    fn drawn(nodes: &str) -> Option<Value> {
        let text =
            format!("name: f\ndescription: d\nimplementation:\n  flow:\n    nodes:\n{nodes}");
        let text = Text::new("f.yaml", text.into_bytes()).expect("text");
        let tool = Tool::parse(text).expect("a tool");
        assert_eq!(tool.file(), Path::new("f.yaml"));
        let badges = BTreeMap::from([("first".to_owned(), Badge::Failed)]);
        graph(tool.flow().expect("a flow"), &badges)
    }

    #[test]
    fn each_node_is_below_what_it_needs() {
        let nodes = "      last: {text: '{{ first }} {{ second }}'}\n      \
                     second: {text: '{{ first }}'}\n      first: {text: x}\n";
        let graph = drawn(nodes).expect("a picture");
        let places = graph["nodes"].as_array().expect("nodes").iter();
        let places = places.map(|node| json!([node["id"], node["y"], node["badge"]]));
        let expected = json!([
            ["last", 184, null],
            ["second", 96, null],
            ["first", 8, "failed"]
        ]);
        assert_eq!(places.collect::<Value>(), expected);
        assert_eq!(graph["lines"].as_array().map(Vec::len), Some(3));
        assert_eq!(
            (&graph["width"], &graph["height"]),
            (&json!(136), &json!(240))
        );
        // The line from the first row to the last one passes the second beside its node.
        let lines = graph["lines"].as_array().into_iter().flatten();
        let mut paths = lines.filter_map(|line| line["path"].as_str());
        assert!(paths.any(|path| path.contains("V144")), "{graph}");
    }

    #[test]
    fn what_is_too_large_is_no_picture() {
        let nodes = (0..=MAX_NODES).map(|node| format!("      n{node}: {{text: x}}"));
        let nodes = nodes.collect::<Vec<String>>().join(
            "
",
        );
        assert_eq!(drawn(&nodes), None);
    }
}
