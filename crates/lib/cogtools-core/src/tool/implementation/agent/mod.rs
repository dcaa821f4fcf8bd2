//! `implementation: {agent: {…}}`: a model with instructions and tools.
//!
//! A separate program talks to the model, so that no network client is linked into the programs
//! that run for each call. It gets the instructions with the arguments filled in.

mod definition;

use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use self::definition::Definition;
use super::Kind;
use super::error::CommandError;
use super::own_program::OwnProgram;
use crate::schema::Schema;
use crate::text::Text;
use crate::tool::agent::AgentTask;
use crate::tool::handler::{Handler, RunError};
use crate::tool::reader::Reader;
use crate::tool::template::{Partials, TemplateSource};
use crate::tool::{CommandLine, Tool, ToolOutput, Word};
use crate::yaml::Entry;
use crate::{Code, Context, Diagnostic};

/// This kind's entry in the table.
pub(super) const KIND: Kind = Kind {
    key: Some("agent"),
    read,
};

/// The subcommand that talks to models, and its options.
const ARGS: [&str; 5] = ["ask", "--agent", "--json", "--quiet", "--error-format=json"];
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
        let task = self.0.task(tool, &arguments)?;
        task.run(tool.timeout(), cx).map(ToolOutput::new)
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
        let words = ["cogtools", "ask", "--agent"].map(str::to_owned);
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
    /// Asks the model, for at most `timeout`, and returns its answer.
    ///
    /// # Errors
    ///
    /// The program that talks to models is not installed, or the agent gives no answer.
    pub fn run(&self, timeout: Duration, cx: &Context) -> Result<String, RunError> {
        let name = &*self.tool;
        let program = OwnProgram {
            args: &ARGS,
            // Serializing text, numbers and JSON cannot fail.
            input: serde_json::to_vec(self).unwrap_or_default(),
            timeout,
            max_output: MAX_REPORT,
            lines: None,
        };
        let report: Option<Value> = serde_json::from_slice(&program.run(name, cx)?).ok();
        let text = report.and_then(|report| Some(report.get("text")?.as_str()?.to_owned()));
        text.ok_or_else(|| CommandError::Report.diagnostic(name))
    }

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

/// The agent of a node, and the schema of its reply.
pub(super) fn read_node(
    entry: &Entry,
    reader: &mut Reader<'_>,
) -> Option<(Arc<dyn Handler>, Option<Schema>)> {
    let (definition, reply) = Definition::read_node(entry, reader)?;
    Some((Arc::new(Agent(definition)), reply))
}
