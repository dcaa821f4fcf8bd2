//! How the tool of a node was chosen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How the tool of a node was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Route {
    /// What was asked for.
    pub capability: String,
    /// The same after the aliases of the configuration.
    pub operation: String,
    /// The tools that the node may use.
    pub candidates: Vec<String>,
    /// The tool that was chosen, if there was exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What the agent has answered from which the capability was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Value>,
    /// What came of it, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
}
