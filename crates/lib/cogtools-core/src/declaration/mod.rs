//! Declarations of tools, in the format of each host.

mod api;
mod limit;
mod mcp;
mod names;
mod root;

use std::borrow::Cow;

pub use limit::HostLimit;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::schema::Schema;
use crate::{Tool, estimate_tokens};

/// A declaration format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Gemini CLI and its forks: `parameters` (OpenAPI 3.0) for 0.1,
    /// `parametersJsonSchema` for 0.2.2 and later; each reads only one of them.
    Gemini,
    /// OpenAI's `tools` of type `function`.
    OpenAi,
    /// Anthropic's `tools`.
    Anthropic,
    /// MCP's `Tool`.
    Mcp,
}

impl Target {
    /// The names on the command line.
    pub const NAMES: [&'static str; 4] = ["gemini", "openai", "anthropic", "mcp"];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Mcp => "mcp",
        }
    }

    /// The target called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "gemini" => Self::Gemini,
            "openai" => Self::OpenAi,
            "anthropic" => Self::Anthropic,
            "mcp" => Self::Mcp,
            _ => return None,
        })
    }

    /// The declaration of `tool` as compact JSON.
    pub fn print(self, tool: &Tool) -> String {
        match self {
            // These formats are printed for a thousand tools in a row, so they skip the tree.
            Self::Gemini => {
                let schema = self.api().schema_of(tool);
                serde_json::to_string(&Gemini::new(tool, &schema)).unwrap_or_default()
            }
            Self::Mcp => serde_json::to_string(&tool.to_mcp(None)).unwrap_or_default(),
            _ => self.declare(tool).to_string(),
        }
    }

    /// The declaration of `tool`.
    pub fn declare(self, tool: &Tool) -> Value {
        let api = self.api();
        let schema = api.schema_of(tool);
        let json_schema = || api.json_schema_of(&schema);
        let name = tool.name().as_str();
        let description = api.description_of(tool);
        match self {
            Self::Gemini => serde_json::to_value(Gemini::new(tool, &schema)).unwrap_or_default(),
            Self::OpenAi => json!({
                "type": "function",
                "function": {"name": name, "description": description, "parameters": json_schema()},
            }),
            Self::Anthropic => {
                let mut result = json!({
                    "name": name, "description": description, "input_schema": json_schema(),
                });
                let examples: Vec<Value> = tool.examples().map(Value::Object).collect();
                if !examples.is_empty() {
                    result["input_examples"] = examples.into();
                }
                result
            }
            Self::Mcp => serde_json::to_value(tool.to_mcp(None)).unwrap_or_default(),
        }
    }
}

impl Tool {
    /// The declaration for MCP, for callers that serialize it themselves, and for clients that
    /// pass it to `api`, if that is known.
    pub fn to_mcp(&self, api: Option<Target>) -> impl Serialize {
        Mcp {
            tool: self,
            schema: api.unwrap_or(Target::Mcp).api().schema_of(self),
        }
    }

    /// The approximate number of tokens that the tool's declaration costs in every
    /// request: those of its name, description and JSON Schema as compact JSON, by
    /// [`estimate_tokens`]. Tokenizers differ; the estimate is meant for comparisons
    /// and budgets.
    pub fn tokens(&self) -> usize {
        let declaration = json!({
            "name": self.name().as_str(),
            "description": self.description(),
            "parameters": self.schema().to_json_schema(),
        });
        estimate_tokens(&declaration.to_string())
    }
}

/// A declaration for MCP, with the schema that it borrows from.
struct Mcp<'t> {
    tool: &'t Tool,
    schema: Cow<'t, Schema>,
}

impl Serialize for Mcp<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        mcp::Declaration::new(self.tool, &self.schema).serialize(serializer)
    }
}

/// A declaration for Gemini CLI.
#[derive(Serialize)]
struct Gemini<'t> {
    name: &'t str,
    description: &'t str,
    /// The API rejects empty `properties`, so they are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'t Map<String, Value>>,
    #[serde(rename = "parametersJsonSchema")]
    schema: Cow<'t, Map<String, Value>>,
}

impl<'t> Gemini<'t> {
    fn new(tool: &'t Tool, schema: &'t Schema) -> Self {
        Self {
            name: tool.name().as_str(),
            description: tool.description(),
            parameters: (!schema.is_empty()).then(|| schema.as_object()),
            schema: schema.json_schema(),
        }
    }
}
