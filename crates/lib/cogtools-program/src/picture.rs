//! The layout of a flow as a picture: nodes in rows, each below all that it needs.
//!
//! A line that crosses rows keeps a place in each of them, so that no line crosses a node.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cogtools_core::tool::Flow;

/// The height of a node, in pixels like all sizes here.
pub const HEIGHT: usize = 48;
/// The width of a character, and of the space beside the text of a node.
const CHAR: usize = 8;
const PADDING: usize = 16;
/// The width of a line that passes a row.
const LANE: usize = 16;
/// The space between two places of a row, from one row to the next, and around the picture.
const GAP: usize = 24;
const ROW: usize = HEIGHT + 40;
const MARGIN: usize = 8;
/// The number of times that rows are sorted, so that lines cross less.
const SWEEPS: usize = 4;
/// The number of places; further lines are drawn straight.
const MAX_PLACES: usize = 20_000;

/// A picture without its shapes.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The places: each node's has the number of the node.
    pub places: Vec<Place>,
    /// The lines between nodes.
    pub lines: Vec<Line>,
    /// The width of the picture.
    pub width: usize,
    /// The height of the picture.
    pub height: usize,
}

/// A place in a row: of a node, or of a line on its way to a lower row.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The number of the node; `None` for a line.
    pub node: Option<usize>,
    /// The middle, from the left.
    pub x: usize,
    /// The upper side.
    pub y: usize,
    /// The width.
    pub width: usize,
    row: usize,
    /// The places in the row above that lines lead from.
    above: Vec<usize>,
}

/// A line from a node to one that needs it.
#[derive(Clone, Debug)]
pub struct Line {
    /// The line as the data of a path in SVG.
    pub path: String,
    /// True if the lower node runs even if the upper one has no result.
    pub is_optional: bool,
}

impl Layout {
    /// Lays `flow` out.
    pub fn of(flow: &Flow) -> Self {
        let nodes = flow.nodes();
        let numbers: BTreeMap<&str, usize> =
            nodes.iter().map(|node| node.id.as_str()).zip(0..).collect();
        let needs = nodes.iter().map(|node| {
            let needs = node.needs.iter();
            let needs = needs
                .filter_map(|need| Some((*numbers.get(need.node.as_str())?, need.is_optional)));
            needs.collect()
        });
        let needs: Vec<Vec<(usize, bool)>> = needs.collect();
        let rows = rows(&needs);
        let places = nodes.iter().enumerate().map(|(number, node)| Place {
            node: Some(number),
            row: rows[number],
            width: node.id.chars().count().max(node.kind().len()) * CHAR + 2 * PADDING,
            ..Place::default()
        });
        let mut places: Vec<Place> = places.collect();
        let mut ways: Vec<(Vec<usize>, bool)> = Vec::new();
        for (lower, needs) in needs.iter().enumerate() {
            for (upper, is_optional) in needs {
                let mut way = vec![*upper];
                if places.len() + rows[lower] < MAX_PLACES {
                    for row in rows[*upper] + 1..rows[lower] {
                        way.push(places.len());
                        places.push(Place {
                            row,
                            width: LANE,
                            ..Place::default()
                        });
                    }
                }
                way.push(lower);
                for pair in way.windows(2) {
                    places[pair[1]].above.push(pair[0]);
                }
                ways.push((way, *is_optional));
            }
        }
        let inner = arrange(&mut places);
        let lines = ways.iter().map(|(way, is_optional)| Line {
            path: path(way, &places),
            is_optional: *is_optional,
        });
        Self {
            lines: lines.collect(),
            places,
            width: inner + 2 * MARGIN,
            height: rows.iter().max().unwrap_or(&0) * ROW + HEIGHT + 2 * MARGIN,
        }
    }
}

/// Returns the row of each node: one below the lowest of those that it needs.
fn rows(needs: &[Vec<(usize, bool)>]) -> Vec<usize> {
    let mut rows = vec![0; needs.len()];
    // A file may name nodes in any order; a graph without cycles settles.
    for _ in 0..needs.len() {
        let before = rows.clone();
        for (number, needs) in needs.iter().enumerate() {
            let row = needs.iter().map(|(upper, _)| rows[*upper] + 1).max();
            rows[number] = row.unwrap_or(0);
        }
        if rows == before {
            break;
        }
    }
    rows
}

/// Puts the places of each row below the middle of what leads to them; returns the width of the
/// widest row.
fn arrange(places: &mut [Place]) -> usize {
    let count = places.iter().map(|place| place.row + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, place) in places.iter_mut().enumerate() {
        place.y = MARGIN + place.row * ROW;
        rows[place.row].push(number);
    }
    let widths = rows.iter().map(|row| {
        let widths: usize = row.iter().map(|place| places[*place].width).sum();
        widths + GAP * row.len().saturating_sub(1)
    });
    let widths: Vec<usize> = widths.collect();
    let inner = widths.iter().copied().max().unwrap_or(0);
    for _ in 0..SWEEPS {
        for (row, width) in rows.iter_mut().zip(&widths) {
            row.sort_by_key(|place| {
                let above = &places[*place].above;
                let middles: usize = above.iter().map(|upper| places[*upper].x).sum();
                middles.checked_div(above.len()).unwrap_or(0)
            });
            let mut left = MARGIN + (inner - width) / 2;
            for number in row.iter() {
                let place = &mut places[*number];
                place.x = left + place.width / 2;
                left += place.width + GAP;
            }
        }
    }
    inner
}

/// Returns the path of a line: a curve from each place to the next.
fn path(way: &[usize], places: &[Place]) -> String {
    let mut path = String::new();
    for pair in way.windows(2) {
        let (from, to) = (&places[pair[0]], &places[pair[1]]);
        let (start, middle) = (from.y + HEIGHT, usize::midpoint(from.y + HEIGHT, to.y));
        // Writing to a string cannot fail.
        let _ = if from.node.is_some() {
            write!(path, "M{} {start}", from.x)
        } else {
            write!(path, "V{start}")
        };
        let _ = write!(
            path,
            "C{} {middle} {} {middle} {} {}",
            from.x, to.x, to.x, to.y
        );
    }
    path
}
