//! A call, from the name of a tool to its answer.
//!
//! `call_tool` does nothing but call another tool. That one is found before any
//! arguments are accepted, so a call is always one of the tool that does the work,
//! in the time that this tool has.

use std::sync::Arc;

use super::limit::Limit;
use super::{Registry, builtin};
use crate::approval::approve;
use crate::arguments::Arguments;
use crate::{Context, Diagnostic, FindError, Name, Tool, ToolOutput};

/// A tool and what it is called with.
#[derive(Debug)]
pub struct Call {
    tool: Arc<Tool>,
    arguments: Arguments,
}

impl Registry {
    /// The call of the tool of that name, or all that is in its way.
    pub fn prepare(&self, name: &str, arguments: Arguments) -> Result<Call, Vec<Diagnostic>> {
        let tool = self.find(name).map_err(FindError::diagnostics)?;
        self.prepare_tool(tool, arguments)
    }

    /// The call of a tool that was found here. For `call_tool` it is that of the tool
    /// which the arguments name.
    pub fn prepare_tool(&self, tool: Tool, arguments: Arguments) -> Result<Call, Vec<Diagnostic>> {
        let (mut tool, mut arguments) = (tool, arguments);
        // The arguments are finite, and each round takes some away.
        while tool.name().as_str() == Name::CALL {
            let accepted = tool.accept(arguments);
            let accepted = accepted.map_err(|error| error.diagnostics(&tool))?;
            let (name, own) = builtin::target(accepted.into_object());
            tool = self.find(&name).map_err(absent)?;
            arguments = own;
        }
        Ok(Call::new(Arc::new(tool), arguments))
    }
}

impl Call {
    /// A call of a tool that has a file.
    pub const fn new(tool: Arc<Tool>, arguments: Arguments) -> Self {
        Self { tool, arguments }
    }

    /// The tool that does the work.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// How long it may take.
    pub fn limit(&self) -> Limit {
        Limit::of(&self.tool)
    }

    /// Holds the arguments against the tool and runs it, if it is approved: the
    /// answer, or all that is wrong.
    pub fn run(self, cx: &Context) -> Result<ToolOutput, Vec<Diagnostic>> {
        let Self { tool, arguments } = self;
        let accepted = tool.accept(arguments);
        let accepted = accepted.map_err(|error| error.diagnostics(&tool))?;
        let approved = approve(&tool, cx).map_err(|diagnostic| vec![*diagnostic])?;
        let answer = approved.run(accepted, cx);
        answer.map_err(|diagnostic| vec![*diagnostic])
    }
}

/// All that is wrong with the name of a tool that was to be called through another.
fn absent(error: FindError) -> Vec<Diagnostic> {
    let mut diagnostics = error.diagnostics();
    if let Some(first) = diagnostics.first_mut() {
        let hint = format!("{} searches all tools there are", Name::FIND);
        first.hints.push(hint.into());
    }
    diagnostics
}
