//! The edges of a flow: the nodes that other nodes name under `needs`, mention in templates, or
//! choose as routers.

use std::collections::{BTreeMap, BTreeSet};

use super::node::{FlowNeed, FlowNode, INDEX};
use crate::Location;
use crate::suggest::did_you_mean;
use crate::text::{Span, Text};
use crate::tool::error::FlowError;
use crate::tool::template::{TemplateSource, ValueTemplate};

type Problems = Vec<(FlowError, Location)>;

/// Links the `nodes` of a flow with these parameters, in the file `text`, and returns the errors of
/// its edges, each with its place.
pub(super) fn link(
    nodes: &mut [FlowNode],
    output: Option<&ValueTemplate>,
    parameters: &[&str],
    text: &Text,
) -> Problems {
    let ids: BTreeSet<String> = nodes.iter().map(|node| node.id.clone()).collect();
    let mut linker = Linker {
        ids: &ids,
        parameters,
        text,
        problems: Vec::new(),
    };
    for node in nodes.iter_mut() {
        if parameters.contains(&node.id.as_str()) {
            linker.report(
                FlowError::Parameter(node.id.clone()),
                text.location(node.span),
            );
        }
        node.needs = linker.needs(node);
    }
    let output = output.map_or_else(Vec::new, ValueTemplate::templates);
    let mut mentions = Vec::new();
    for template in output {
        mentions.extend(linker.mentions(&TemplateSource::inline(template, text), &[]));
    }
    let needs = nodes.iter().flat_map(|node| &node.needs).chain(&mentions);
    let needs = needs.filter(|need| need.reads_error);
    let keeps_error: BTreeSet<String> = needs.map(|need| need.node.clone()).collect();
    let chosen = linker.choices(nodes);
    let mut problems = linker.problems;
    for node in nodes.iter_mut() {
        let routers = chosen.get(&node.id).into_iter().flatten();
        node.routers = routers.cloned().collect();
        node.keeps_error = keeps_error.contains(&node.id);
        let is_optional = node.routers.len() > 1;
        for router in node.routers.clone() {
            let need = FlowNeed {
                node: router,
                is_optional,
                reads_error: false,
            };
            add(&mut node.needs, need);
        }
    }
    problems.extend(cycle(nodes).map(|(error, node)| (error, text.location(nodes[node].span))));
    problems
}

struct Linker<'l> {
    ids: &'l BTreeSet<String>,
    parameters: &'l [&'l str],
    text: &'l Text,
    problems: Problems,
}

