//! What clients are told of a tool, as they are told it: JSON, and no tree.
//!
//! A thousand trees of schemas would be most of what the server has in memory.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::OnceLock;

use cogtools_core::tool::ToolError;
use cogtools_core::{Diagnostic, Tool};
use rmcp::model;
use serde_json::value::{RawValue, to_raw_value};

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
    /// See [`Offer::digest`].
    digest: OnceLock<u64>,
}

impl Offer {
    /// What to tell of a tool, or all that is wrong with its file.
    pub(crate) fn of(
        loaded: Result<Tool, ToolError>,
        counted: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        Self::new(&loaded.map_err(ToolError::diagnostics)?, counted)
    }

    /// What to tell of `tool`, and with `counted` what it costs.
    pub(crate) fn new(tool: &Tool, counted: bool) -> Result<Self, Vec<Diagnostic>> {
        let prompts = prompt::is_offered(tool);
        let told = to_raw_value(&tool.to_mcp());
        // A declaration is JSON; that of a tool which is not would be a defect.
        let told = told.map_err(|_| ToolError::Defect(tool.file().to_path_buf()).diagnostics())?;
        Ok(Self {
            told,
            prompts,
            tokens: counted.then(|| tool.tokens()),
            digest: OnceLock::new(),
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

    /// A number that another offer only has when a client comes to know the same
    /// of it.
    pub(crate) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            (self.told.get(), self.prompts).hash(&mut hasher);
            hasher.finish()
        })
    }
}
