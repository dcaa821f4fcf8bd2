//! Why a response ended.

use std::fmt;

/// The `finishReason` of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model was done, also with calls.
    Stop,
    /// The limit of output tokens was reached.
    MaxTokens,
    /// The provider's policies ended it.
    Refused(String),
    /// The model made a call that is none.
    MalformedCall(String),
    /// Any other reason, as the provider names it.
    Other(String),
}

impl Finish {
    /// Reads the provider's name.
    pub fn new(reason: &str) -> Self {
        let name = reason.to_owned();
        match reason {
            "STOP" => Self::Stop,
            "MAX_TOKENS" => Self::MaxTokens,
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "LANGUAGE"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => Self::Refused(name),
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
                Self::MalformedCall(name)
            }
            _ => Self::Other(name),
        }
    }

    /// The provider's name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "STOP",
            Self::MaxTokens => "MAX_TOKENS",
            Self::Refused(name) | Self::MalformedCall(name) | Self::Other(name) => name,
        }
    }
}

impl fmt::Display for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
