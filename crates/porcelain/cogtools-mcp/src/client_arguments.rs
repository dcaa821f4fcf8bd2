//! The arguments that a client sends, before their tool is known.

use std::time::Instant;

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
    /// How many bytes short ones have at most.
    const MAX_SHORT_BYTES: usize = 4 << 10;

    /// When the server had read them.
    pub(crate) fn read_at(&self) -> Instant {
        match self {
            Self::OfCall(arguments) => arguments.read_at(),
            Self::OfPrompt(_) => Instant::now(),
        }
    }

    /// A copy, if they are parsed and validated within microseconds.
    pub(crate) fn short(&self) -> Option<Self> {
        match self {
            Self::OfCall(arguments) if arguments.len() <= Self::MAX_SHORT_BYTES => {
                Some(Self::OfCall(arguments.clone()))
            }
            Self::OfCall(_) | Self::OfPrompt(_) => None,
        }
    }

    /// The arguments for a call of `tool`.
    pub(crate) fn parse(self, tool: &Tool) -> Result<Arguments, Vec<Diagnostic>> {
        match self {
            Self::OfCall(arguments) => arguments.parse(),
            Self::OfPrompt(arguments) => Ok(prompt::parse_arguments(tool, arguments)),
        }
    }
}
