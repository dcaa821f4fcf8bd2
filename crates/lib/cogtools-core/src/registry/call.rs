//! A call, from the name of a tool to its output.
//!
//! `call_tool` only calls another tool. That tool is looked up before any arguments are
//! validated, so a call is always one of the tool that does the work, with that tool's
//! timeout.

use std::sync::Arc;

use super::limit::Limit;
use super::{Registry, builtin};
use crate::approval::{approve, run_briefly};
use crate::arguments::Arguments;
use crate::{Context, Diagnostic, FindError, Name, Tool, ToolOutput};

/// A tool and its arguments.
#[derive(Debug)]
pub struct Call {
    tool: Arc<Tool>,
    arguments: Arguments,
}

impl Registry {
    /// Prepares a call of the tool of that name, or returns all errors.
    pub fn prepare(&self, name: &str, arguments: Arguments) -> Result<Call, Vec<Diagnostic>> {
        let tool = self.find(name).map_err(FindError::diagnostics)?;
        self.prepare_tool(tool, arguments)
    }

    /// Prepares a call of a tool of this registry. For `call_tool` it is a call of the
    /// tool that the arguments name.
    pub fn prepare_tool(
        &self,
        tool: impl Into<Arc<Tool>>,
        arguments: Arguments,
    ) -> Result<Call, Vec<Diagnostic>> {
        let (mut tool, mut arguments) = (tool.into(), arguments);
        // The arguments are finite, and each round unwraps one level.
        while tool.name().as_str() == Name::CALL {
            let accepted = tool
                .accept(arguments)
                .map_err(|error| error.diagnostics(&tool))?;
            let (name, inner) = builtin::target(accepted.into_object());
            tool = self.find(&name).map_err(target_not_found)?.into();
            arguments = inner;
        }
        Ok(Call::new(tool, arguments))
    }
}

impl Call {
    /// Prepares a call of a tool that was loaded from a file.
    pub const fn new(tool: Arc<Tool>, arguments: Arguments) -> Self {
        Self { tool, arguments }
    }

    /// The tool that does the work.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// Its timeout.
    pub fn limit(&self) -> Limit {
        Limit::of(&self.tool)
    }

    /// Returns all errors for which [`Call::run`] would fail before the tool runs.
    pub fn check(&self, cx: &Context) -> Result<(), Vec<Diagnostic>> {
        self.tool
            .accept(self.arguments.clone())
            .map_err(|error| error.diagnostics(&self.tool))?;
        let approved = approve(&*self.tool, cx);
        approved.map_err(|diagnostic| vec![*diagnostic]).map(drop)
    }

    /// Runs the call if that ends within about a millisecond and waits for nothing, so that an
    /// async task may do it: a short template in the tool file, which a whole run has compiled.
    /// The result is that of [`Call::run`]; `None` if it may take longer or fails. The arguments
    /// have to be short, since they are validated whole.
    pub fn run_briefly(self) -> Option<ToolOutput> {
        run_briefly(&self.tool, self.arguments)
    }

    /// Validates the arguments and runs the tool, if it is approved: returns the
    /// output, or all errors.
    pub fn run(self, cx: &Context) -> Result<ToolOutput, Vec<Diagnostic>> {
        let Self { tool, arguments } = self;
        let _step = tracing::debug_span!("call", tool = ?tool.name().as_str()).entered();
        let accepted = tool
            .accept(arguments)
            .map_err(|error| error.diagnostics(&tool))?;
        approve(tool, cx)
            .map_err(|diagnostic| vec![*diagnostic])?
            .run(accepted, cx)
            .map_err(|diagnostic| vec![*diagnostic])
    }
}

/// All errors in the name of a tool that was to be called through another one.
fn target_not_found(error: FindError) -> Vec<Diagnostic> {
    let mut diagnostics = error.diagnostics();
    if let Some(first) = diagnostics.first_mut() {
        let hint = format!("{} searches all tools", Name::FIND);
        first.hints.push(hint.into());
    }
    diagnostics
}
