//! A call of a tool that is an agent, as the program that runs it gets it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::environment::AGENT_DEPTH;

/// A call of a tool that is an agent: its templates are rendered over the arguments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentTask {
    /// The name of the tool.
    pub tool: String,
    /// What the agent is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// How it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<String>,
    /// What it always follows, over what it is and how it works.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// What it is asked.
    pub prompt: String,
    /// Patterns of the tools that it may call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The model, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How varied its answers are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Makes its answers repeatable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i32>,
    /// The limit of tokens of a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Texts at which a response ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// The limits of a call.
    #[serde(skip_serializing_if = "AgentBudget::is_default")]
    pub budget: AgentBudget,
    /// The JSON Schema of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Whether the answer is the arguments of a call, which a model without tools has to make.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub answers_by_call: bool,
}

/// The limits of a run of an agent. An absent one does not limit it further than its caller does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentBudget {
    /// Requests to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Calls of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Tokens, sent and received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Money, in the currency of the user's prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
}

impl AgentBudget {
    /// The limits of a run that nothing else limits.
    pub const STANDARD: Self = Self {
        turns: Some(50),
        calls: Some(200),
        tokens: None,
        seconds: None,
        money: None,
    };
    /// The names of the limits.
    pub const KEYS: [&'static str; 5] = ["turns", "calls", "tokens", "seconds", "money"];

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl AgentTask {
    /// The variable that counts how many agents run within each other.
    pub const DEPTH: &'static str = AGENT_DEPTH;
    /// How many agents may run within each other.
    pub const MAX_DEPTH: u8 = 4;
}
