//! The arguments that a client sends, before their tool is known.

use cogtools_core::arguments::Arguments;
use cogtools_core::{Diagnostic, Tool};
use rmcp::model::JsonObject;

use crate::prompt;
use crate::raw_arguments::RawArguments;

/// The arguments, by the request that contains them.
#[derive(Debug)]
pub(crate) enum ClientArguments {
    /// Those of `tools/call`.
    OfCall(RawArguments),
    /// Those of `prompts/get`, which are all strings.
    OfPrompt(JsonObject),
}

impl ClientArguments {
    /// The arguments for a call of `tool`.
    pub(crate) fn parse(self, tool: &Tool) -> Result<Arguments, Vec<Diagnostic>> {
        match self {
            Self::OfCall(arguments) => arguments.parse(),
            Self::OfPrompt(arguments) => Ok(prompt::parse_arguments(tool, arguments)),
        }
    }
}
