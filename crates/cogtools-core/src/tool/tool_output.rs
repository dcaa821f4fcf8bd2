//! What a tool answers.

use serde_json::Value;

/// The result of a call, and what came with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// The result, ready for standard output.
    pub text: String,
    /// The same as a value, for a tool that says `output: {type: json}`, or whose
    /// server gives one.
    pub value: Option<Value>,
    /// The same as the content blocks of MCP, from a tool whose server gives them.
    pub content: Vec<Value>,
    /// How many bytes of what its program printed are left out of the result, which
    /// then says so in its last line.
    pub truncated_bytes: u64,
    /// What its program said aside, on standard error, for whoever asks for it.
    pub stderr: String,
}

impl ToolOutput {
    /// The result `text` and nothing else.
    pub fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}
