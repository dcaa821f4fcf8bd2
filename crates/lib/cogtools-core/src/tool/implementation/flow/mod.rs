//! `implementation: {flow: …}`: nodes that use each other's results.
//!
//! A separate program runs them, so that the programs that run for each call stay small.

mod definition;
mod kinds;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Kind;
use super::own_program::OwnProgram;
use super::progress;
use crate::text::Text;
use crate::tool::agent::AgentTask;
use crate::tool::flow::{Flow, FlowTask, Implementation};
use crate::tool::handler::{Handler, RunError};
use crate::tool::reader::Reader;
use crate::tool::template::{Partials, TemplateSource};
use crate::tool::{Tool, ToolOutput};
use crate::yaml::Entry;
use crate::{Context, Diagnostic};

/// This kind's entry in the table.
pub(super) const KIND: Kind = Kind {
    key: Some("flow"),
    read,
};

/// The subcommand that runs a flow, and its options, the last one for progress.
const ARGS: [&str; 4] = ["flow", "call", "--error-format=json", "--progress"];
/// The longest result, in bytes.
const MAX_RESULT: usize = 8 << 20;

#[derive(Debug)]
struct FlowHandler(Flow);

fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let flow = definition::read(entry, reader)?;
    Some(Arc::new(FlowHandler(flow)))
}

impl Handler for FlowHandler {
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let name = tool.name().as_str();
        let task = FlowTask {
            tool: name.to_owned(),
            file: tool.text().path().to_path_buf(),
            digest: FlowTask::digest(tool),
            arguments,
            presets: Map::clone(&cx.presets),
        };
        let program = OwnProgram {
            args: if cx.progress.is_some() {
                &ARGS
            } else {
                &ARGS[..3]
            },
            // Serializing text and JSON cannot fail.
            input: serde_json::to_vec(&task).unwrap_or_default(),
            timeout: tool.timeout(),
            max_output: MAX_RESULT,
            lines: progress::of_nodes(cx, self.0.nodes().len()),
        };
        let output = program.run(name, cx)?;
        Ok(ToolOutput::new(
            String::from_utf8_lossy(&output).into_owned(),
        ))
    }

    fn runs_programs(&self) -> bool {
        self.0.asks_a_model()
    }

    fn needs_context(&self) -> bool {
        true
    }

    fn starts_process(&self) -> bool {
        true
    }

    fn flow(&self) -> Option<&Flow> {
        Some(&self.0)
    }

    fn check(&self, text: &Text) -> Result<(), Box<Diagnostic>> {
        let partials = Partials::of(text);
        for template in self.0.templates() {
            template.check(text, &partials)?;
        }
        let mut inner = self.0.implementations();
        inner.try_for_each(|inner| inner.check(text))
    }
}

/// Code or an agent, as the handlers of such tools run them.
#[derive(Debug)]
struct Inner(Arc<dyn Handler>);

/// The implementation of a node.
fn inner(handler: Arc<dyn Handler>) -> Arc<dyn Implementation> {
    Arc::new(Inner(handler))
}

impl Implementation for Inner {
    fn value(
        &self,
        tool: &Tool,
        variables: &Map<String, Value>,
        cx: &Context,
    ) -> Result<Value, RunError> {
        self.0.value(tool, variables.clone(), cx)
    }

    fn task(&self, tool: &Tool, variables: &Map<String, Value>) -> Result<AgentTask, RunError> {
        let task = self.0.agent(tool, variables).transpose()?;
        Ok(task.unwrap_or_default())
    }

    fn templates(&self, text: &Text) -> Vec<TemplateSource> {
        self.0.templates(text)
    }

    fn check(&self, text: &Text) -> Result<(), Box<Diagnostic>> {
        self.0.check(text)
    }
}
