//! `cogtools flow test`: the way that examples take through their flows, compared with
//! `FLOW.EXAMPLE.trace.golden` beside the tool.
//!
//! The output of a flow is tested by `cogtools test`, as for any tool.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use cogtools_core::arguments::Arguments;
use cogtools_core::environment::OFFLINE;
use cogtools_core::file::{self, WritePath};
use cogtools_core::process::LineSink;
use cogtools_core::text::{self, TextError};
use cogtools_core::tool::Example;
use cogtools_core::{Code, Diagnostic, Tape, Tool};
use cogtools_program::args::RegistryArgs;
use cogtools_program::format::FormatArg;
use cogtools_program::project::registry_and_context;
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::json;

use crate::inputs;

/// The longest golden file, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// Compare the ways that examples take with golden files
#[derive(Args)]
#[group(skip)]
pub(crate) struct TestArgs {
    /// The flows; by default, all of the project
    #[arg(value_name = "FLOW")]
    flows: Vec<String>,
    /// Write the golden files that differ or are missing
    #[arg(long)]
    update: bool,
    #[command(flatten)]
    registry: RegistryArgs,
    #[command(flatten)]
    format: FormatArg,
}

/// An example, compared with its golden file.
#[derive(Serialize)]
struct Compared {
    flow: String,
    example: String,
    /// The name of the golden file.
    golden: String,
    state: State,
    /// The lines of the golden file that the way lacks.
    lacks: Vec<String>,
    /// The lines of the way that the golden file lacks.
    has: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Equal,
    Written,
    Missing,
    Different,
}

impl TestArgs {
    /// Tests the flows that the command line names.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let (registry, _) = registry_and_context(&self.registry, io, None)?;
        let mut names = self.flows.clone();
        if names.is_empty() {
            let is_flow = |tool: Tool| tool.flow().map(|_| tool.name().to_string());
            let found = registry.map(|tool| tool.ok().and_then(is_flow));
            names = found.items.into_iter().flatten().collect();
            names.sort_unstable();
        }
        let mut compared = Vec::new();
        for name in names {
            let tool = inputs::find(&name, &registry, io)?;
            if tool.tests().is_empty() && !self.format.is_json() {
                io.show(&format!("none {name} (no examples)\n"))?;
            }
            for (index, example) in tool.tests().iter().enumerate() {
                let id = example.id(index);
                let golden = format!("{id}.trace.golden");
                let path = tool.text().path().with_extension(golden);
                let found = trace(&name, &id, example, &self.registry, io)?;
                let one = Compared::of((&name, &id), &path, &found, self.update, io)?;
                if !self.format.is_json() {
                    io.show(&one.text())?;
                }
                compared.push(one);
            }
        }
        if self.format.is_json() {
            io.show_json(&format!("{:#}\n", json!(compared)))?;
        }
        let is_failure = |one: &&Compared| matches!(one.state, State::Missing | State::Different);
        let failures = compared.iter().filter(is_failure).count();
        if failures == 0 {
            return Ok(());
        }
        let message = format!("{} differ", pluralize(failures, "trace"));
        let hint = "`cogtools flow test --update` accepts them as they are now";
        Err(Diagnostic::new(Code::TestFailed, message).hint(hint).into())
    }
}

/// The way that an example takes: a line for each node, in the order of the file.
fn trace(
    name: &str,
    id: &str,
    example: &Example,
    args: &RegistryArgs,
    io: &mut Io<'_>,
) -> Result<String, Failure> {
    let (registry, context) = registry_and_context(args, io, None)?;
    let tool = inputs::find(name, &registry, io)?;
    let tape = tool.text().path().with_extension(format!("{id}.tape"));
    let tape = tape.is_file().then_some(Tape::Replay(tape));
    if tape.is_none() && tool.asks_a_model() {
        let diagnostic = Diagnostic::new(Code::TestFailed, "there is no recording of a model");
        let hint = "`cogtools test --update` asks the model and records its answers";
        let diagnostic = diagnostic.with_subject(format!("{name} {id}"));
        return Err(diagnostic.hint(hint).into());
    }
    let events: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&events);
    let mut cx = context.context(io);
    cx.environment = cx.environment.with_variable(OFFLINE, "1");
    cx.call.tape = tape;
    cx.call.presets = Arc::new(example.presets.clone());
    cx.call.events = Some(LineSink::new(move |line| sink.lock().push(line.to_owned())));
    let tool = Arc::new(tool);
    let call = registry.prepare_tool(Arc::clone(&tool), Arguments::from(example.arguments()))?;
    let failure = call.run(&cx).err();
    let way = tool.flow().map(|flow| flow.way(&events.lock()));
    match (failure, way.unwrap_or_default()) {
        // A test that lacks a response says nothing about the way.
        (Some(failure), _) if failure.iter().any(|it| it.code == Code::StaleRecording) => {
            let hint = "`cogtools test --record` makes the requests and records the responses";
            let mut failure = Diagnostic::merge(failure);
            failure.hints.clear();
            Err(failure.hint(hint).into())
        }
        // A run in which a node fails takes a way, too; one that did not begin does not.
        (Some(failure), way) if way.is_empty() => Err(failure.into()),
        (_, way) => Ok(way),
    }
}

impl Compared {
    /// Compares the golden file at `path` with `found`, which is written there if `update` is set.
    fn of(
        (flow, example): (&str, &str),
        path: &Path,
        found: &str,
        update: bool,
        io: &Io<'_>,
    ) -> Result<Self, Failure> {
        let shown = path.file_name().map(PathBuf::from).unwrap_or_default();
        let golden = WritePath::in_project(cogtools_program::project::project(io).root(), path);
        // A link out of the project would show a file of the user.
        let expected = match text::bytes(path, &shown, MAX_BYTES, &golden.read_scope()) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(TextError::NotFound(_)) => None,
            Err(error) => return Err(error.diagnostic(Code::IoFailed).into()),
        };
        let mut compared = Self {
            flow: flow.to_owned(),
            example: example.to_owned(),
            golden: shown.display().to_string(),
            state: State::Equal,
            lacks: Vec::new(),
            has: Vec::new(),
        };
        if expected.as_deref() == Some(found) {
            return Ok(compared);
        }
        if update {
            file::write(&golden, found.as_bytes()).map_err(|error| {
                let diagnostic = Diagnostic::new(Code::IoFailed, error.to_string());
                Failure::from(diagnostic.with_subject(compared.golden.as_str()))
            })?;
            compared.state = State::Written;
            return Ok(compared);
        }
        compared.state = if expected.is_none() {
            State::Missing
        } else {
            State::Different
        };
        let expected = expected.unwrap_or_default();
        let lacks = |lines: &str, others: &str| {
            let is_new = |line: &&str| !others.lines().any(|other| other == *line);
            lines.lines().filter(is_new).map(str::to_owned).collect()
        };
        compared.lacks = lacks(&expected, found);
        compared.has = lacks(found, &expected);
        Ok(compared)
    }

    fn text(&self) -> String {
        let name = format!("{} {}", self.flow, self.example);
        let golden = &self.golden;
        let reason = match self.state {
            State::Equal => return format!("ok {name}\n"),
            State::Written => return format!("wrote {golden}\n"),
            State::Missing => "is missing",
            State::Different => "differs",
        };
        let mut text = format!("FAILED {name}: `{golden}` {reason}\n");
        for line in &self.lacks {
            let _ = writeln!(text, "  - {line}");
        }
        for line in &self.has {
            let _ = writeln!(text, "  + {line}");
        }
        text
    }
}
