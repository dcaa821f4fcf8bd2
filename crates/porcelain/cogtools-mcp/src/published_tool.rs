//! A tool as clients see it, stored as JSON text.
//!
//! Parsed schemas of a thousand tools would be most of the server's memory.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::OnceLock;

use cogtools_core::tool::ToolError;
use cogtools_core::{Diagnostic, Target, Tool};
use rmcp::model;
use serde_json::value::{RawValue, to_raw_value};

use crate::prompt;

/// A tool that clients can list.
#[derive(Debug)]
pub(crate) struct PublishedTool {
    /// The declaration in the format of MCP.
    json: Box<RawValue>,
    /// Whether the tool is a prompt, too.
    is_prompt: bool,
    /// The size of its declaration, if it was counted.
    tokens: Option<usize>,
    /// See [`PublishedTool::digest`].
    digest: OnceLock<u64>,
}

/// How tools are published.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PublishOptions {
    /// Whether to count their tokens.
    pub(crate) count_tokens: bool,
    /// The API that the client passes them to, if it is known.
    pub(crate) api: Option<Target>,
}

impl PublishedTool {
    /// A tool that was loaded from its file, or all errors of the file.
    pub(crate) fn from_loaded(
        loaded: Result<Tool, ToolError>,
        options: PublishOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        Self::new(&loaded.map_err(ToolError::diagnostics)?, options)
    }

    /// Publishes `tool`, unless the client's API rejects it.
    pub(crate) fn new(tool: &Tool, options: PublishOptions) -> Result<Self, Vec<Diagnostic>> {
        let rejections = tool.mcp_rejections(options.api);
        if !rejections.is_empty() {
            return Err(rejections);
        }
        // A declaration that cannot be encoded would be a bug.
        let json = to_raw_value(&tool.to_mcp(options.api))
            .map_err(|_| ToolError::Bug(tool.file().to_path_buf()).diagnostics())?;
        Ok(Self {
            json,
            is_prompt: prompt::is_prompt(tool),
            tokens: options.count_tokens.then(|| tool.tokens()),
            digest: OnceLock::new(),
        })
    }

    /// Whether its tokens were counted.
    pub(crate) const fn has_token_count(&self) -> bool {
        self.tokens.is_some()
    }

    /// The size of its declaration, in tokens; 0 if they were not counted.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens.unwrap_or_default()
    }

    /// The declaration as text.
    pub(crate) const fn json(&self) -> &RawValue {
        &self.json
    }

    /// The declaration in the protocol's own type.
    pub(crate) fn tool(&self) -> Option<model::Tool> {
        serde_json::from_str(self.json.get()).ok()
    }

    /// The prompt for this tool, if it is one.
    pub(crate) fn prompt(&self) -> Option<model::Prompt> {
        let tool = self.is_prompt.then(|| self.tool())??;
        Some(prompt::from_tool(tool))
    }

    /// A hash of all that clients can see of the tool.
    pub(crate) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            (self.json.get(), self.is_prompt).hash(&mut hasher);
            hasher.finish()
        })
    }
}
