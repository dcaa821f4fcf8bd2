//! The shape of the key `flow` in a tool file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::schema::tool_shape::Agent;

/// Nodes that use each other's results.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Flow {
    /// The nodes by name. A name is the variable with the result of the node: small letters,
    /// digits and underscores.
    #[schemars(extend("minProperties" = 1, "propertyNames" = {"pattern": "^[a-z][a-z0-9_]{0,63}$"}))]
    pub nodes: BTreeMap<String, FlowNode>,
    /// The result, over the parameters and all nodes: a template, or a value with templates in it.
    /// By default, the last result that is not empty.
    pub output: Option<Value>,
}

/// A node: exactly one of text, js, tool, agent, router, each and ask.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FlowNode {
    /// A value, with templates over the parameters and earlier nodes. A text that is one
    /// expression in braces keeps the type of its value.
    pub text: Option<Value>,
    /// JavaScript over args, which has the parameters and the nodes under needs.
    #[schemars(regex(pattern = r"\S"))]
    pub js: Option<String>,
    /// With js: the tools that the code calls, by name, pattern or toolset.
    #[schemars(length(min = 1))]
    pub tools: Option<Vec<String>>,
    /// A call of a tool: its name, or a map.
    pub tool: Option<FlowTool>,
    /// A question to a model.
    pub agent: Option<FlowAgent>,
    /// The first of these whose condition holds chooses a node; the others are skipped.
    #[schemars(length(min = 1))]
    pub router: Option<Vec<FlowRoute>>,
    /// An implementation for each item of a list.
    pub each: Option<FlowEach>,
    /// A question to the user.
    pub ask: Option<FlowAsk>,
    /// The nodes that end before it starts, besides those that it mentions. NAME? is optional:
    /// without a result it is null.
    pub needs: Option<Vec<String>>,
    /// The expression, without braces, that must hold; otherwise the node is skipped.
    #[schemars(regex(pattern = r"\S"))]
    pub when: Option<String>,
    /// Repetitions of it, or of an item of it, after a failure.
    pub retry: Option<FlowRetry>,
    /// The time limit for it, or for an item of it, in seconds.
    #[schemars(range(min = 0))]
    pub timeout: Option<f64>,
    /// With tool: whether the result of the same call in an earlier run is used. It has no effect
    /// unless the tool only reads, or is idempotent.
    pub cache: Option<bool>,
    /// With agent: the node that an answer of true chooses.
    pub then: Option<String>,
    /// With agent: the node that any other answer chooses.
    pub r#else: Option<String>,
}

/// A call of a tool.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum FlowTool {
    /// The name of the tool, or a template.
    Name(String),
    /// A call with arguments.
    Call(Box<FlowCall>),
}

/// A call of a tool by its name or by a capability.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FlowCall {
    /// The name of the tool, or a template.
    pub name: Option<String>,
    /// The purpose of the tool, such as search.web, or a template. Exactly one tool has to have it.
    pub capability: Option<String>,
    /// The only capabilities that count.
    pub among: Option<Vec<String>>,
    /// The arguments, with templates in them: a map, or an expression in braces.
    pub arguments: Option<Value>,
    /// A result that is used without a call.
    pub preset: Option<Value>,
}

/// A question to a model: the keys of an agent, of which rules suffice.
#[derive(Clone, Debug, JsonSchema)]
pub struct FlowAgent {
    /// The keys of an agent.
    #[schemars(flatten)]
    pub agent: Agent,
    /// The properties of its answer, written as parameters are; without it, the answer is text.
    pub reply: Option<Map<String, Value>>,
}

/// A question to the user.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum FlowAsk {
    /// The question, which any text answers.
    Text(String),
    /// A question with an answer that is checked.
    Checked(Box<CheckedAsk>),
}

/// A question with an answer that is checked.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckedAsk {
    /// The question.
    pub text: String,
    /// The properties of the answer, written as parameters are; without it, the answer is text.
    pub reply: Option<Map<String, Value>>,
    /// The answer to an empty line, and where nobody can be asked.
    pub default: Option<Value>,
    /// The seconds after which `default` answers an open question.
    #[schemars(range(min = 0))]
    pub timeout: Option<f64>,
}

/// A choice.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FlowRoute {
    /// The expression that must hold; without it, the choice is always taken.
    pub when: Option<String>,
    /// The node.
    pub to: String,
}

/// An implementation for each item of a list: exactly one of text, js, tool and agent.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FlowEach {
    /// The list: a template that is one expression.
    pub r#in: Value,
    /// The variable with the item; by default, item.
    pub r#as: Option<String>,
    /// The maximum number of items in work at the same time; by default, 4.
    #[schemars(range(min = 1))]
    pub max: Option<u32>,
    /// The end of an item that fails: fail, which fails the node, or keep, whose value is an
    /// object with error.
    #[schemars(extend("enum" = ["fail", "keep"]))]
    pub errors: Option<String>,
    /// A value for each item.
    pub text: Option<Value>,
    /// JavaScript for each item.
    pub js: Option<String>,
    /// With js: the tools that the code calls.
    #[schemars(length(min = 1))]
    pub tools: Option<Vec<String>>,
    /// A call for each item.
    pub tool: Option<FlowTool>,
    /// A question to a model for each item.
    pub agent: Option<FlowAgent>,
}

/// Repetitions of a node that fails.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FlowRetry {
    /// The number of repetitions; by default, none, and three with until.
    pub times: Option<u32>,
    /// The seconds before the second attempt.
    #[schemars(range(min = 0))]
    pub delay: Option<f64>,
    /// The factor by which each further delay is longer.
    #[schemars(range(min = 0))]
    pub backoff: Option<f64>,
    /// An expression, without braces, or several: what the result has to meet. The variable of the
    /// node has the result.
    pub until: Option<FlowChecks>,
}

/// Conditions of a result.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum FlowChecks {
    /// An expression.
    One(String),
    /// All of these.
    All(#[schemars(length(min = 1))] Vec<String>),
}
