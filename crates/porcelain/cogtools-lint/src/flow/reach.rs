//! Which nodes of a flow can run, and which results are used.

use std::collections::{BTreeMap, BTreeSet};

use cogtools_core::text::Text;
use cogtools_core::tool::{Flow, FlowNode};

/// The choices that a node needs: of each router, the node that it has to choose.
type Choices<'f> = BTreeMap<&'f str, &'f str>;

/// The nodes that never run, each with the router and the two nodes of which it would need both.
pub(crate) fn contradictions(flow: &Flow) -> Vec<(&str, [&str; 3])> {
    let mut known: BTreeMap<&str, Choices<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for node in sorted(flow) {
        let mut choices = Choices::new();
        if let [router] = node.routers.as_slice() {
            choices.insert(router, &node.id);
        }
        let needs = node.needs.iter().filter(|need| !need.is_optional);
        let needed = needs.filter_map(|need| known.get(need.node.as_str()));
        let mut problem = None;
        for (router, chosen) in needed.flatten() {
            let other = *choices.entry(router).or_insert(chosen);
            if other != *chosen && problem.is_none() {
                problem = Some((node.id.as_str(), [*router, other, *chosen]));
            }
        }
        if problem.is_some() {
            // What needs it never runs either, which is one mistake.
            choices.clear();
        }
        found.extend(problem);
        known.insert(&node.id, choices);
    }
    found
}

/// The nodes, each after the ones that it needs.
fn sorted(flow: &Flow) -> Vec<&FlowNode> {
    let mut order: Vec<&FlowNode> = Vec::new();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    loop {
        let is_ready = |node: &&FlowNode| {
            let mut needs = node.needs.iter();
            !done.contains(node.id.as_str()) && needs.all(|need| done.contains(need.node.as_str()))
        };
        let ready: Vec<&FlowNode> = flow.nodes().iter().filter(is_ready).collect();
        if ready.is_empty() {
            return order;
        }
        done.extend(ready.iter().map(|node| node.id.as_str()));
        order.extend(ready);
    }
}

/// The choices of routers that are never taken: the router, the number of the choice, the node.
pub(crate) fn untaken(flow: &Flow) -> Vec<(&str, usize, &str)> {
    let of = |node: &'_ FlowNode| -> Option<usize> {
        let routes = node.routes();
        let first = routes.iter().position(|route| !route.is_conditional)?;
        (first + 1 < routes.len()).then_some(first + 1)
    };
    let nodes = flow.nodes().iter();
    let found = nodes.filter_map(|node| Some((node, of(node)?)));
    let found = found.map(|(node, at)| (node.id.as_str(), at, node.targets()[at]));
    found.collect()
}

/// Routers that may choose nothing.
pub(crate) fn without_fallback(flow: &Flow) -> Vec<&str> {
    let has_none = |node: &&FlowNode| {
        let routes = node.routes();
        !routes.is_empty() && routes.iter().all(|route| route.is_conditional)
    };
    let nodes = flow.nodes().iter().filter(has_none);
    nodes.map(|node| node.id.as_str()).collect()
}

/// Names that templates read, besides variables of their own.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    names: BTreeSet<String>,
    /// True if code may read any of them.
    has_code: bool,
}

impl Uses {
    pub(crate) fn of(flow: &Flow, text: &Text) -> Self {
        let mut names = BTreeSet::new();
        for template in flow.sources(text) {
            let own = template.node.map(|node| node.id.as_str());
            let reads = njk::analyse(template.source.source()).map(|found| found.reads);
            let reads = reads.unwrap_or_default().into_iter().map(|read| read.name);
            names.extend(reads.filter(|name| own != Some(name.as_str())));
        }
        let nodes = flow.nodes().iter();
        let needs = nodes.clone().flat_map(|node| &node.needs);
        names.extend(needs.map(|need| need.node.clone()));
        Self {
            names,
            has_code: nodes.clone().any(|node| node.innermost_kind() == "js"),
        }
    }

    /// Returns true if a parameter is used.
    pub(crate) fn has_parameter(&self, name: &str) -> bool {
        self.has_code || self.names.contains(name)
    }

    /// Returns true if the result of a node is used, or running it has a purpose of its own.
    pub(crate) fn has_node(&self, node: &FlowNode) -> bool {
        self.names.contains(&node.id)
            || node.is_router()
            || matches!(node.innermost_kind(), "tool" | "agent" | "ask")
    }
}
