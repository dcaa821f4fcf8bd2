//! The arguments of a flow from a command line.

use clap::{Arg, ArgMatches};
use cogtools_core::arguments::{Arguments, WordError};
use cogtools_core::{Diagnostic, Tool};
use cogtools_program::Failure;
use cogtools_program::args::all;
use serde_json::{Map, Value};

/// `KEY=VALUE …`, as `cogtools run` takes them.
pub(crate) fn arg() -> Arg {
    Arg::new("arguments")
        .value_name("KEY=VALUE")
        .num_args(0..)
        .help("Its arguments; KEY:=JSON passes any value")
}

/// The arguments for `tool` that the command line has, checked and with defaults.
pub(crate) fn read(matches: &ArgMatches, tool: &Tool) -> Result<Map<String, Value>, Failure> {
    let words: Vec<String> = all(matches, "arguments");
    let errors = |errors: Vec<WordError>| -> Failure {
        let diagnostic = |error: &WordError| error.diagnostic(tool.name().as_str());
        let diagnostics: Vec<Diagnostic> = errors.iter().map(diagnostic).collect();
        diagnostics.into()
    };
    let arguments = Arguments::from_words(&words, tool.definition().schema()).map_err(errors)?;
    accept(arguments, tool)
}

/// `arguments`, checked and with defaults.
pub(crate) fn accept(arguments: Arguments, tool: &Tool) -> Result<Map<String, Value>, Failure> {
    let accepted = tool
        .accept(arguments)
        .map_err(|error| error.diagnostics(tool))?;
    Ok(accepted.into_object())
}
