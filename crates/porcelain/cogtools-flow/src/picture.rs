//! The graph of a flow as a picture: SVG without scripts, fonts or anything from elsewhere.
//!
//! Nodes stand in rows, each below all that it needs. An edge that crosses rows keeps a place in each
//! of them, so that no line crosses a node.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cogtools_core::tool::{Flow, FlowNode};

/// The number of times that the order of the rows is improved.
const SWEEPS: usize = 4;
/// The number of places that edges keep in all; further edges are drawn straight.
const MAX_PASSES: usize = 20_000;

/// A place in a row: of a node, or of an edge on its way.
#[derive(Clone, Debug)]
struct Place {
    /// The node; `None` for an edge.
    node: Option<usize>,
    /// The places in the row above that lead here.
    above: Vec<usize>,
}

/// An edge, as the places that it goes through, from the upper node to the lower one.
#[derive(Clone, Debug)]
struct Edge {
    path: Vec<usize>,
    is_optional: bool,
}

/// Rows of places.
#[derive(Clone, Debug, Default)]
struct Layout {
    places: Vec<Place>,
    edges: Vec<Edge>,
    /// The places of each row, from left to right.
    rows: Vec<Vec<usize>>,
}

impl Layout {
    /// The layout of `flow`. The place of a node has its number.
    fn new(flow: &Flow) -> Self {
        let nodes = flow.nodes();
        let numbers: BTreeMap<&str, usize> =
            nodes.iter().map(|node| node.id.as_str()).zip(0..).collect();
        let rows = rows(flow, &numbers);
        let mut layout = Self::default();
        layout
            .rows
            .resize(rows.iter().max().map_or(0, |last| last + 1), Vec::new());
        for (number, row) in rows.iter().enumerate() {
            layout.add(*row, Some(number));
        }
        for (number, node) in nodes.iter().enumerate() {
            for need in &node.needs {
                if let Some(upper) = numbers.get(need.node.as_str()) {
                    layout.connect(
                        (*upper, rows[*upper]),
                        (number, rows[number]),
                        need.is_optional,
                    );
                }
            }
        }
        for _ in 0..SWEEPS {
            layout.sort_rows();
        }
        layout
    }

    fn add(&mut self, row: usize, node: Option<usize>) -> usize {
        let place = self.places.len();
        self.places.push(Place {
            node,
            above: Vec::new(),
        });
        self.rows[row].push(place);
        place
    }

    /// Adds an edge between two places in their rows.
    fn connect(&mut self, upper: (usize, usize), lower: (usize, usize), is_optional: bool) {
        let mut path = vec![upper.0];
        if self.places.len() + lower.1 - upper.1 < MAX_PASSES {
            for row in upper.1 + 1..lower.1 {
                path.push(self.add(row, None));
            }
        }
        path.push(lower.0);
        for pair in path.windows(2) {
            self.places[pair[1]].above.push(pair[0]);
        }
        self.edges.push(Edge { path, is_optional });
    }

    /// Puts each place below the middle of those that lead to it.
    fn sort_rows(&mut self) {
        for row in 1..self.rows.len() {
            let order: BTreeMap<usize, usize> =
                self.rows[row - 1].iter().copied().zip(0..).collect();
            let middle = |place: &usize| {
                let above = &self.places[*place].above;
                let sum: usize = above.iter().filter_map(|upper| order.get(upper)).sum();
                // In thousandths: the order must not depend on rounding.
                sum.saturating_mul(1_000) / above.len().max(1)
            };
            let mut sorted = self.rows[row].clone();
            sorted.sort_by_key(middle);
            self.rows[row] = sorted;
        }
    }
}

/// The row of each node: one below the lowest that it needs.
fn rows(flow: &Flow, numbers: &BTreeMap<&str, usize>) -> Vec<usize> {
    let nodes = flow.nodes();
    let mut rows = vec![0; nodes.len()];
    // A file may name nodes in any order; a graph without cycles settles.
    for _ in 0..nodes.len() {
        let mut is_settled = true;
        for (number, node) in nodes.iter().enumerate() {
            let above = node
                .needs
                .iter()
                .filter_map(|need| numbers.get(need.node.as_str()));
            let row = above.map(|upper| rows[*upper] + 1).max().unwrap_or(0);
            if rows[number] != row {
                rows[number] = row;
                is_settled = false;
            }
        }
        if is_settled {
            break;
        }
    }
    rows
}

