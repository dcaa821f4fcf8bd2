//! The arguments of a flow, and the results of nodes that another engine has run.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, value_parser};
use cogtools_core::arguments::{Arguments, WordError};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::tool::{Flow, FlowNode};
use cogtools_core::{Code, Diagnostic, Tool};
use cogtools_program::args::{all, required};
use cogtools_program::{Failure, Io, named_file, text_input};
use serde_json::{Map, Value};

/// The longest file with inputs, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// The name of standard input.
const STDIN: &str = "-";

/// What another engine gives to a node, or to the output.
pub(crate) struct NodeInputs {
    /// The arguments of the flow, with defaults.
    pub(crate) arguments: Map<String, Value>,
    /// Results of nodes; null if one was skipped or has failed.
    pub(crate) results: Map<String, Value>,
}

/// `KEY=VALUE …`, as `cogtools run` takes them.
pub(crate) fn arg() -> Arg {
    Arg::new("arguments")
        .value_name("KEY=VALUE")
        .num_args(0..)
        .help("Its arguments; KEY:=JSON passes any value")
}

/// `--inputs FILE`.
pub(crate) fn file_arg() -> Arg {
    Arg::new("inputs")
        .long("inputs")
        .value_name("FILE")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("A JSON object with the arguments of the flow and the results of nodes; - for standard input")
}

/// The arguments for `tool` that the command line has, checked and with defaults.
pub(crate) fn read(matches: &ArgMatches, tool: &Tool) -> Result<Map<String, Value>, Failure> {
    let words: Vec<String> = all(matches, "arguments");
    let errors = |errors: Vec<WordError>| -> Failure {
        let diagnostic = |error: &WordError| error.diagnostic(tool.name().as_str());
        let diagnostics: Vec<Diagnostic> = errors.iter().map(diagnostic).collect();
        diagnostics.into()
    };
    let arguments = Arguments::from_words(&words, tool.schema()).map_err(errors)?;
    accept(arguments, tool)
}

/// `arguments`, checked and with defaults.
pub(crate) fn accept(arguments: Arguments, tool: &Tool) -> Result<Map<String, Value>, Failure> {
    let accepted = tool
        .accept(arguments)
        .map_err(|error| error.diagnostics(tool))?;
    Ok(accepted.into_object())
}

impl NodeInputs {
    /// Reads the file that the command line names.
    pub(crate) fn read(
        matches: &ArgMatches,
        tool: &Tool,
        io: &mut Io<'_>,
    ) -> Result<Self, Failure> {
        let path: PathBuf = required(matches, "inputs")?;
        let bytes = if path.as_os_str() == STDIN {
            text_input::read_bytes(io, "cogtools flow node")?
        } else {
            named_file::read(&path, MAX_BYTES, io)?
        };
        let invalid = |message: String| {
            let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, message);
            Failure::from(diagnostic.with_subject(path.display().to_string()))
        };
        let all = match serde_json::from_slice(&bytes) {
            Ok(Value::Object(all)) => all,
            Ok(_) => return Err(invalid("inputs are a JSON object".to_owned())),
            Err(error) => return Err(invalid(format!("inputs are a JSON object: {error}"))),
        };
        let is_node = |name: &str| tool.flow().is_some_and(|flow| flow.node(name).is_some());
        let (results, arguments): (Map<_, _>, Map<_, _>) =
            all.into_iter().partition(|(name, _)| is_node(name));
        Ok(Self {
            arguments: accept(Arguments::from(arguments), tool)?,
            results,
        })
    }

    /// The variables of `node`: the arguments, and the results of the nodes that it needs. What
    /// it does not need is left out, as in every run of the flow.
    ///
    /// # Errors
    ///
    /// A node that it cannot do without is not among them.
    pub(crate) fn variables(mut self, node: &FlowNode) -> Result<Map<String, Value>, Failure> {
        for need in &node.needs {
            let value = match self.results.remove(&need.node) {
                Some(value) => value,
                None if need.is_optional => Value::Null,
                None => {
                    let message = format!("the inputs have no result of `{}`", need.node);
                    let diagnostic = Diagnostic::new(Code::SchemaViolation, message);
                    return Err(diagnostic
                        .with_subject(node.id.as_str())
                        .hint("a node that was skipped has null")
                        .into());
                }
            };
            self.arguments.insert(need.node.clone(), value);
        }
        Ok(self.arguments)
    }
}

/// The node `id` of `flow`.
pub(crate) fn node<'f>(flow: Option<&'f Flow>, id: &str) -> Result<&'f FlowNode, Failure> {
    flow.and_then(|flow| flow.node(id)).ok_or_else(|| {
        let ids = flow.into_iter().flat_map(Flow::nodes);
        let meant = did_you_mean(id, ids.map(|node| node.id.as_str()));
        let hint = meant.unwrap_or_else(|| "`cogtools flow show` lists its nodes".to_owned());
        let diagnostic = Diagnostic::new(Code::Usage, "the flow has no such node");
        diagnostic.with_subject(id).hint(hint).into()
    })
}