impl Linker<'_> {
    fn report(&mut self, error: FlowError, location: Location) {
        self.problems.push((error, location));
    }

    /// Returns the nodes that `node` names and mentions.
    fn needs(&mut self, node: &FlowNode) -> Vec<FlowNeed> {
        let mut needs = Vec::new();
        for (need, span) in &node.named {
            if self.check_node(&need.node, *span) {
                add(&mut needs, need.clone());
            }
        }
        let text = self.text;
        let source = |template| TemplateSource::inline(template, text);
        let own = node.item_variable().into_iter();
        let own: Vec<&str> = own.flat_map(|item| [item, INDEX]).collect();
        let mut sources: Vec<TemplateSource> = node.templates().into_iter().map(source).collect();
        let agent = node.kind.agent();
        sources.extend(agent.map(|it| it.agent.sources(text)).unwrap_or_default());
        let mut mentions: Vec<FlowNeed> = sources
            .iter()
            .flat_map(|source| self.mentions(source, &own))
            .collect();
        let with_result: Vec<&str> = own.into_iter().chain([node.id.as_str()]).collect();
        for check in &node.until {
            mentions.extend(self.mentions(&source(check), &with_result));
        }
        for mention in mentions {
            // What is named is named for a reason.
            let is_named = node.named.iter().any(|(need, _)| need.node == mention.node);
            match needs.iter_mut().find(|need| need.node == mention.node) {
                Some(need) if is_named => need.reads_error |= mention.reads_error,
                _ if is_named => {}
                _ => add(&mut needs, mention),
            }
        }
        needs
    }

    /// Returns the nodes that a template mentions, which has the variables `own` besides.
    fn mentions(&mut self, source: &TemplateSource, own: &[&str]) -> Vec<FlowNeed> {
        // What does not compile is reported when the template is checked.
        let reads = njk::analyse(source.source()).map(|found| found.reads);
        let mut needs = Vec::new();
        for read in reads.unwrap_or_default() {
            let name = read.name.as_str();
            let is_node = self.ids.contains(name);
            // A node or a parameter keeps its name beside the number of an item.
            let is_own = own.contains(&name) && (name != INDEX || !is_node);
            if is_own || self.parameters.contains(&name) {
                continue;
            }
            if is_node {
                needs.push(FlowNeed {
                    reads_error: reads_error(source.source(), name),
                    node: read.name,
                    is_optional: read.guarded,
                });
                continue;
            }
            let known = self.ids.iter().map(String::as_str);
            let known = known
                .chain(self.parameters.iter().copied())
                .chain(own.iter().copied());
            let meant = did_you_mean(name, known);
            let width = name.chars().count();
            let location = source.location(read.line, read.column, width);
            self.report(FlowError::UnknownVariable(read.name, meant), location);
        }
        needs
    }

    /// Returns the routers that choose each node.
    fn choices(&mut self, nodes: &[FlowNode]) -> BTreeMap<String, BTreeSet<String>> {
        let mut choices: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for node in nodes {
            for (target, span) in node.kind.targets() {
                if self.check_node(target, *span) {
                    choices
                        .entry(target.clone())
                        .or_default()
                        .insert(node.id.clone());
                }
            }
        }
        choices
    }

    /// Returns true if there is a node `id`, and reports it if not.
    fn check_node(&mut self, id: &str, span: Span) -> bool {
        let exists = self.ids.contains(id);
        if !exists {
            let meant = did_you_mean(id, self.ids.iter().map(String::as_str));
            let location = self.text.location(span);
            self.report(FlowError::UnknownNode(id.to_owned(), meant), location);
        }
        exists
    }
}

/// Returns true if a template reads `NODE.error`.
fn reads_error(template: &str, node: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let path = format!("{node}.error");
    template.match_indices(&path).any(|(at, _)| {
        let before = template[..at].chars().next_back();
        let after = template[at + path.len()..].chars().next();
        !before.is_some_and(|c| is_name(c) || c == '.') && !after.is_some_and(is_name)
    })
}

/// Adds a need. What is needed twice is optional only if it is both times.
fn add(needs: &mut Vec<FlowNeed>, need: FlowNeed) {
    match needs.iter_mut().find(|other| other.node == need.node) {
        Some(other) => {
            other.is_optional &= need.is_optional;
            other.reads_error |= need.reads_error;
        }
        None => needs.push(need),
    }
}

/// Finds nodes that need each other, and one of them.
fn cycle(nodes: &[FlowNode]) -> Option<(FlowError, usize)> {
    let ids = nodes.iter().map(|node| node.id.as_str());
    let index: BTreeMap<&str, usize> = ids.zip(0..).collect();
    let needs_of = |node: &FlowNode| {
        let needs = node.needs.iter();
        needs
            .filter_map(|need| index.get(need.node.as_str()).copied())
            .collect()
    };
    let needs: Vec<Vec<usize>> = nodes.iter().map(needs_of).collect();
    let mut dependents = vec![Vec::new(); nodes.len()];
    for (node, needs) in needs.iter().enumerate() {
        for need in needs {
            dependents[*need].push(node);
        }
    }
    // How many needs of each node have not run yet.
    let mut waits: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut open: BTreeSet<usize> = (0..nodes.len()).collect();
    let mut ready: Vec<usize> = open
        .iter()
        .copied()
        .filter(|node| waits[*node] == 0)
        .collect();
    while let Some(node) = ready.pop() {
        open.remove(&node);
        for dependent in &dependents[node] {
            waits[*dependent] -= 1;
            if waits[*dependent] == 0 {
                ready.push(*dependent);
            }
        }
    }
    let mut path = vec![*open.first()?];
    loop {
        let current = *path.last()?;
        let next = *needs[current].iter().find(|need| open.contains(need))?;
        if let Some(first) = path.iter().position(|node| *node == next) {
            let mut names: Vec<String> = path[first..]
                .iter()
                .map(|node| nodes[*node].id.clone())
                .collect();
            names.extend(names.first().cloned());
            return Some((FlowError::Cycle(names), next));
        }
        path.push(next);
    }
}