/// The width of a character, and of the space beside the text of a node.
const CHAR: usize = 8;
const PADDING: usize = 14;
/// The size of nodes, and the space between them.
const HEIGHT: usize = 44;
const GAP: usize = 28;
const ROW: usize = HEIGHT + 44;
/// The width of an edge that passes a row.
const EDGE: usize = 12;
const MARGIN: usize = 16;

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
    let layout = Layout::new(flow);
    let widths: Vec<usize> = layout
        .places
        .iter()
        .map(|place| place.node.map_or(EDGE, |node| width(&flow.nodes()[node])))
        .collect();
    let row_width = |row: &Vec<usize>| {
        let places: usize = row.iter().map(|place| widths[*place]).sum();
        places + GAP * row.len().saturating_sub(1)
    };
    let inner = layout.rows.iter().map(row_width).max().unwrap_or(0);
    let centres = centres(&layout, &widths, inner, row_width);
    let (total, high) = (
        inner + 2 * MARGIN,
        layout.rows.len().saturating_sub(1) * ROW + HEIGHT + 2 * MARGIN,
    );
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total} {high}\" width=\"{total}\" \
         height=\"{high}\" role=\"img\">\n<style>\n{STYLE}\n</style>\n<defs><marker id=\"end\" \
         viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker></defs>\n"
    );
    for edge in &layout.edges {
        text.push_str(&line(edge, &centres));
    }
    for (place, (x, y)) in layout.places.iter().zip(&centres) {
        if let Some(node) = place.node {
            text.push_str(&shape(&flow.nodes()[node], *x, *y));
        }
    }
    text.push_str("</svg>\n");
    text
}

/// The width of a node.
fn width(node: &FlowNode) -> usize {
    let longest = node.id.len().max(node.kind().len());
    longest * CHAR + 2 * PADDING
}

/// The middle of each place. Rows are centred.
fn centres(
    layout: &Layout,
    widths: &[usize],
    inner: usize,
    row_width: impl Fn(&Vec<usize>) -> usize,
) -> Vec<(usize, usize)> {
    let mut centres = vec![(0, 0); layout.places.len()];
    for (index, row) in layout.rows.iter().enumerate() {
        let mut left = MARGIN + (inner - row_width(row)) / 2;
        for place in row {
            centres[*place] = (left + widths[*place] / 2, MARGIN + index * ROW + HEIGHT / 2);
            left += widths[*place] + GAP;
        }
    }
    centres
}

/// An edge: a curve from each place to the next.
fn line(edge: &Edge, centres: &[(usize, usize)]) -> String {
    let last = edge.path.len() - 1;
    let mut path = String::new();
    for (index, place) in edge.path.iter().enumerate() {
        let (x, y) = centres[*place];
        let (top, bottom) = (y - HEIGHT / 2, y + HEIGHT / 2);
        // Writing to a string cannot fail.
        let _ = if index == 0 {
            write!(path, "M{x} {bottom}")
        } else {
            let (before, _) = centres[edge.path[index - 1]];
            let middle = top - (ROW - HEIGHT) / 2;
            write!(path, "C{before} {middle} {x} {middle} {x} {top}")
        };
        if index > 0 && index < last {
            let _ = write!(path, "L{x} {bottom}");
        }
    }
    let class = if edge.is_optional {
        " class=\"optional\""
    } else {
        ""
    };
    format!("<path d=\"{path}\" marker-end=\"url(#end)\"{class}/>\n")
}

/// A node. Its name consists of lower-case letters, digits and `_`.
fn shape(node: &FlowNode, x: usize, y: usize) -> String {
    let (width, kind) = (width(node), node.kind());
    let (left, top) = (x - width / 2, y - HEIGHT / 2);
    let class = if node.is_router() { "router" } else { kind };
    let radius = match class {
        "agent" => HEIGHT / 2,
        _ => 6,
    };
    format!(
        "<rect class=\"node {class}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" \
         height=\"{HEIGHT}\" rx=\"{radius}\"/>\n<text x=\"{x}\" y=\"{}\">{}</text>\n\
         <text class=\"kind\" x=\"{x}\" y=\"{}\">{kind}</text>\n",
        y - 3,
        node.id,
        y + 14,
    )
}
