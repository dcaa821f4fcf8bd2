//! The keys of a flow, of its nodes, and of their kinds.

use serde_json::Value;

use crate::Expected;
use crate::schema::Schema;
use crate::text::Span;
use crate::tool::agent::Agent;
use crate::tool::capability::is_capability;
use crate::tool::error::{DefinitionError, FlowError, MAX_NODES};
use crate::tool::flow::Flow;
use crate::tool::flow::link;
use crate::tool::flow::node::{
    AgentNode, AskNode, EachNode, FlowNeed, FlowNode, NodeKind, Route, ToolNode,
};
use crate::tool::js::Js;
use crate::tool::reader::Reader;
use crate::tool::template::{Template, ValueTemplate};
use crate::yaml::{Data, Entry};

/// The keys of a flow.
const KEYS: [&str; 2] = ["nodes", "output"];
/// The keys of a node besides its kind.
const NODE_KEYS: [&str; 8] = [
    "needs", "when", "retry", "timeout", "cache", "then", "else", TOOLS,
];
/// The key beside `js` with the tools that the code calls.
const TOOLS: &str = "tools";
/// The keys under `retry`.
const RETRY_KEYS: [&str; 4] = ["times", "delay", "backoff", UNTIL];
const UNTIL: &str = "until";
/// The number of times that a node with checks is run again, unless it says so.
const TIMES_UNTIL: u32 = 3;
/// The longest delay of a retry, in seconds: an hour.
const MAX_DELAY: u32 = 3_600;
/// The largest factor by which the delay grows.
const MAX_BACKOFF: u32 = 100;
/// The longest name of a node.
const MAX_ID: usize = 64;
/// The keys of a node that calls a tool.
const TOOL_KEYS: [&str; 5] = ["name", "capability", "among", "arguments", "preset"];
/// The keys of a question to the user.
const ASK_KEYS: [&str; 4] = ["text", "reply", "default", "timeout"];
/// The keys of a choice of a router.
const ROUTE_KEYS: [&str; 2] = ["when", "to"];
/// The keys of `each` besides its kind.
const EACH_KEYS: [&str; 5] = ["in", "as", "max", "errors", TOOLS];
/// The values of `errors`.
const ERRORS: [&str; 2] = ["fail", "keep"];
/// The kinds of an item of `each`.
const EACH_KINDS: [&str; 4] = ["agent", "tool", "text", "js"];
/// The number of items that are worked on at the same time, unless a node says so.
const MAX_ITEMS_AT_ONCE: usize = 4;

/// Reads the map; errors go to the reader.
pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Flow> {
    let (mut nodes, mut output) = (Some(Vec::new()), None);
    for entry in reader.entries(entry, Expected::Flow)? {
        match entry.key.as_str() {
            "nodes" => nodes = read_nodes(entry, reader),
            "output" => output = Some(ValueTemplate::read(&entry.value, reader.text())),
            _ => reader.report_unknown_key(entry, &KEYS),
        }
    }
    let mut nodes = nodes?;
    let problem = match nodes.len() {
        0 => Some(FlowError::Empty),
        count if count > MAX_NODES => Some(FlowError::TooMany(count)),
        _ => None,
    };
    if let Some(problem) = problem {
        reader.report(problem, entry.span);
        return None;
    }
    let parameters: Vec<&str> = reader.parameters.iter().map(String::as_str).collect();
    for (error, location) in link(&mut nodes, output.as_ref(), &parameters, reader.text()) {
        reader.report_at(error, location);
    }
    Some(Flow { nodes, output })
}

fn read_nodes(entry: &Entry, reader: &mut Reader<'_>) -> Option<Vec<FlowNode>> {
    let entries = reader.entries(entry, Expected::Nodes)?;
    let nodes = entries.iter().map(|entry| read_node(entry, reader));
    // Every node is read, so that one pass reports all errors.
    let nodes: Vec<Option<FlowNode>> = nodes.collect();
    nodes.into_iter().collect()
}

