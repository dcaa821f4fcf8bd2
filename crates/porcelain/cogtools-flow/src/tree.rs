//! The graph of a flow in a terminal, drawn as `cargo tree` draws dependencies: below each node
//! stand those that need it. What is below a node is drawn once; `(*)` marks the other places.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use cogtools_core::tool::{Flow, FlowNode};

/// How deep nodes are indented; deeper ones stand in the same column.
const MAX_DEPTH: usize = 40;

/// A graph that is being drawn.
struct Tree<'f> {
    /// The nodes that need each node, in the order of the file, and whether they run without it.
    dependents: BTreeMap<&'f str, Vec<(&'f FlowNode, bool)>>,
    drawn: BTreeSet<&'f str>,
    text: String,
}

/// A node that is to be drawn.
struct Branch<'f> {
    node: &'f FlowNode,
    /// What is drawn to the left of it on its own line.
    head: String,
    /// The same on the lines below it.
    rest: String,
}

/// The graph of `flow`: a line for each node, and one more for each further need.
pub(crate) fn draw(flow: &Flow) -> String {
    let mut dependents: BTreeMap<&str, Vec<(&FlowNode, bool)>> = BTreeMap::new();
    for node in flow.nodes() {
        for need in &node.needs {
            let of_need = dependents.entry(&need.node).or_default();
            of_need.push((node, need.is_optional));
        }
    }
    let mut tree = Tree {
        dependents,
        drawn: BTreeSet::new(),
        text: String::new(),
    };
    let roots = flow.nodes().iter().rev();
    let roots = roots.filter(|node| node.needs.is_empty());
    let root = |node| Branch {
        node,
        head: String::new(),
        rest: String::new(),
    };
    tree.grow(roots.map(root).collect());
    tree.text
}

impl<'f> Tree<'f> {
    /// Draws the last of `branches` first. A flow can be deeper than the stack of a thread.
    fn grow(&mut self, mut branches: Vec<Branch<'f>>) {
        while let Some(Branch { node, head, rest }) = branches.pop() {
            let is_first = self.drawn.insert(&node.id);
            let below = self.dependents.get(node.id.as_str());
            let below = below.map_or(&[][..], Vec::as_slice);
            // Writing to a string cannot fail.
            let _ = if is_first {
                writeln!(self.text, "{head}{}", label(node))
            } else {
                let mark = if below.is_empty() { "" } else { " (*)" };
                writeln!(self.text, "{head}{}{mark}", node.id)
            };
            if !is_first {
                continue;
            }
            let last = below.len().saturating_sub(1);
            for (index, (dependent, is_optional)) in below.iter().enumerate().rev() {
                branches.push(branch(dependent, &rest, index == last, *is_optional));
            }
        }
    }
}

fn branch<'f>(node: &'f FlowNode, left: &str, is_last: bool, is_optional: bool) -> Branch<'f> {
    let corner = if is_last { '└' } else { '├' };
    let line = if is_optional { "╌╌" } else { "──" };
    let rest = if is_last { "    " } else { "│   " };
    let is_deep = left.chars().count() >= 4 * MAX_DEPTH;
    Branch {
        node,
        head: format!("{left}{corner}{line} "),
        rest: format!("{left}{}", if is_deep { "" } else { rest }),
    }
}

/// A node with its kind and what it uses.
fn label(node: &FlowNode) -> String {
    let tool = node.tool().into_iter();
    let uses: Vec<&str> = tool
        .chain(node.among().iter().map(String::as_str))
        .collect();
    let targets = node.targets();
    let mut label = format!("{}: {}", node.id, node.kind());
    if !uses.is_empty() {
        let _ = write!(label, " {}", uses.join(", "));
    }
    if !targets.is_empty() {
        let _ = write!(label, " -> {}", targets.join(", "));
    }
    label
}
