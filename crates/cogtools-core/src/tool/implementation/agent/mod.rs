//! `implementation: {agent: {…}}`: a model with instructions and tools.
//!
//! A separate program talks to the model, so that no network client is linked into the programs
//! that run for each call. It gets the instructions with the arguments filled in.

mod definition;

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use serde_json::{Map, Value};

use self::definition::Definition;
use super::Kind;
use super::error::CommandError;
use crate::process::{Output, Process, SandboxMode};
use crate::text::Text;
use crate::tool::agent::AgentTask;
use crate::tool::handler::{Handler, RunError};
use crate::tool::reader::Reader;
use crate::tool::template::{Partials, TemplateSource};
use crate::tool::{CommandLine, Tool, ToolOutput, Word};
use crate::yaml::Entry;
use crate::{Code, Context, Diagnostic, Tape};

/// This kind's entry in the table.
pub(super) const KIND: Kind = Kind {
    key: Some("agent"),
    read,
};

/// The program that talks to models, and its subcommand: not every installation has a link with
/// that name.
const PROGRAM: &str = "cogtools";
const SUBCOMMAND: &str = "ask";

const OPTIONS: [&str; 4] = ["--agent", "--json", "--quiet", "--error-format=json"];
/// The longest report of the program, in bytes: JSON escapes make an answer longer.
const MAX_REPORT: usize = 8 << 20;

#[derive(Debug)]
struct Agent(Definition);

fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let definition = Definition::read(entry, reader)?;
    Some(Arc::new(Agent(definition)))
}

impl Handler for Agent {
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let name = tool.name().as_str();
        let task = self.0.task(tool, &arguments)?;
        let depth = AgentTask::depth_below(AgentTask::depth(cx));
        let depth = depth.map_err(|error| Box::new(error.with_subject(name)))?;
        // A host may have loaded a file of the project into the process: it decides neither where
        // a key is sent nor what is trusted.
        let process = cx.environment.process();
        let names = process.keys().filter_map(|name| name.to_str());
        let mut variables = cx.environment.user_vars(names);
        variables.insert(AgentTask::DEPTH.into(), depth.to_string().into());
        // An option of this program holds for the tools of the agent, too.
        variables.insert(SandboxMode::VARIABLE.into(), cx.sandbox.name().into());
        let program = cx.programs.as_ref().map(|folder| {
            let file = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
            folder.join(file)
        });
        let Some(program) = program.filter(|program| program.is_file()) else {
            return Err(CommandError::NotFound(PROGRAM.to_owned()).diagnostic(name));
        };
        let mut args = OPTIONS.map(OsString::from).to_vec();
        args.insert(0, SUBCOMMAND.into());
        match &cx.tape {
            Some(Tape::Record(tape)) => args.extend(["--record".into(), tape.into()]),
            Some(Tape::Replay(tape)) => args.extend(["--replay".into(), tape.into()]),
            None => {}
        }
        // Serializing text, numbers and JSON cannot fail.
        let output = Process::new(&program, &cx.root)
            .args(args)
            .variables(variables)
            .input(serde_json::to_vec(&task).unwrap_or_default())
            .timeout(tool.timeout())
            .stdout_limit(MAX_REPORT)
            .run(&cx.cancel)
            .map_err(|error| CommandError::Start(program, error).diagnostic(name))?;
        result(&output, tool)
    }

    fn runs_programs(&self) -> bool {
        true
    }

    fn is_agent(&self) -> bool {
        true
    }

    fn agent(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
    ) -> Option<Result<AgentTask, RunError>> {
        Some(self.0.task(tool, arguments))
    }

    fn command_line(&self, _text: &Text) -> Option<CommandLine> {
        let words = ["cogtools", SUBCOMMAND, "--agent"].map(str::to_owned);
        Some(CommandLine {
            words: words.map(Word::Literal).to_vec(),
            script: None,
        })
    }

    fn check(&self, text: &Text) -> Result<(), Box<Diagnostic>> {
        let partials = Partials::of(text);
        let mut templates = self.0.templates();
        templates.try_for_each(|template| template.check(text, &partials))
    }

    fn templates(&self, text: &Text) -> Vec<TemplateSource> {
        let templates = self.0.templates();
        templates
            .map(|template| TemplateSource::inline(template, text))
            .collect()
    }
}

impl AgentTask {
    /// How many agents this process runs within.
    pub fn depth(cx: &Context) -> u8 {
        let variable = cx.environment.process().get(OsStr::new(Self::DEPTH));
        let depth = variable.and_then(|depth| depth.to_str()?.parse().ok());
        depth.unwrap_or(0)
    }

    /// The depth of an agent that one of this `depth` calls.
    ///
    /// # Errors
    ///
    /// More than [`Self::MAX_DEPTH`] agents would run within each other.
    pub fn depth_below(depth: u8) -> Result<u8, Box<Diagnostic>> {
        if depth < Self::MAX_DEPTH {
            return Ok(depth + 1);
        }
        let max = Self::MAX_DEPTH;
        let message = format!("{max} agents already run within each other");
        let diagnostic = Diagnostic::new(Code::ToolFailed, message);
        Err(Box::new(
            diagnostic.hint("leave agents that call this one out of its `tools`"),
        ))
    }
}

/// The answer of the agent that was run.
fn result(output: &Output, tool: &Tool) -> Result<ToolOutput, RunError> {
    let name = tool.name().as_str();
    if !output.exit.is_success() {
        let Some(mut diagnostic) = Diagnostic::from_json(&output.stderr.bytes) else {
            let error = CommandError::of(output.exit, tool.timeout());
            return Err(error.diagnostic_with_output(name, output));
        };
        // Its codes are those of another program.
        if diagnostic.code != Code::Timeout {
            diagnostic.code = Code::ToolFailed;
        }
        return Err(Box::new(diagnostic.with_subject(name)));
    }
    let report: Option<Value> = serde_json::from_slice(&output.stdout.bytes).ok();
    match report.and_then(|report| Some(report.get("text")?.as_str()?.to_owned())) {
        Some(text) => Ok(ToolOutput::new(text)),
        None => Err(CommandError::Report.diagnostic(name)),
    }
}
