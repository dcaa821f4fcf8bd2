//! `cogtools flow trace` and `list`: what happened to each node of a run, and why; and all runs.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use clap::Args;
use cogtools_core::Tool;
use cogtools_core::tool::Flow;
use cogtools_log::view::{NodeRun, Run, Summary};
use cogtools_log::{Event, NodeModel, NodeState, Route, SessionFile};
use cogtools_program::args::RegistryArgs;
use cogtools_program::format::FormatArg;
use cogtools_program::project::registry_and_context;
use cogtools_program::terminal::{Column, Stream, Table, truncate};
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::run::SessionArg;
use crate::{inputs, journal};

/// The subject of a line, for the eye and for grep: the run and its nodes, the models, the choice
/// of tools, the arguments of a node.
const RUNNER: &str = "🧪 Runner";
const AGENT: &str = "🤖 Agent";
const TOOLS: &str = "🛠️ Tools";
const MODEL: &str = "🧠 Model";
const PROPERTIES: &str = "🔍 Properties";
/// The summary in the panel of a run in which no node asked for a capability.
const NO_TOOL: &str = "no tool was called for a capability; the text stands";
/// The number of characters of a value that are shown.
const MAX_VALUE_CHARS: usize = 100;
/// The time between two looks at a session that is followed.
const TICK: Duration = Duration::from_millis(200);

/// Show what happened to each node of a run
#[derive(Args)]
#[group(skip)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    session: SessionArg,
    /// Show only what the last capability was resolved to
    #[arg(long, conflicts_with_all = ["json", "format", "follow"])]
    panel: bool,
    #[command(flatten)]
    format: FormatArg,
    /// Show the events of a run as they happen, until it ends
    #[arg(long, conflicts_with_all = ["json", "format"])]
    follow: bool,
    #[command(flatten)]
    registry: RegistryArgs,
}

/// A run with the facts that its session does not have.
struct Trace<'t> {
    run: &'t Run<'t>,
    /// The nodes that ask a model, if the flow is still there.
    agents: &'t [String],
    /// True if a process writes to the session.
    is_running: bool,
}

impl TraceArgs {
    /// Shows the run in the session that the command line names.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let file = journal::locate(self.session.session.as_deref(), "flow", io)?;
        let mut shown: HashMap<String, NodeState> = HashMap::new();
        let mut agents: Option<Vec<String>> = None;
        loop {
            // What is written before the last look is seen by it.
            let is_running = file.is_in_use().unwrap_or(false);
            let session = journal::read(&file)?;
            let branch = session.branch(None);
            let run = journal::last(&branch, "flow", &file)?;
            let agents = agents.get_or_insert_with(|| self.agents(flow_of(&run).0, io));
            let trace = Trace {
                run: &run,
                agents,
                is_running,
            };
            if self.panel {
                return io.show(&trace.panel());
            }
            if self.format.is_json() {
                return io.show_json(&format!("{}\n", trace.json(&file)));
            }
            let mut lines = Vec::new();
            if shown.is_empty() {
                let (tool, arguments) = flow_of(&run);
                lines.push(format!("{RUNNER}: {tool} {}", short(arguments)));
            }
            for node in run.nodes.values() {
                if shown.get(node.id) != Some(node.state) {
                    shown.insert(node.id.to_owned(), node.state.clone());
                    lines.extend(trace.node(node));
                }
            }
            let is_over = !self.follow || !is_running;
            if is_over && let Some((output, _)) = run.reply {
                lines.push(format!("{RUNNER}: output: {}", short(&output.into())));
            }
            if !lines.is_empty() {
                io.show(&format!("{}\n", lines.join("\n")))?;
            }
            if is_over {
                return Ok(());
            }
            thread::sleep(TICK);
        }
    }

    /// The nodes that ask a model, if the flow `tool` is still there.
    fn agents(&self, tool: &str, io: &Io<'_>) -> Vec<String> {
        let registry = registry_and_context(&self.registry, io, None);
        let tool = registry.and_then(|(registry, _)| inputs::find(tool, &registry, io));
        let nodes = tool.iter().filter_map(Tool::flow).flat_map(Flow::nodes);
        let agents = nodes.filter(|node| node.asks_a_model());
        agents.map(|node| node.id.clone()).collect()
    }
}

