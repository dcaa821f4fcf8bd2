//! What clients are told of a tool, as they are told it: JSON, and no tree.
//!
//! A thousand trees of schemas would be most of what the server has in memory.

use cogtools_core::tool::ToolError;
use cogtools_core::{Fault, Target, Tool};
use rmcp::model;
use serde_json::value::RawValue;

use crate::prompt;

/// One tool, declared.
#[derive(Debug)]
pub(crate) struct Offer {
    /// The declaration, as MCP has it.
    told: Box<RawValue>,
    /// Whether the tool is a prompt too.
    prompts: bool,
    /// What it costs the model, if that was counted.
    tokens: Option<usize>,
}

impl Offer {
    /// What to tell of a tool, or all that is wrong with its file.
    pub(crate) fn of(loaded: Result<Tool, ToolError>, counted: bool) -> Result<Self, Vec<Fault>> {
        Self::new(&loaded.map_err(ToolError::faults)?, counted)
    }

    /// What to tell of `tool`, and with `counted` what it costs.
    pub(crate) fn new(tool: &Tool, counted: bool) -> Result<Self, Vec<Fault>> {
        let prompts = prompt::is_offered(tool);
        let told = RawValue::from_string(Target::Mcp.print(tool));
        // A declaration is JSON; that of a tool which is not would be a defect.
        let told = told.map_err(|_| ToolError::Defect(tool.file().to_path_buf()).faults())?;
        Ok(Self {
            told,
            prompts,
            tokens: counted.then(|| tool.tokens()),
        })
    }

    /// Whether its cost is known.
    pub(crate) const fn is_counted(&self) -> bool {
        self.tokens.is_some()
    }

    /// What it costs the model, in tokens; nothing if nobody has counted.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens.unwrap_or_default()
    }

    /// The declaration, word for word.
    pub(crate) const fn told(&self) -> &RawValue {
        &self.told
    }

    /// The declaration in the protocol's own type.
    pub(crate) fn tool(&self) -> Option<model::Tool> {
        serde_json::from_str(self.told.get()).ok()
    }

    /// The prompt that the tool makes, if it makes one.
    pub(crate) fn prompt(&self) -> Option<model::Prompt> {
        let tool = self.prompts.then(|| self.tool())??;
        Some(prompt::of(tool))
    }

    /// All that a client can come to know of it.
    pub(crate) fn said(&self) -> (&str, bool) {
        (self.told.get(), self.prompts)
    }
}