fn read_node(node: &Entry, reader: &mut Reader<'_>) -> Option<FlowNode> {
    if !is_id(&node.key) {
        reader.report(FlowError::Name(node.key.clone()), node.span);
    }
    let entries = reader.entries(node, Expected::Node)?;
    let mut kinds = Vec::new();
    let mut read = FlowNode {
        id: node.key.clone(),
        span: node.span,
        ..FlowNode::default()
    };
    let (mut yes, mut no, mut tools) = (None, None, None);
    for entry in entries {
        match entry.key.as_str() {
            "needs" => read.named = needs(entry, reader),
            "when" => read.when = reader.when(entry),
            "retry" => retry(entry, &mut read, reader),
            "timeout" => read.timeout = reader.timeout(entry),
            "cache" => {
                let is_cached = entry.value.to_json().as_bool();
                let is_cached = reader.expect(entry, Expected::Bool, is_cached);
                read.is_cached = is_cached.unwrap_or(read.is_cached);
            }
            "then" => yes = target(entry, reader),
            "else" => no = target(entry, reader),
            TOOLS => tools = Some(entry),
            key if NodeKind::NAMES.contains(&key) => kinds.push(entry),
            _ => {
                let known: [&[&str]; 2] = [&NodeKind::NAMES, &NODE_KEYS];
                report_unknown(entry, entries, &known.concat(), reader);
            }
        }
    }
    let [kind] = kinds.as_slice() else {
        let has_each = kinds.iter().any(|kind| kind.key == "each");
        let inner = kinds
            .iter()
            .find(|kind| EACH_KINDS.contains(&kind.key.as_str()));
        let (error, span) = match inner.filter(|_| has_each) {
            Some(inner) => (FlowError::BesideEach(inner.key.clone()), inner.span),
            None => (FlowError::one_of(&NodeKind::NAMES), node.span),
        };
        reader.report(error, span);
        return None;
    };
    read.kind = read_kind(kind, tools, reader)?;
    match (yes, no, &mut read.kind) {
        (None, None, _) => {}
        (Some(yes), Some(no), NodeKind::Agent(agent)) => {
            agent.branches = Some([yes, no]);
        }
        _ => reader.report(FlowError::Branches, node.span),
    }
    Some(read)
}