impl Trace<'_> {
    /// The choice of the tool of the last node that asked for a capability, or that none did.
    fn panel(&self) -> String {
        let mut nodes = self.run.nodes.values().rev();
        let route = nodes.find_map(|node| node.event.route.as_ref());
        let said = || {
            let nodes = self.run.nodes.values().rev();
            let mut agents = nodes.filter(|node| self.is_agent(node));
            agents.find_map(|node| node.event.output.as_ref())
        };
        let intent = match route {
            Some(route) => route.intent.as_ref(),
            None => said().filter(|said| said.is_object()),
        };
        format!(
            "Matched Tool: {}\nCapability: {}\nParsed Intent: {}\nSummary: {}\n",
            route.and_then(|it| it.tool.as_deref()).unwrap_or("none"),
            route.map_or("none", |route| &route.capability),
            intent.map_or_else(|| "none".to_owned(), Value::to_string),
            route.map_or(NO_TOOL, |route| &route.summary),
        )
    }

    /// Returns true if a line is about a node that asks a model, or an item of one.
    fn is_agent(&self, node: &NodeRun<'_>) -> bool {
        let id = node.id.split_once('.').map_or(node.id, |(id, _)| id);
        node.event.model.is_some() || self.agents.iter().any(|agent| agent == id)
    }

    /// The state of a node in a word: one that has started is running, or was interrupted.
    fn state(&self, node: &NodeRun<'_>) -> &'static str {
        match node.state {
            NodeState::Started if self.is_running => "running",
            NodeState::Started => "interrupted",
            state => state.name(),
        }
    }

    /// The lines about a node.
    fn node(&self, node: &NodeRun<'_>) -> Vec<String> {
        let ms = node.event.ms.map(|ms| format!(", {ms} ms"));
        let state = match node.state {
            NodeState::Succeeded if node.event.cached => {
                "succeeded, from an earlier run".to_owned()
            }
            NodeState::Failed { code, message } => format!("failed ({code}): {message}"),
            NodeState::Waiting { question } => format!("waits for an answer: {question}"),
            NodeState::Skipped {
                because: Some(because),
            } => format!("skipped: {because}"),
            _ => self.state(node).to_owned(),
        };
        let attempts = node.event.attempt.map(|it| format!(", {it} attempts"));
        let more = [attempts, ms].map(Option::unwrap_or_default).concat();
        let tag = if self.is_agent(node) { AGENT } else { RUNNER };
        let about = [
            (TOOLS, node.event.route.as_ref().map(of_route)),
            (PROPERTIES, node.inputs.map(short)),
            (MODEL, node.event.model.as_ref().map(of_model)),
            ("result", node.event.output.as_ref().map(short)),
        ];
        let about = about.into_iter();
        let about = about.filter_map(|(tag, text)| Some(format!("  {tag}: {}", text?)));
        let first = format!("{tag}: {} {state}{more}", node.id);
        std::iter::once(first).chain(about).collect()
    }

    /// The run as JSON.
    fn json(&self, file: &SessionFile) -> Value {
        let (tool, arguments) = flow_of(self.run);
        let nodes = self.run.nodes.values().map(|node| {
            let event = node.event;
            let mut fields = json!({
                "node": node.id,
                "state": self.state(node),
                "attempts": event.attempt.unwrap_or(1),
                "cached": event.cached,
                "ms": event.ms,
                "inputs": node.inputs,
                "route": event.route,
                "model": event.model,
                "output": event.output,
                "blob": event.blob.as_ref().map(|blob| file.blobs().path(blob).display().to_string()),
            });
            match node.state {
                NodeState::Failed { code, message } => {
                    fields["error"] = json!({"code": code, "message": message});
                }
                NodeState::Waiting { question } => fields["question"] = question.as_str().into(),
                NodeState::Skipped { because } => fields["because"] = json!(because),
                NodeState::Started | NodeState::Succeeded => {}
            }
            fields
        });
        json!({
            "flow": tool,
            "arguments": arguments,
            "session": file.path().display().to_string(),
            "state": run_state(self.run, self.is_running),
            "nodes": nodes.collect::<Vec<Value>>(),
            "output": self.run.reply.map(|(text, _)| text),
        })
    }
}

