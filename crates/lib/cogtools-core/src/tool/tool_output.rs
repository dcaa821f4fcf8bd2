//! The output of a call.

use serde_json::{Map, Value};

/// The result of a call and its side output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// The result, ready for standard output.
    pub text: String,
    /// The result as a value, for a tool with `output: {type: json}` or an MCP server
    /// that returns structured content.
    pub value: Option<Value>,
    /// The result as MCP content blocks, for a tool of an MCP server.
    pub content: Vec<Value>,
    /// What an MCP server has added to the result for clients.
    pub meta: Map<String, Value>,
    /// How many bytes of the program's output were truncated. If any, the last line of
    /// the result says so.
    pub truncated_bytes: u64,
    /// The program's standard error.
    pub stderr: String,
}

impl ToolOutput {
    /// An output with only the result `text`.
    pub fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}
