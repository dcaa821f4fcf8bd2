//! Tools that run the commands which list the values of another tool's enums.

use std::sync::Arc;
use std::time::Duration;

use crate::Tool;
use crate::tool::values::Values;
use crate::tool::{Definition, ToolError, parse};

/// The time that a command has to list values.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Tool {
    /// Returns true if a command lists values of its enums.
    pub fn lists_values(&self) -> bool {
        !self.value_commands.is_empty()
    }

    /// Returns true if it only runs a command that lists values of another tool's enum.
    pub fn is_lister(&self) -> bool {
        self.lists_values.is_some()
    }

    /// Returns the tools that the user approves: it, if it runs programs, and one for each command
    /// that lists values of its enums.
    pub fn programs(self) -> Vec<Self> {
        let listers = self.listers();
        let own = Some(self).filter(Self::runs_programs);
        own.into_iter().chain(listers).collect()
    }

    /// Returns a tool for each command that lists values of its enums.
    pub(crate) fn listers(&self) -> Vec<Self> {
        let indexes = 0..self.value_commands.len();
        indexes.filter_map(|it| self.lister(it).ok()).collect()
    }

    /// Makes the tool that runs the command with this `index`. It may do what the tool may.
    pub(crate) fn lister(&self, index: usize) -> Result<Self, ToolError> {
        let lister = self.value_commands[index].tool(self.name.as_str())?;
        let definition = Definition {
            env: self.env.clone(),
            timeout: self.timeout.min(TIMEOUT),
            sandbox: self.sandbox.clone(),
            provenance: Arc::clone(&self.provenance),
            text: self.text.clone(),
            lists_values: Some(index),
            ..lister.definition
        };
        Ok(Self {
            definition,
            ..lister
        })
    }

    /// Returns the same tool with the `known` values in its enums.
    pub(crate) fn with_values(&self, known: &Values) -> Result<Self, ToolError> {
        let tool = parse::tool(self.text.clone(), None, known)?;
        Ok(tool.from(Arc::clone(&self.provenance)))
    }
}
