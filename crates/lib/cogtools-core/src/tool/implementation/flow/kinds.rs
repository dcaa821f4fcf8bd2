//! What a node of a flow does, read from its key.

use super::inner;
use crate::Expected;
use crate::text::Span;
use crate::tool::DefinitionError;
use crate::tool::capability;
use crate::tool::flow::{AgentNode, EachNode, FlowError, NodeKind, Route, ToolNode};
use crate::tool::implementation::element::read_condition;
use crate::tool::implementation::{agent, js};
use crate::tool::reader::Reader;
use crate::tool::template::ValueTemplate;
use crate::yaml::{Data, Entry, Node};

/// The keys of a node that calls a tool.
const TOOL_KEYS: [&str; 5] = ["name", "capability", "among", "arguments", "preset"];
/// The keys of a choice of a router.
const ROUTE_KEYS: [&str; 2] = ["when", "to"];
/// The keys of `each`, besides what it does.
const EACH_KEYS: [&str; 3] = ["in", "as", "max"];
/// What `each` can do.
const EACH_KINDS: [&str; 4] = ["agent", "tool", "text", "js"];
/// How many items are worked on at the same time, unless a node says so.
const MAX_ITEMS_AT_ONCE: usize = 4;

/// Reads the entry with the key of a kind.
pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<NodeKind> {
    match entry.key.as_str() {
        "agent" => {
            let (agent, reply) = agent::read_node(entry, reader)?;
            Some(NodeKind::Agent(AgentNode {
                agent: inner(agent),
                reply,
                branches: None,
            }))
        }
        "js" => js::read(entry, reader).map(|code| NodeKind::Js(inner(code))),
        "tool" => tool(entry, reader).map(NodeKind::Tool),
        "router" => router(entry, reader).map(NodeKind::Router),
        "each" => each(entry, reader).map(|each| NodeKind::Each(Box::new(each))),
        "ask" => text(entry, reader).map(NodeKind::Ask),
        _ => text(entry, reader).map(NodeKind::Text),
    }
}

/// The node that an entry names.
pub(super) fn target(entry: &Entry, reader: &mut Reader<'_>) -> Option<(String, Span)> {
    let Some(name) = entry.value.text() else {
        reader.report_kind(&entry.key, Expected::String, &entry.value);
        return None;
    };
    Some((name.to_owned(), entry.value.span))
}

fn text(entry: &Entry, reader: &mut Reader<'_>) -> Option<ValueTemplate> {
    match &entry.value.data {
        Data::Null => {
            reader.report_kind(&entry.key, Expected::String, &entry.value);
            None
        }
        _ => Some(ValueTemplate::read(&entry.value, reader.text())),
    }
}

fn tool(entry: &Entry, reader: &mut Reader<'_>) -> Option<ToolNode> {
    let value = |node: &Node, reader: &Reader<'_>| ValueTemplate::read(node, reader.text());
    let mut node = ToolNode {
        name: None,
        capability: None,
        among: Vec::new(),
        arguments: ValueTemplate::Map(Vec::new()),
        preset: None,
    };
    if entry.value.text().is_some() {
        node.name = Some(value(&entry.value, reader));
        return Some(node);
    }
    let Some(entries) = entry.value.entries() else {
        reader.report_kind(&entry.key, Expected::Map, &entry.value);
        return None;
    };
    for entry in entries {
        match entry.key.as_str() {
            "name" => node.name = text(entry, reader),
            "capability" => node.capability = text(entry, reader),
            "among" => node.among = reader.capabilities(entry),
            "preset" => node.preset = Some(entry.value.to_json()),
            "arguments" if entry.value.entries().is_some() || entry.value.text().is_some() => {
                node.arguments = value(&entry.value, reader);
            }
            "arguments" => reader.report_kind(&entry.key, Expected::Map, &entry.value),
            _ => reader.report_unknown_key(entry, &TOOL_KEYS),
        }
    }
    if let Some(ValueTemplate::Constant(serde_json::Value::String(name))) = &node.capability
        && !capability::is_valid(name)
    {
        reader.report(&DefinitionError::Capability(name.clone()), entry.span);
    }
    if node.name.is_some() == node.capability.is_some() {
        reader.report(&FlowError::OneTarget.into(), entry.span);
        return None;
    }
    Some(node)
}

fn router(entry: &Entry, reader: &mut Reader<'_>) -> Option<Vec<Route>> {
    let items = entry.value.items().filter(|items| !items.is_empty());
    let Some(items) = items else {
        reader.report_kind(&entry.key, Expected::Routes, &entry.value);
        return None;
    };
    let routes = items.iter().map(|item| {
        let Some(entries) = item.entries() else {
            reader.report_kind(&entry.key, Expected::Routes, item);
            return None;
        };
        let (mut when, mut to) = (None, None);
        for entry in entries {
            match entry.key.as_str() {
                "when" => when = Some(read_condition(entry, reader)?),
                "to" => to = target(entry, reader),
                _ => reader.report_unknown_key(entry, &ROUTE_KEYS),
            }
        }
        if to.is_none() {
            reader.report(&DefinitionError::Missing("to"), item.span);
        }
        Some(Route { when, to: to? })
    });
    let routes: Vec<Option<Route>> = routes.collect();
    routes.into_iter().collect()
}

fn each(entry: &Entry, reader: &mut Reader<'_>) -> Option<EachNode> {
    let Some(entries) = entry.value.entries() else {
        reader.report_kind(&entry.key, Expected::Map, &entry.value);
        return None;
    };
    let (mut list, mut variable, mut kinds) = (None, "item".to_owned(), Vec::new());
    let mut max = MAX_ITEMS_AT_ONCE;
    for entry in entries {
        match entry.key.as_str() {
            "in" => list = text(entry, reader),
            "as" => variable = target(entry, reader)?.0,
            "max" => {
                let count = entry.value.to_json().as_u64().filter(|count| *count > 0);
                match count.and_then(|count| usize::try_from(count).ok()) {
                    Some(count) => max = count,
                    None => reader.report_kind(&entry.key, Expected::Positive, &entry.value),
                }
            }
            key if EACH_KINDS.contains(&key) => kinds.push(entry),
            _ => {
                let known: Vec<&'static str> =
                    EACH_KINDS.iter().chain(&EACH_KEYS).copied().collect();
                reader.report_unknown_key(entry, &known);
            }
        }
    }
    let [kind] = kinds.as_slice() else {
        reader.report(&FlowError::one_of(&EACH_KINDS).into(), entry.span);
        return None;
    };
    let kind = read(kind, reader)?;
    let Some(list) = list else {
        reader.report(&DefinitionError::Missing("in"), entry.span);
        return None;
    };
    Some(EachNode {
        list,
        variable,
        max,
        kind,
    })
}
