//! `cogtools flow output`: the output of a flow whose nodes have ended, for engines that run flows
//! themselves.

use clap::{ArgMatches, Command};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io};

use crate::inputs::{self, NodeInputs};
use crate::pins::{self, Pins};
use crate::target;

/// The command.
pub(crate) fn command() -> Command {
    Command::new("output")
        .about("Print the output of a flow as JSON, from the results of its nodes")
        .arg(target::arg())
        .arg(inputs::file_arg())
        .arg(pins::arg())
        .args(RegistryArgs::options())
}

/// Prints the output. A node without a result is null.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let (registry, _) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let name = target::name(matches)?;
    let tool = target::find(&name, &registry, io)?;
    pins::check(matches, &name, || {
        Ok(Pins::new(&tool, &registry, io)?.flow())
    })?;
    let inputs = NodeInputs::read(matches, &tool, io)?;
    let no_flow = || Diagnostic::new(Code::Internal, "a flow without nodes");
    let flow = tool.flow().ok_or_else(no_flow)?;
    let mut variables = inputs.arguments;
    for node in flow.nodes() {
        let value = inputs.results.get(&node.id).cloned();
        variables.insert(node.id.clone(), value.unwrap_or_default());
    }
    let value = flow.output(&tool, &variables)?;
    io.show_json(&format!("{value}\n"))
}
