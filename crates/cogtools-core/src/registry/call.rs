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
use crate::{Answer, Fault, FindError, Name, Surroundings, Tool};

/// A tool and what it is called with.
#[derive(Debug)]
pub struct Call {
    tool: Arc<Tool>,
    arguments: Arguments,
}

impl Registry {
    /// The call of the tool of that name, or all that is in its way.
    pub fn prepare(&self, name: &str, arguments: Arguments) -> Result<Call, Vec<Fault>> {
        let tool = self.find(name).map_err(FindError::faults)?;
        self.prepare_tool(tool, arguments)
    }

    /// The call of a tool that was found here. For `call_tool` it is that of the tool
    /// which the arguments name.
    pub fn prepare_tool(&self, tool: Tool, arguments: Arguments) -> Result<Call, Vec<Fault>> {
        let (mut tool, mut arguments) = (tool, arguments);
        // The arguments are finite, and each round takes some away.
        while tool.name().as_str() == Name::CALL {
            let accepted = tool.accept(arguments);
            let accepted = accepted.map_err(|error| error.faults(&tool))?;
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
    pub fn run(self, around: &Surroundings) -> Result<Answer, Vec<Fault>> {
        let Self { tool, arguments } = self;
        let accepted = tool.accept(arguments);
        let accepted = accepted.map_err(|error| error.faults(&tool))?;
        let approved = approve(&tool, around).map_err(|fault| vec![*fault])?;
        let answer = approved.run(accepted, around);
        answer.map_err(|fault| vec![*fault])
    }
}

/// All that is wrong with the name of a tool that was to be called through another.
fn absent(error: FindError) -> Vec<Fault> {
    let mut faults = error.faults();
    if let Some(first) = faults.first_mut() {
        let hint = format!("{} searches all tools there are", Name::FIND);
        first.hints.push(hint.into());
    }
    faults
}
