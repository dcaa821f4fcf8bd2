//! The flow that a command line names.

use std::path::Path;

use clap::{Arg, ArgMatches};
use cogtools_core::{Code, Diagnostic, Registry, Tool};
use cogtools_program::project::read_scope;
use cogtools_program::{Failure, Io};

/// The name of a flow, or its file.
pub(crate) fn arg() -> Arg {
    Arg::new("flow")
        .value_name("FLOW")
        .required(true)
        .help("The name of a tool that is a flow, or its file")
}

/// The flow `name` of `registry`, or the one in the file `name`.
///
/// # Errors
///
/// There is no such tool, or it is no flow.
pub(crate) fn find(name: &str, registry: &Registry, io: &Io<'_>) -> Result<Tool, Failure> {
    let is_file = name.contains(['/', '\\']) || Path::new(name).extension().is_some();
    let tool = if is_file {
        let path = io.cwd.join(name);
        let tool = Tool::load(&path, Path::new(name), &read_scope(&path, io));
        registry.check_file(tool.map_err(|error| Failure::from(error.diagnostics()))?)?
    } else {
        let tool = registry.find(name);
        tool.map_err(|error| Failure::from(error.diagnostics()))?
    };
    if tool.flow().is_none() {
        let diagnostic = Diagnostic::new(Code::Usage, "this tool is not a flow");
        let hint = format!("`cogtools run {}` calls it", tool.name());
        return Err(diagnostic.with_subject(name).hint(hint).into());
    }
    Ok(tool)
}

/// The name of the flow on the command line.
pub(crate) fn name(matches: &ArgMatches) -> Result<String, Failure> {
    cogtools_program::args::required(matches, "flow")
}
