//! A flow: nodes that use each other's results, as a tool file describes them.
//!
//! What a node does is known once its variables are: the parameters of the tool, and the results
//! of the nodes that it needs. [`FlowNode::action`] says what that is; the program `cogtools-flow`
//! does it.

mod action;
mod error;
mod implementation;
mod link;
mod mermaid;
mod node;
mod shape;

use serde_json::{Map, Value};

pub use action::{FlowAction, FlowCall, FlowItems, FlowQuestion, FlowTarget, FlowTask};
pub use error::FlowError;
pub(super) use implementation::Implementation;
pub(super) use link::link;
pub(super) use node::{AgentNode, Branches, EachNode, NodeKind, Route, ToolNode};
pub use node::{FlowNeed, FlowNode, FlowRetry};
pub use shape::{FlowArgument, FlowCallShape, FlowRoute, FlowTemplate};

use super::Tool;
use super::template::{Partials, Template, ValueTemplate};
use crate::Diagnostic;

/// A flow.
#[derive(Debug, Default)]
pub struct Flow {
    nodes: Vec<FlowNode>,
    output: Option<ValueTemplate>,
}

impl Flow {
    /// How many nodes a flow has at most.
    pub const MAX_NODES: usize = 1_000;

    pub(super) const fn new(nodes: Vec<FlowNode>, output: Option<ValueTemplate>) -> Self {
        Self { nodes, output }
    }

    /// The nodes, in the order of the file.
    pub fn nodes(&self) -> &[FlowNode] {
        &self.nodes
    }

    /// A node.
    pub fn node(&self, id: &str) -> Option<&FlowNode> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The output of a run of `tool`, whose flow this is: what `output` says, with the parameters
    /// and all results as variables. Without `output`, the last result that is not empty.
    ///
    /// # Errors
    ///
    /// The template fails.
    pub fn output(
        &self,
        tool: &Tool,
        variables: &Map<String, Value>,
    ) -> Result<Value, Box<Diagnostic>> {
        if let Some(output) = &self.output {
            return output.evaluate(tool.text(), &Partials::of(tool.text()), variables);
        }
        let mut values = self.nodes.iter().rev();
        let last = values.find_map(|node| {
            let value = variables.get(&node.id).filter(|_| !node.is_router());
            value.filter(|value| !is_empty(value))
        });
        Ok(last.cloned().unwrap_or_default())
    }

    /// A value as text: text as it is, nothing for null, anything else as JSON.
    pub fn text(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            value => value.to_string(),
        }
    }

    /// Whether a model is asked by a node itself.
    pub(super) fn asks_a_model(&self) -> bool {
        self.nodes.iter().any(|node| node.kind.asks_a_model())
    }

    /// The handlers of code and of agents.
    pub(super) fn implementations(&self) -> impl Iterator<Item = &dyn Implementation> {
        self.nodes
            .iter()
            .filter_map(|node| node.kind.implementation())
    }

    /// All templates.
    pub(super) fn templates(&self) -> Vec<&Template> {
        let nodes = self.nodes.iter();
        let nodes = nodes.flat_map(|node| node.templates().into_iter().chain(&node.until));
        nodes
            .chain(self.output.iter().flat_map(ValueTemplate::templates))
            .collect()
    }
}

impl Tool {
    /// Whether it is an agent.
    pub fn is_agent(&self) -> bool {
        self.handler.is_agent()
    }

    /// Whether it asks a model itself: an agent, or a flow with one.
    pub fn asks_a_model(&self) -> bool {
        self.is_agent() || self.flow().is_some_and(Flow::asks_a_model)
    }

    /// Its nodes, if it is a flow.
    pub fn flow(&self) -> Option<&Flow> {
        self.handler.flow()
    }
}

/// Whether a result says nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