/// Reports a key that is none of `known`; a key of a call belongs under `tool` beside it.
fn report_unknown(
    entry: &Entry,
    beside: &[Entry],
    known: &[&'static str],
    reader: &mut Reader<'_>,
) {
    let key = entry.key.as_str();
    let tool = beside.iter().find(|it| it.key == "tool");
    let Some(tool) = tool.filter(|_| TOOL_KEYS.contains(&key)) else {
        return reader.report_unknown_key(entry, known);
    };
    let name = tool.value.text().or_else(|| tool.value.get("name")?.text());
    let meant = format!("write `tool: {{name: {}, {key}: …}}`", name.unwrap_or("…"));
    let error = DefinitionError::UnknownKey(key.to_owned(), Some(meant.into()));
    reader.report(error, entry.span);
}

/// Returns true if `id` can be a variable of templates and a part of a file's name.
fn is_id(id: &str) -> bool {
    let is_other = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    id.len() <= MAX_ID
        && id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(is_other)
}

/// Reads the nodes that a node needs: `x`, or `x?` if it runs without the result of `x`, too.
fn needs(entry: &Entry, reader: &mut Reader<'_>) -> Vec<(FlowNeed, Span)> {
    let need = |(name, span): (String, Span)| {
        let bare = name.strip_suffix('?');
        let need = FlowNeed {
            node: bare.unwrap_or(&name).to_owned(),
            is_optional: bare.is_some(),
            may_fail: bare.is_some(),
            reads_error: false,
        };
        (need, span)
    };
    reader.texts(entry).into_iter().map(need).collect()
}

fn retry(entry: &Entry, node: &mut FlowNode, reader: &mut Reader<'_>) {
    let entries = reader.entries(entry, Expected::Map).unwrap_or_default();
    let retry = &mut node.retry;
    if entries.iter().any(|entry| entry.key == UNTIL) {
        retry.times = TIMES_UNTIL;
    }
    for entry in entries {
        let value = entry.value.to_json();
        let number = entry.value.number().filter(|number| *number >= 0.0);
        match (entry.key.as_str(), number) {
            ("times", Some(_)) if value.as_u64().is_some() => {
                let times = value.as_u64().and_then(|times| u32::try_from(times).ok());
                retry.times = times.unwrap_or(u32::MAX);
            }
            ("delay", Some(seconds)) if seconds > f64::from(MAX_DELAY) => {
                reader.report(FlowError::Retry("delay", MAX_DELAY), entry.span);
            }
            ("backoff", Some(factor)) if factor > f64::from(MAX_BACKOFF) => {
                reader.report(FlowError::Retry("backoff", MAX_BACKOFF), entry.span);
            }
            ("delay", Some(seconds)) => retry.delay = seconds,
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

/// Reads a condition, or several.
fn checks(entry: &Entry, reader: &mut Reader<'_>) -> Vec<Template> {
    let nodes = entry.value.one_or_more();
    if nodes.is_empty() {
        reader.report(DefinitionError::Empty(UNTIL), entry.span);
    }
    let check = |node| reader.condition(UNTIL, node);
    nodes.iter().filter_map(check).collect()
}

/// Reads the entry with the key of a kind, and the entry `tools` beside it.
fn read_kind(entry: &Entry, tools: Option<&Entry>, reader: &mut Reader<'_>) -> Option<NodeKind> {
    if let Some(tools) = tools.filter(|_| entry.key != "js") {
        reader.report(FlowError::Tools, tools.span);
    }
    match entry.key.as_str() {
        "agent" => {
            let (agent, reply) = Agent::read_node(entry, reader)?;
            Some(NodeKind::Agent(Box::new(AgentNode {
                agent,
                reply,
                branches: None,
            })))
        }
        "js" => Js::read(entry, tools, reader).map(NodeKind::Js),
        "tool" => tool(entry, reader).map(|node| NodeKind::Tool(Box::new(node))),
        "router" => router(entry, reader).map(NodeKind::Router),
        "each" => each(entry, reader).map(|each| NodeKind::Each(Box::new(each))),
        "ask" => ask(entry, reader).map(|ask| NodeKind::Ask(Box::new(ask))),
        _ => text(entry, reader).map(NodeKind::Text),
    }
}

/// Reads the name of a node.
fn target(entry: &Entry, reader: &mut Reader<'_>) -> Option<(String, Span)> {
    let name = reader.expect(entry, Expected::String, entry.value.text())?;
    Some((name.to_owned(), entry.value.span))
}

fn text(entry: &Entry, reader: &mut Reader<'_>) -> Option<ValueTemplate> {
    let is_null = matches!(entry.value.data, Data::Null);
    let value = (!is_null).then(|| ValueTemplate::read(&entry.value, reader.text()));
    reader.expect(entry, Expected::String, value)
}

/// Reads a question: a text, or a map.
fn ask(entry: &Entry, reader: &mut Reader<'_>) -> Option<AskNode> {
    let (mut question, mut reply, mut default, mut timeout) = (None, None, None, None);
    if entry.value.entries().is_none() {
        question = text(entry, reader);
    }
    for entry in entry.value.entries().into_iter().flatten() {
        match entry.key.as_str() {
            "text" => question = text(entry, reader),
            "reply" => reply = reader.schema(Schema::expand(&entry.value)),
            "default" => default = Some((entry.value.to_json(), entry.span)),
            "timeout" => timeout = reader.timeout(entry),
            _ => reader.report_unknown_key(entry, &ASK_KEYS),
        }
    }
    if entry.value.entries().is_some() && question.is_none() {
        reader.report(DefinitionError::Missing("text"), entry.span);
    }
    if let (Some(reply), Some((default, span))) = (&reply, &default)
        && let Some(fault) = fault_of(default, reply)
    {
        reader.report(FlowError::Default(fault), *span);
    }
    Some(AskNode {
        text: question?,
        reply,
        default: default.map(|(default, _)| default),
        timeout,
    })
}

/// Why `answer` is none that `reply` allows.
fn fault_of(answer: &Value, reply: &Schema) -> Option<String> {
    let validator = reply.validator().ok()?;
    let violations = validator.violations(reply, answer);
    let first = violations.first()?;
    let kind = first.kind.to_string();
    Some(match first.pointer.trim_start_matches('/') {
        "" => kind,
        name => format!("{name}: {kind}"),
    })
}

fn tool(entry: &Entry, reader: &mut Reader<'_>) -> Option<ToolNode> {
    let mut node = ToolNode {
        name: None,
        capability: None,
        among: Vec::new(),
        arguments: ValueTemplate::Map(Vec::new()),
        preset: None,
    };
    if entry.value.text().is_some() {
        node.name = text(entry, reader);
        return Some(node);
    }
    for entry in reader.entries(entry, Expected::Map)? {
        match entry.key.as_str() {
            "name" => node.name = text(entry, reader),
            "capability" => node.capability = text(entry, reader),
            "among" => node.among = reader.capabilities(entry),
            "preset" => node.preset = Some(entry.value.to_json()),
            "arguments" if entry.value.entries().is_some() || entry.value.text().is_some() => {
                node.arguments = ValueTemplate::read(&entry.value, reader.text());
            }
            "arguments" => reader.report_kind(&entry.key, Expected::Map, &entry.value),
            _ => reader.report_unknown_key(entry, &TOOL_KEYS),
        }
    }
    if let Some(ValueTemplate::Constant(Value::String(name))) = &node.capability
        && !is_capability(name)
    {
        reader.report(DefinitionError::Capability(name.clone()), entry.span);
    }
    if node.name.is_some() == node.capability.is_some() {
        reader.report(FlowError::OneTarget, entry.span);
        return None;
    }
    Some(node)
}

fn router(entry: &Entry, reader: &mut Reader<'_>) -> Option<Vec<Route>> {
    let items = entry.value.items().filter(|items| !items.is_empty());
    let items = reader.expect(entry, Expected::Routes, items)?;
    let routes = items.iter().map(|item| {
        let Some(entries) = item.entries() else {
            reader.report_kind(&entry.key, Expected::Routes, item);
            return None;
        };
        let (mut when, mut to) = (None, None);
        for entry in entries {
            match entry.key.as_str() {
                "when" => when = Some(reader.when(entry)?),
                "to" => to = target(entry, reader),
                _ => reader.report_unknown_key(entry, &ROUTE_KEYS),
            }
        }
        let to = reader.required(to, "to", item.span)?;
        Some(Route { when, to })
    });
    let routes: Vec<Option<Route>> = routes.collect();
    routes.into_iter().collect()
}

fn each(entry: &Entry, reader: &mut Reader<'_>) -> Option<EachNode> {
    let (mut list, mut variable, mut kinds) = (None, "item".to_owned(), Vec::new());
    let mut tools = None;
    let (mut max, mut keeps_errors) = (MAX_ITEMS_AT_ONCE, false);
    let entries = reader.entries(entry, Expected::Map)?;
    for entry in entries {
        match entry.key.as_str() {
            "in" => list = text(entry, reader),
            "as" => variable = target(entry, reader)?.0,
            "max" => max = reader.positive(entry).unwrap_or(max),
            "errors" => match entry.value.text() {
                Some(value) if ERRORS.contains(&value) => keeps_errors = value == "keep",
                _ => reader.report(FlowError::Errors, entry.span),
            },
            TOOLS => tools = Some(entry),
            key if EACH_KINDS.contains(&key) => kinds.push(entry),
            _ => {
                let known: [&[&str]; 2] = [&EACH_KINDS, &EACH_KEYS];
                report_unknown(entry, entries, &known.concat(), reader);
            }
        }
    }
    let [kind] = kinds.as_slice() else {
        reader.report(FlowError::one_of(&EACH_KINDS), entry.span);
        return None;
    };
    let kind = read_kind(kind, tools, reader)?;
    Some(EachNode {
        list: reader.required(list, "in", entry.span)?,
        variable,
        max,
        keeps_errors,
        kind,
    })
}
