//! `cogtools flow trace`: what happened to each node of a run, and why.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::Tool;
use cogtools_core::tool::Flow;
use cogtools_log::{NodeState, Route};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::terminal::truncate;
use cogtools_program::{Failure, Io};
use serde_json::Value;

use crate::logged::{LoggedFlow, LoggedNode};
use crate::resume::session_arg;
use crate::target;

/// What a line is about, for the eye and for grep: the run and its nodes, the models, the choice of
/// tools, what a node was given.
const RUNNER: &str = "🧪 Runner";
const AGENT: &str = "🤖 Agent";
const TOOLS: &str = "🛠️ Tools";
const PROPERTIES: &str = "🔍 Properties";
/// What the panel says of a run in which no node asked for a capability.
const NO_TOOL: &str = "no tool was called for a capability; the text stands";
/// How much of a value is shown, in characters.
const MAX_VALUE_CHARS: usize = 100;

/// The command.
pub(crate) fn command() -> Command {
    Command::new("trace")
        .about("Show what happened to each node of a run")
        .arg(session_arg())
        .arg(
            Arg::new("panel")
                .long("panel")
                .action(ArgAction::SetTrue)
                .help("Show only what the last capability was resolved to"),
        )
        .args(RegistryArgs::options())
}

/// Shows the run in the session that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let name = matches.get_one::<String>("session").map(String::as_str);
    let file = cogtools_journal::locate(name, io)?;
    let session = cogtools_journal::read(&file)?;
    let flow = LoggedFlow::read(&session, &file)?;
    let agents = agents(&flow.tool, matches, io);
    if matches.get_flag("panel") {
        return io.show(&panel(&flow, &agents));
    }
    let mut lines = vec![format!(
        "{RUNNER}: {} {}",
        flow.tool,
        short(&Value::Object(flow.arguments.clone()))
    )];
    for node in &flow.nodes {
        let is_agent = agents.iter().any(|id| is_of(&node.id, id));
        lines.extend(of_node(node, is_agent));
    }
    io.show(&format!("{}\n", lines.join("\n")))
}

/// How the tool of the last node that asked for a capability was chosen, or that none did.
fn panel(flow: &LoggedFlow, agents: &[String]) -> String {
    let mut nodes = flow.nodes.iter().rev();
    let route = nodes.find_map(|node| node.route.as_ref());
    let is_agent = |node: &&LoggedNode| agents.iter().any(|id| is_of(&node.id, id));
    let said = || {
        let mut agents = flow.nodes.iter().rev().filter(is_agent);
        agents.find_map(|node| node.output.as_ref())
    };
    let intent = match route {
        Some(route) => route.intent.as_ref(),
        None => said().filter(|said| said.is_object()),
    };
    let none = || "none".to_owned();
    format!(
        "Matched Tool: {}\nCapability: {}\nParsed Intent: {}\nSummary: {}\n",
        route
            .and_then(|route| route.tool.clone())
            .unwrap_or_else(none),
        route.map_or_else(none, |route| route.capability.clone()),
        intent.map_or_else(none, Value::to_string),
        route.map_or(NO_TOOL, |route| route.summary.as_str()),
    )
}

/// The nodes that ask a model, if the flow is still there.
fn agents(tool: &str, matches: &ArgMatches, io: &Io<'_>) -> Vec<String> {
    let registry = registry_and_context(&RegistryArgs::from_matches(matches), io, None);
    let tool = registry.and_then(|(registry, _)| target::find(tool, &registry, io));
    let nodes = tool.iter().filter_map(Tool::flow).flat_map(Flow::nodes);
    nodes
        .filter(|node| node.asks_a_model())
        .map(|node| node.id.clone())
        .collect()
}

/// Whether the line `id` is about `node`, or an item of it.
fn is_of(id: &str, node: &str) -> bool {
    id.strip_prefix(node)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn of_node(node: &LoggedNode, is_agent: bool) -> Vec<String> {
    let ms = node.ms.map(|ms| format!(", {ms} ms")).unwrap_or_default();
    let state = match &node.state {
        NodeState::Started => "started, or interrupted".to_owned(),
        NodeState::Succeeded if node.is_cached => "succeeded, from an earlier run".to_owned(),
        NodeState::Succeeded => "succeeded".to_owned(),
        NodeState::Failed { code, message } => format!("failed ({code}): {message}"),
        NodeState::Waiting { question } => format!("waits for an answer: {question}"),
        NodeState::Skipped => "skipped".to_owned(),
    };
    let tag = if is_agent { AGENT } else { RUNNER };
    let mut lines = vec![format!("{tag}: {} {state}{ms}", node.id)];
    let route = node.route.as_ref().map(of_route);
    lines.extend(route.map(|route| format!("  {TOOLS}: {route}")));
    let inputs = node.inputs.as_ref().map(short);
    lines.extend(inputs.map(|inputs| format!("  {PROPERTIES}: {inputs}")));
    let output = node.output.as_ref().map(short);
    lines.extend(output.map(|output| format!("  result: {output}")));
    lines
}

/// The capability, what it was resolved to, the candidates and the match.
fn of_route(route: &Route) -> String {
    let operation = if route.operation == route.capability {
        String::new()
    } else {
        format!(" = {}", route.operation)
    };
    let tool = route.tool.as_deref().unwrap_or("none");
    format!(
        "{}{operation}; candidates: {}; match: {tool}",
        route.capability,
        route.candidates.join(", ")
    )
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.lines().next().unwrap_or_default().to_owned(),
        value => value.to_string(),
    };
    truncate(&text, MAX_VALUE_CHARS).into_owned()
}
