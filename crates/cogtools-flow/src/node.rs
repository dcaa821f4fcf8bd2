//! `cogtools flow node`: exactly one node, for engines that run flows themselves.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::NodeState;
use cogtools_program::args::{RegistryArgs, required};
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io, named_file};
use serde_json::{Map, Value};

use crate::earlier::EarlierResults;
use crate::recorder::{Line, SharedRecorder};
use crate::run::{answer_arg, answers};
use crate::target;
use crate::work::FlowWork;

/// The descriptor on which events are written, if it is there.
const EVENTS: &str = "/dev/fd/3";
/// The longest inputs, in bytes.
const MAX_INPUTS: usize = 16 << 20;

/// The command.
pub(crate) fn command() -> Command {
    Command::new("node")
        .about("Run one node of a flow, and print its result as JSON")
        .arg(target::arg())
        .arg(
            Arg::new("node")
                .value_name("NODE")
                .required(true)
                .help("The node"),
        )
        .arg(
            Arg::new("inputs")
                .long("inputs")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("A JSON object with the parameters of the flow and the results of the nodes that it needs"),
        )
        .arg(answer_arg())
        .args(RegistryArgs::options())
}

/// Runs the node that the command line names. One whose condition does not hold has null.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let (registry, context) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let tool = target::find(&target::name(matches)?, &registry, io)?;
    let id: String = required(matches, "node")?;
    let path: PathBuf = required(matches, "inputs")?;
    let variables = read_inputs(&path, io)?;
    let cx = context.context(io);
    let cancel = cx.cancel.clone();
    let recorder = SharedRecorder::of_descriptor(EVENTS);
    let work = FlowWork::new(
        (tool, Map::new()),
        (registry, cx),
        (answers(matches)?, BTreeMap::new()),
        (recorder.clone(), EarlierResults::default()),
    )?;
    let node = work
        .tool
        .flow()
        .and_then(|flow| flow.node(&id))
        .ok_or_else(|| {
            let diagnostic = Diagnostic::new(Code::Usage, "the flow has no such node");
            diagnostic
                .with_subject(id.as_str())
                .hint("`cogtools flow show` lists its nodes")
        })?;
    recorder.write(Line::new(&id, NodeState::Started))?;
    let done = work.run_node(node, &variables, 1, &cancel);
    let outcome = work.take_outcome(&id);
    let (state, value) = match done {
        Ok(Some(value)) => (NodeState::Succeeded, value),
        Ok(None) => (NodeState::Skipped, Value::Null),
        Err(diagnostic) => {
            recorder.write(Line::failed(&id, &diagnostic).with_outcome(outcome))?;
            return Err((*diagnostic).into());
        }
    };
    let line = Line::new(&id, state).with_output(&value);
    recorder.write(line.with_outcome(outcome))?;
    io.show_json(&format!("{value}\n"))
}

fn read_inputs(path: &std::path::Path, io: &Io<'_>) -> Result<Map<String, Value>, Failure> {
    let bytes = named_file::read(path, MAX_INPUTS, io)?;
    let invalid = |message: String| {
        let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, message);
        Failure::from(diagnostic.with_subject(path.display().to_string()))
    };
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(inputs)) => Ok(inputs),
        Ok(_) => Err(invalid("inputs are a JSON object".to_owned())),
        Err(error) => Err(invalid(format!("inputs are a JSON object: {error}"))),
    }
}
