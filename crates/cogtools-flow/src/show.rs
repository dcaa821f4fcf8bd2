//! `cogtools flow show`: the graph of a flow, for the terminal, for documents or for programs.

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use cogtools_core::tool::Flow;
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::{svg, target, tree};

/// The command.
pub(crate) fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new("show")
        .about("Draw the graph of a flow")
        .arg(target::arg())
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
        return io.show_json(&format!("{}\n", json(flow)));
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

fn json(flow: &Flow) -> Value {
    let nodes = flow.nodes().iter().map(|node| {
        let needs = node.needs.iter();
        let needs = needs.map(|need| json!({"node": need.node, "optional": need.is_optional}));
        json!({
            "id": node.id,
            "kind": node.kind(),
            "needs": needs.collect::<Vec<_>>(),
            "tool": node.tool(),
            "among": node.among(),
            "to": node.targets(),
        })
    });
    json!({"nodes": nodes.collect::<Vec<_>>()})
}
