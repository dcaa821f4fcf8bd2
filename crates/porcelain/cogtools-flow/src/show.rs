//! `cogtools flow show`: the graph of a flow, for the terminal, for documents or for programs.

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use cogtools_core::tool::Flow;
use cogtools_core::{Code, Registry};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::pins::Pins;
use crate::repeatable::Repeatable;
use crate::work::RETRYABLE;
use crate::{graph, inputs, svg, target, tree};

/// The command.
pub(crate) fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new("show")
        .about("Draw the graph of a flow")
        .arg(target::arg())
        .arg(
            inputs::arg()
                .requires("json")
                .help("Arguments to check, which are printed as well; KEY:=JSON passes any value"),
        )
        .arg(flag("mermaid").help("Print a Mermaid diagram for Markdown"))
        .arg(flag("svg").help("Print a picture"))
        .arg(flag("json").help("Print the graph as JSON"))
        .group(ArgGroup::new("form").args(["mermaid", "svg", "json"]))
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
    if matches.get_flag("svg") {
        return io.print(svg::draw(flow).as_bytes());
    }
    let text = if matches.get_flag("mermaid") {
        flow.mermaid()
    } else {
        tree::draw(flow)
    };
    io.show(&text)
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
