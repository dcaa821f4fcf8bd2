//! The graph of a flow as a picture: nodes in rows, each below all that it needs, with the states
//! that a run has given them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

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

/// The width of the lane of a line that passes a row without a node of its own.
const LANE: usize = 16;
/// The number of times that rows are sorted, so that lines cross less.
const SWEEPS: usize = 4;

/// A place in a row: a node, or a line that passes it on its way to a lower one.
struct Place {
    /// The node.
    node: Option<usize>,
    row: usize,
    width: usize,
    /// The places in the row above that lines lead from.
    above: Vec<usize>,
}

/// The picture of `flow` as variables of a template; `None` if it is too large to be one.
pub(crate) fn graph(flow: &Flow, badges: &BTreeMap<String, Badge>) -> Option<Value> {
    let nodes = flow.nodes();
    if nodes.is_empty() || nodes.len() > MAX_NODES {
        return None;
    }
    let rows = rows(flow);
    let mut places: Vec<Place> = nodes
        .iter()
        .enumerate()
        .map(|(number, node)| Place {
            node: Some(number),
            row: rows[number],
            width: node.id.chars().count().max(node.kind().len()) * CHAR + 2 * PADDING,
            above: Vec::new(),
        })
        .collect();
    let mut edges: Vec<(Vec<usize>, bool)> = Vec::new();
    for (lower, node) in nodes.iter().enumerate() {
        for need in &node.needs {
            let Some(upper) = nodes.iter().position(|one| one.id == need.node) else {
                continue;
            };
            let mut way = vec![upper];
            for row in rows[upper] + 1..rows[lower] {
                let last = way[way.len() - 1];
                way.push(places.len());
                places.push(Place {
                    node: None,
                    row,
                    width: LANE,
                    above: vec![last],
                });
            }
            let last = way[way.len() - 1];
            places[lower].above.push(last);
            way.push(lower);
            edges.push((way, need.is_optional));
        }
    }
    let (lefts, inner) = lefts(&places);
    let top = |place: usize| MARGIN + places[place].row * ROW;
    let centre = |place: usize| lefts[place] + places[place].width / 2;
    let boxes = nodes.iter().enumerate().map(|(number, node)| {
        json!({
            "id": node.id, "kind": node.kind(), "badge": badges.get(&node.id),
            "x": lefts[number], "y": top(number), "width": places[number].width, "height": HEIGHT,
            "centre": centre(number), "name_y": top(number) + 20, "kind_y": top(number) + 38,
        })
    });
    let lines = edges.iter().map(|(way, is_optional)| {
        let mut path = format!("M{} {}", centre(way[0]), top(way[0]) + HEIGHT);
        for pair in way.windows(2) {
            let (x, y) = (centre(pair[0]), top(pair[0]) + HEIGHT);
            let (to_x, to_y) = (centre(pair[1]), top(pair[1]));
            let middle = usize::midpoint(y, to_y);
            let _ = write!(path, "C{x} {middle} {to_x} {middle} {to_x} {to_y}");
            if places[pair[1]].node.is_none() {
                let _ = write!(path, "V{}", to_y + HEIGHT);
            }
        }
        json!({"path": path, "optional": is_optional})
    });
    let count = rows.iter().max().map_or(0, |last| last + 1);
    Some(json!({
        "width": inner + 2 * MARGIN,
        "height": count.saturating_sub(1) * ROW + HEIGHT + 2 * MARGIN,
        "nodes": boxes.collect::<Vec<Value>>(),
        "lines": lines.collect::<Vec<Value>>(),
    }))
}

/// The left side of each place, and the width of the widest row. Each row is sorted by the middle
/// of what leads to its places from above.
fn lefts(places: &[Place]) -> (Vec<usize>, usize) {
    let count = places.iter().map(|place| place.row + 1).max().unwrap_or(0);
    let mut by_row: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, place) in places.iter().enumerate() {
        by_row[place.row].push(number);
    }
    let width = |row: &[usize]| {
        let widths: usize = row.iter().map(|place| places[*place].width).sum();
        widths + GAP * row.len().saturating_sub(1)
    };
    let inner = by_row.iter().map(|row| width(row)).max().unwrap_or(0);
    let mut lefts = vec![0; places.len()];
    for _ in 0..SWEEPS {
        for row in &mut by_row {
            row.sort_by_key(|place| {
                let above = &places[*place].above;
                let centres = above.iter().map(|one| lefts[*one] + places[*one].width / 2);
                centres.sum::<usize>().checked_div(above.len()).unwrap_or(0)
            });
            let mut left = MARGIN + (inner - width(row)) / 2;
            for place in row.iter() {
                lefts[*place] = left;
                left += places[*place].width + GAP;
            }
        }
    }
    (lefts, inner)
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
