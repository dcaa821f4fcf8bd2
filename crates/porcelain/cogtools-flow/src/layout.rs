//! Where the nodes of a flow stand in a picture: in rows, each below all that it needs.
//!
//! An edge that crosses rows keeps a place in each of them, so that no line crosses a node.

use std::collections::BTreeMap;

use cogtools_core::tool::Flow;

/// How often the order of the rows is improved.
const SWEEPS: usize = 4;
/// How many places edges keep in all; further edges are drawn straight.
const MAX_PASSES: usize = 20_000;

/// A place in a row: of a node, or of an edge on its way.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The node; `None` for an edge.
    pub(crate) node: Option<usize>,
    /// The places in the row above that lead here.
    above: Vec<usize>,
}

/// An edge, as the places that it goes through, from the upper node to the lower one.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) path: Vec<usize>,
    pub(crate) is_optional: bool,
}

/// Rows of places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) places: Vec<Place>,
    pub(crate) edges: Vec<Edge>,
    /// The places of each row, from left to right.
    pub(crate) rows: Vec<Vec<usize>>,
}

impl Layout {
    /// The layout of `flow`. The place of a node has its number.
    pub(crate) fn new(flow: &Flow) -> Self {
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
