//! The graph of a flow as a picture: nodes in rows, each below all that it needs, with the states
//! that a run has given them.

use std::collections::BTreeMap;

use cogtools_core::tool::Flow;
use serde_json::{Value, json};

use crate::session::Badge;

/// The width of a character, and of the space beside the text of a node.
const CHAR: usize = 8;
const PADDING: usize = 16;
/// The size of nodes, and the space between them.
const HEIGHT: usize = 48;
const GAP: usize = 24;
const ROW: usize = HEIGHT + 40;
const MARGIN: usize = 8;
/// The number of nodes that are drawn.
const MAX_NODES: usize = 200;

/// The picture of `flow` as variables of a template; `None` if it is too large to be one.
pub(crate) fn graph(flow: &Flow, badges: &BTreeMap<String, Badge>) -> Option<Value> {
    let nodes = flow.nodes();
    if nodes.is_empty() || nodes.len() > MAX_NODES {
        return None;
    }
    let rows = rows(flow);
    let widths: Vec<usize> = nodes
        .iter()
        .map(|node| node.id.chars().count().max(node.kind().len()) * CHAR + 2 * PADDING)
        .collect();
    let count = rows.iter().max().map_or(0, |last| last + 1);
    let of_row = |row: usize| {
        (0..nodes.len())
            .filter(|node| rows[*node] == row)
            .collect::<Vec<_>>()
    };
    let by_row: Vec<Vec<usize>> = (0..count).map(of_row).collect();
    let row_width = |row: &[usize]| {
        let nodes: usize = row.iter().map(|node| widths[*node]).sum();
        nodes + GAP * row.len().saturating_sub(1)
    };
    let inner = by_row.iter().map(|row| row_width(row)).max().unwrap_or(0);
    let mut lefts = vec![0; nodes.len()];
    for row in &by_row {
        let mut left = MARGIN + (inner - row_width(row)) / 2;
        for node in row {
            lefts[*node] = left;
            left += widths[*node] + GAP;
        }
    }
    let top = |node: usize| MARGIN + rows[node] * ROW;
    let centre = |node: usize| lefts[node] + widths[node] / 2;
    let boxes = nodes.iter().enumerate().map(|(number, node)| {
        json!({
            "id": node.id, "kind": node.kind(), "badge": badges.get(&node.id),
            "x": lefts[number], "y": top(number), "width": widths[number], "height": HEIGHT,
            "centre": centre(number), "name_y": top(number) + 20, "kind_y": top(number) + 38,
        })
    });
    let mut lines = Vec::new();
    for (lower, node) in nodes.iter().enumerate() {
        for need in &node.needs {
            let Some(upper) = nodes.iter().position(|one| one.id == need.node) else {
                continue;
            };
            let (x, y) = (centre(upper), top(upper) + HEIGHT);
            let (to_x, to_y) = (centre(lower), top(lower));
            let middle = usize::midpoint(y, to_y);
            let path = format!("M{x} {y}C{x} {middle} {to_x} {middle} {to_x} {to_y}");
            lines.push(json!({"path": path, "optional": need.is_optional}));
        }
    }
    Some(json!({
        "width": inner + 2 * MARGIN,
        "height": count.saturating_sub(1) * ROW + HEIGHT + 2 * MARGIN,
        "nodes": boxes.collect::<Vec<Value>>(),
        "lines": lines,
    }))
}

/// The row of each node: one below the lowest of those that it needs.
fn rows(flow: &Flow) -> Vec<usize> {
    let nodes = flow.nodes();
    let numbers: BTreeMap<&str, usize> =
        nodes.iter().map(|node| node.id.as_str()).zip(0..).collect();
    let mut rows = vec![0; nodes.len()];
    // A flow has no cycles, so that this ends before every node has been looked at once each.
    for _ in 0..nodes.len() {
        let mut has_moved = false;
        for (number, node) in nodes.iter().enumerate() {
            let needs = node
                .needs
                .iter()
                .filter_map(|need| numbers.get(need.node.as_str()));
            let row = needs.map(|need| rows[*need] + 1).max().unwrap_or(0);
            if row > rows[number] {
                rows[number] = row;
                has_moved = true;
            }
        }
        if !has_moved {
            break;
        }
    }
    rows
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
            (&json!(96), &json!(240))
        );
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
