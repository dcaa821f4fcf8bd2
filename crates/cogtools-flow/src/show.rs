//! `cogtools flow show`: the graph of a flow, as a table, as Mermaid or as JSON.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::tool::{Flow, FlowNode};
use cogtools_core::{Code, Registry};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::terminal::{Column, Stream, Table};
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::pins::Pins;
use crate::repeatable::Repeatable;
use crate::work::RETRYABLE;
use crate::{graph, inputs, target};

/// The command.
pub(crate) fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new("show")
        .about("Show the nodes of a flow, and what each needs")
        .arg(target::arg())
        .arg(
            inputs::arg()
                .requires("json")
                .help("Arguments to check, which are printed as well; KEY:=JSON passes any value"),
        )
        .arg(
            flag("mermaid")
                .help("Print a diagram for Markdown")
                .conflicts_with("json"),
        )
        .arg(flag("json").help("Print the graph as JSON"))
        .args(RegistryArgs::options())
}

/// Shows the flow that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let (registry, _) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let tool = target::find(&target::name(matches)?, &registry, io)?;
    let Some(flow) = tool.flow() else {
        return Ok(());
    };
    if matches.get_flag("json") {
        let pins = Pins::new(&tool, &registry, io)?;
        let mut graph = json(tool.name().as_str(), flow, &pins, &registry);
        if matches.contains_id("arguments") {
            graph["arguments"] = inputs::read(matches, &tool)?.into();
        }
        return io.show_json(&format!("{graph}\n"));
    }
    let text = if matches.get_flag("mermaid") {
        mermaid(flow)
    } else {
        table(flow, io.colour(Stream::Stdout))
    };
    io.show(&text)
}

fn table(flow: &Flow, colour: bool) -> String {
    let mut table = Table::new([
        Column::text("NODE"),
        Column::text("KIND"),
        Column::text("NEEDS").optional(),
        Column::text("USES").optional(),
    ]);
    for node in flow.nodes() {
        table.row([
            node.id.clone(),
            node.kind().to_owned(),
            needs(node).join(", "),
            uses(node).join(", "),
        ]);
    }
    table.render(colour)
}

/// What a node needs, as `needs` writes it.
fn needs(node: &FlowNode) -> Vec<String> {
    let mark = |is_optional: bool| if is_optional { "?" } else { "" };
    let needs = node.needs.iter();
    needs
        .map(|need| format!("{}{}", need.node, mark(need.is_optional)))
        .collect()
}

/// The tool or the capabilities that a node uses, and the nodes that it chooses.
fn uses(node: &FlowNode) -> Vec<String> {
    let tool = node.tool().map(str::to_owned);
    let among = node.among().iter().cloned();
    let targets = node.targets().into_iter().map(|id| format!("-> {id}"));
    tool.into_iter().chain(among).chain(targets).collect()
}

fn mermaid(flow: &Flow) -> String {
    let mut text = "flowchart TD\n".to_owned();
    for node in flow.nodes() {
        let (open, close) = match node.kind() {
            _ if node.is_router() => ("{", "}"),
            "agent" => ("([", "])"),
            "ask" => ("[/", "/]"),
            _ => ("[", "]"),
        };
        let (id, kind) = (&node.id, node.kind());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {id}{open}\"{id}: {kind}\"{close}");
    }
    for node in flow.nodes() {
        for need in &node.needs {
            let arrow = if need.is_optional { "-.->" } else { "-->" };
            let _ = writeln!(text, "    {} {arrow} {}", need.node, node.id);
        }
    }
    text
}

/// All that an engine needs that runs the nodes itself.
fn json(name: &str, flow: &Flow, pins: &Pins<'_>, registry: &Registry) -> Value {
    let mut repeatable = Repeatable::new(registry);
    let nodes = flow.nodes().iter().map(|node| {
        let needs = node.needs.iter();
        let needs = needs.map(|need| json!({"node": need.node, "optional": need.is_optional}));
        let of_graph = graph::node(node);
        json!({
            "id": node.id,
            "kind": node.kind(),
            "needs": needs.collect::<Vec<_>>(),
            "tool": node.tool(),
            "among": node.among(),
            "to": node.targets(),
            "retry": {
                "times": of_graph.retry.times,
                "delay": of_graph.retry.delay.as_secs_f64(),
                "backoff": of_graph.retry.backoff,
            },
            "timeout": of_graph.timeout.map(|timeout| timeout.as_secs_f64()),
            "repeatable": repeatable.node(node),
            "digest": pins.node(node).ok(),
        })
    });
    json!({
        "flow": name,
        "digest": pins.flow(),
        "lock": pins.lock(),
        "retryable": RETRYABLE.map(Code::name),
        "nodes": nodes.collect::<Vec<_>>(),
    })
}
