//! The shape of filters and of the settings of hosts.

use schemars::JsonSchema;

use crate::schema::shape::match_parser;

/// Which tools are available. In a name, * matches any characters and ? matches one.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Filter {
    /// Only tools with these names.
    pub tools: Option<Vec<String>>,
    /// No tools with these names.
    pub exclude: Option<Vec<String>>,
    /// Only tools in these toolsets: folders below a source, or packages.
    pub toolsets: Option<Vec<String>>,
}

/// The tools of one host.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Host {
    /// Only tools with these names.
    pub tools: Option<Vec<String>>,
    /// No tools with these names.
    pub exclude: Option<Vec<String>>,
    /// Only tools in these toolsets: folders below a source, or packages.
    pub toolsets: Option<Vec<String>>,
    /// The maximum number of tokens for all declarations, instead of the general budget.
    pub budget: Option<u64>,
}

/// A filter and a budget for each host.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Hosts {
    /// The tools of Gemini CLI and compatible hosts.
    pub gemini: Option<Host>,
    /// The tools in declarations for OpenAI.
    pub openai: Option<Host>,
    /// The tools in declarations for Anthropic.
    pub anthropic: Option<Host>,
    /// The tools of the MCP server, and what it says about itself.
    pub mcp: Option<McpHost>,
}

/// The tools of the MCP server, and what it says about itself.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct McpHost {
    /// Only tools with these names.
    pub tools: Option<Vec<String>>,
    /// No tools with these names.
    pub exclude: Option<Vec<String>>,
    /// Only tools in these toolsets: folders below a source, or packages.
    pub toolsets: Option<Vec<String>>,
    /// The maximum number of tokens for all declarations, instead of the general budget.
    pub budget: Option<u64>,
    /// The name of the server that clients show.
    pub title: Option<String>,
    /// What a model should know about the tools together; that of a project only if the user
    /// trusts it.
    pub instructions: Option<String>,
}
