//! A run of `cogtools` for a call: of what would make the programs that run for each call large,
//! such as clients of models and the executor of flows.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::error::CommandError;
use crate::environment::Vars;
use crate::process::{LineSink, Process, SandboxMode};
use crate::tool::agent::AgentTask;
use crate::tool::handler::RunError;
use crate::{Code, Context, Diagnostic, Tape};

/// Not every installation has a link with the name of each program.
const PROGRAM: &str = "cogtools";

/// The subcommand and its options, what it reads, and its limits.
pub(super) struct OwnProgram<'p> {
    pub(super) args: &'p [&'p str],
    /// What is on its standard input.
    pub(super) input: Vec<u8>,
    pub(super) timeout: Duration,
    /// The longest output, in bytes.
    pub(super) max_output: usize,
    /// Who reads what it prints on standard error while it runs.
    pub(super) lines: Option<LineSink>,
}

impl OwnProgram<'_> {
    /// Runs it for a call of the tool `name`, and returns its output.
    pub(super) fn run(self, name: &str, cx: &Context) -> Result<Vec<u8>, RunError> {
        let variables =
            variables(cx).map_err(|diagnostic| Box::new(diagnostic.with_subject(name)))?;
        let program =
            file(cx).ok_or_else(|| CommandError::NotFound(PROGRAM.to_owned()).diagnostic(name))?;
        let args = self.args.iter().map(OsString::from).chain(tape_args(cx));
        let output = Process::new(&program, &cx.root)
            .args(args.collect::<Vec<_>>())
            .variables(variables)
            .input(self.input)
            .timeout(self.timeout)
            .stdout_limit(self.max_output)
            .stderr_lines(self.lines)
            .run(&cx.cancel)
            .map_err(|error| CommandError::Start(program, error).diagnostic(name))?;
        if output.exit.is_success() {
            return Ok(output.stdout.bytes);
        }
        let Some(mut diagnostic) = diagnostic(&output.stderr.bytes) else {
            let error = CommandError::of(output.exit, self.timeout);
            return Err(error.diagnostic_with_output(name, &output));
        };
        // Its codes are those of another program.
        if diagnostic.code != Code::Timeout {
            diagnostic.code = Code::ToolFailed;
        }
        Err(Box::new(diagnostic.with_subject(name)))
    }
}

/// The diagnostic that it has printed, after its events if it prints any.
fn diagnostic(stderr: &[u8]) -> Option<Diagnostic> {
    let is_event = |line: &&[u8]| {
        let value: Value = serde_json::from_slice(line).unwrap_or_default();
        value.get("kind").is_some()
    };
    let lines: Vec<&[u8]> = stderr.split_inclusive(|byte| *byte == b'\n').collect();
    let end = lines.iter().rposition(is_event).map_or(0, |last| last + 1);
    Diagnostic::from_json(&lines[end..].concat())
}

/// The program, if it is installed.
fn file(cx: &Context) -> Option<PathBuf> {
    let file = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let program = cx.programs.as_ref()?.join(file);
    program.is_file().then_some(program)
}

/// Its variables: the user's. A host may have loaded a file of the project into the process: it
/// decides neither where a key is sent nor what is trusted.
fn variables(cx: &Context) -> Result<Vars, Box<Diagnostic>> {
    let depth = AgentTask::depth_below(AgentTask::depth(cx))?;
    let process = cx.environment.process();
    let names = process.keys().filter_map(|name| name.to_str());
    let mut variables = cx.environment.user_vars(names);
    variables.insert(AgentTask::DEPTH.into(), depth.to_string().into());
    // An option of this program holds for what it starts, too.
    variables.insert(SandboxMode::VARIABLE.into(), cx.sandbox.name().into());
    Ok(variables)
}

/// The options with the recording, if there is one.
fn tape_args(cx: &Context) -> Vec<OsString> {
    match &cx.tape {
        Some(Tape::Record(tape)) => vec!["--record".into(), tape.into()],
        Some(Tape::Replay(tape)) => vec!["--replay".into(), tape.into()],
        None => Vec::new(),
    }
}