/// The flow of a run, and its arguments as the session shows them.
fn flow_of<'s>(run: &Run<'s>) -> (&'s str, &'s Value) {
    match &run.entry.event {
        Event::Flow {
            tool, arguments, ..
        } => (tool, arguments),
        _ => ("", &Value::Null),
    }
}

/// The state of a run in a word.
fn run_state(run: &Run<'_>, is_running: bool) -> &'static str {
    let ended = Summary {
        end: run.end,
        ..Summary::default()
    };
    match ended.end_name() {
        Some(name) => name,
        None if is_running => "running",
        None => "interrupted",
    }
}

/// The capability, its operation, the candidates and the match.
fn of_route(route: &Route) -> String {
    let mut capability = route.capability.clone();
    if route.operation != capability {
        capability = format!("{capability} = {}", route.operation);
    }
    let candidates = route.candidates.join(", ");
    let tool = route.tool.as_deref().unwrap_or("none");
    format!("{capability}; candidates: {candidates}; match: {tool}")
}

/// The model with its tokens, its cost and its session, as far as they are known.
fn of_model(asked: &NodeModel) -> String {
    let cost = asked.usage.cost.as_ref().map(|it| format!(", {it}"));
    let session = asked.session.as_ref().map(|it| format!(", session {it}"));
    let more = [cost, session].map(Option::unwrap_or_default).concat();
    format!("{}, {} tokens{more}", asked.model, asked.usage.total)
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.lines().next().unwrap_or_default().to_owned(),
        value => value.to_string(),
    };
    truncate(&text, MAX_VALUE_CHARS).into_owned()
}

/// List the runs of flows of this project, newest first
#[derive(Args)]
#[group(skip)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    format: FormatArg,
}

impl ListArgs {
    /// Lists the runs.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let mut runs = Vec::new();
        for file in journal::sessions(io) {
            // `session list` reports what cannot be read.
            let Ok(session) = journal::read(&file) else {
                continue;
            };
            let branch = session.branch(None);
            let Some(run) = Run::last(&branch, "flow") else {
                continue;
            };
            let is_running = file.is_in_use().unwrap_or(false);
            let is_done = |node: &&NodeRun<'_>| *node.state == NodeState::Succeeded;
            let is_node = |node: &&NodeRun<'_>| !node.id.contains(['.', '/']);
            runs.push(json!({
                "session": session.header.session,
                "began": run.entry.time,
                "flow": flow_of(&run).0,
                "state": run_state(&run, is_running),
                "done": run.nodes.values().filter(is_node).filter(is_done).count(),
                "nodes": run.nodes.values().filter(is_node).count(),
            }));
        }
        if self.format.is_json() {
            return io.show_json(&format!("{:#}\n", Value::Array(runs)));
        }
        if runs.is_empty() {
            return io.show("this project has no runs of flows\n");
        }
        let mut table = Table::new([
            Column::text("SESSION"),
            Column::text("BEGAN"),
            Column::text("FLOW"),
            Column::text("STATE"),
            Column::number("NODES"),
        ]);
        for run in &runs {
            let text = |key: &str| run[key].as_str().unwrap_or_default().to_owned();
            let [session, began, flow, state] = ["session", "began", "flow", "state"].map(text);
            let nodes = format!("{}/{}", run["done"], run["nodes"]);
            table.row([session, began, flow, state, nodes]);
        }
        io.page(&table.render(io.colour(Stream::Stdout)))
    }
}
