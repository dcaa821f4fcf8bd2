//! The keys of a flow and of its nodes.

use std::time::Duration;

use super::kinds;
use crate::tool::DefinitionError;
use crate::tool::flow::{AgentNode, Branches, Flow, FlowError, FlowNeed, FlowNode, NodeKind, link};
use crate::tool::implementation::element::{condition, read_condition};
use crate::tool::reader::Reader;
use crate::tool::template::{Template, ValueTemplate};
use crate::yaml::Entry;
use crate::{Expected, text::Span};

/// The keys of a flow.
const KEYS: [&str; 2] = ["nodes", "output"];
/// The keys of a node besides its kind.
const NODE_KEYS: [&str; 7] = ["needs", "when", "retry", "timeout", "cache", "then", "else"];
/// The keys under `retry`.
const RETRY_KEYS: [&str; 4] = ["times", "delay", "backoff", UNTIL];
const UNTIL: &str = "until";
/// How often a node with checks is run again, unless it says so.
const TIMES_UNTIL: u32 = 3;
/// The longest name of a node.
const MAX_ID: usize = 64;

/// Reads the map; errors go to the reader.
pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Flow> {
    let Some(entries) = entry.value.entries() else {
        reader.report_kind(&entry.key, Expected::Flow, &entry.value);
        return None;
    };
    let (mut nodes, mut output) = (Some(Vec::new()), None);
    for entry in entries {
        match entry.key.as_str() {
            "nodes" => nodes = read_nodes(entry, reader),
            "output" => output = Some(ValueTemplate::read(&entry.value, reader.text())),
            _ => reader.report_unknown_key(entry, &KEYS),
        }
    }
    let mut nodes = nodes?;
    let problem = match nodes.len() {
        0 => Some(FlowError::Empty),
        count if count > Flow::MAX_NODES => Some(FlowError::TooMany(count)),
        _ => None,
    };
    if let Some(problem) = problem {
        reader.report(&problem.into(), entry.span);
        return None;
    }
    let parameters = reader.parameter_names().to_vec();
    let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
    for (error, location) in link(&mut nodes, output.as_ref(), &parameters, reader.text()) {
        reader.report_at(&error.into(), location);
    }
    Some(Flow::new(nodes, output))
}

fn read_nodes(entry: &Entry, reader: &mut Reader<'_>) -> Option<Vec<FlowNode>> {
    let Some(entries) = entry.value.entries() else {
        reader.report_kind(&entry.key, Expected::Nodes, &entry.value);
        return None;
    };
    let nodes = entries.iter().map(|entry| read_node(entry, reader));
    // Every node is read, so that one pass reports all errors.
    let nodes: Vec<Option<FlowNode>> = nodes.collect();
    nodes.into_iter().collect()
}

fn read_node(node: &Entry, reader: &mut Reader<'_>) -> Option<FlowNode> {
    if !is_id(&node.key) {
        reader.report(&FlowError::Name(node.key.clone()).into(), node.span);
    }
    let Some(entries) = node.value.entries() else {
        reader.report_kind(&node.key, Expected::Node, &node.value);
        return None;
    };
    let mut kinds = Vec::new();
    let mut read = FlowNode::new(node.key.clone(), node.span);
    let (mut yes, mut no) = (None, None);
    for entry in entries {
        match entry.key.as_str() {
            "needs" => read.named = needs(entry, reader),
            "when" => read.when = read_condition(entry, reader),
            "retry" => retry(entry, &mut read, reader),
            "timeout" => read.timeout = reader.timeout(entry),
            "cache" => match entry.value.to_json().as_bool() {
                Some(is_cached) => read.is_cached = is_cached,
                None => reader.report_kind(&entry.key, Expected::Bool, &entry.value),
            },
            "then" => yes = kinds::target(entry, reader),
            "else" => no = kinds::target(entry, reader),
            key if NodeKind::NAMES.contains(&key) => kinds.push(entry),
            _ => {
                let known: Vec<&'static str> =
                    NodeKind::NAMES.iter().chain(&NODE_KEYS).copied().collect();
                reader.report_unknown_key(entry, &known);
            }
        }
    }
    let [kind] = kinds.as_slice() else {
        reader.report(&FlowError::one_kind().into(), node.span);
        return None;
    };
    read.kind = kinds::read(kind, reader)?;
    match (yes, no, &mut read.kind) {
        (None, None, _) => {}
        (Some(yes), Some(no), NodeKind::Agent(AgentNode { branches, .. })) => {
            *branches = Some(Branches { yes, no });
        }
        _ => reader.report(&FlowError::Branches.into(), node.span),
    }
    Some(read)
}

/// Whether `id` can be a variable of templates and a part of a file's name.
fn is_id(id: &str) -> bool {
    let is_other = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    id.len() <= MAX_ID
        && id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(is_other)
}

/// What a node names: `x`, or `x?` if it runs without the result of `x`, too.
fn needs(entry: &Entry, reader: &mut Reader<'_>) -> Vec<(FlowNeed, Span)> {
    let Some(items) = entry.value.items() else {
        reader.report_kind(&entry.key, Expected::Names, &entry.value);
        return Vec::new();
    };
    let mut needs = Vec::new();
    for item in items {
        match item.text() {
            Some(name) => {
                let bare = name.strip_suffix('?');
                let need = FlowNeed {
                    node: bare.unwrap_or(name).to_owned(),
                    is_optional: bare.is_some(),
                };
                needs.push((need, item.span));
            }
            None => reader.report_kind(&entry.key, Expected::Names, item),
        }
    }
    needs
}

fn retry(entry: &Entry, node: &mut FlowNode, reader: &mut Reader<'_>) {
    let Some(entries) = entry.value.entries() else {
        reader.report_kind(&entry.key, Expected::Map, &entry.value);
        return;
    };
    let retry = &mut node.retry;
    if entries.iter().any(|entry| entry.key == UNTIL) {
        retry.times = TIMES_UNTIL;
    }
    for entry in entries {
        let value = entry.value.to_json();
        let number = value
            .as_f64()
            .filter(|number| *number >= 0.0 && !value.is_string());
        match (entry.key.as_str(), number) {
            ("times", Some(_)) if value.as_u64().is_some() => {
                let times = value.as_u64().and_then(|times| u32::try_from(times).ok());
                retry.times = times.unwrap_or(u32::MAX);
            }
            ("delay", Some(seconds)) => {
                let delay = Duration::try_from_secs_f64(seconds);
                retry.delay = delay.unwrap_or(Duration::MAX);
            }
            ("backoff", Some(factor)) => retry.backoff = factor,
            (UNTIL, _) => node.until = checks(entry, reader),
            ("times", _) => reader.report_kind(&entry.key, Expected::Count, &entry.value),
            ("delay" | "backoff", None) => {
                reader.report_kind(&entry.key, Expected::Positive, &entry.value);
            }
            _ => reader.report_unknown_key(entry, &RETRY_KEYS),
        }
    }
}

/// A condition, or several.
fn checks(entry: &Entry, reader: &mut Reader<'_>) -> Vec<Template> {
    let single = std::slice::from_ref(&entry.value);
    let nodes = entry.value.items().unwrap_or(single);
    if nodes.is_empty() {
        reader.report(&DefinitionError::Empty(UNTIL), entry.span);
    }
    let check = |node| condition(UNTIL, node, reader);
    nodes.iter().filter_map(check).collect()
}
