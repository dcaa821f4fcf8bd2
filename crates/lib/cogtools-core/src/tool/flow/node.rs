//! A node of a flow, and what it can be.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::Implementation;
use crate::schema::Schema;
use crate::text::Span;
use crate::tool::template::{Template, ValueTemplate};

/// A node of a flow.
#[derive(Debug)]
pub struct FlowNode {
    /// Its name, which is the variable with its result.
    pub id: String,
    /// The nodes that end before it starts: those it names, those it mentions, and the routers
    /// that choose it.
    pub needs: Vec<FlowNeed>,
    /// The routers of which at least one has to choose it; if there are none, it needs no choice.
    pub routers: Vec<String>,
    /// How often it is run again when it fails.
    pub retry: FlowRetry,
    /// How long an attempt may take.
    pub timeout: Option<Duration>,
    /// Whether an earlier result of the same call counts, if its tool allows that.
    pub is_cached: bool,
    pub(in crate::tool) when: Option<Template>,
    /// What its result has to meet; otherwise the attempt has failed.
    pub(in crate::tool) until: Vec<Template>,
    pub(in crate::tool) kind: NodeKind,
    pub(in crate::tool) span: Span,
    /// The needs that the file names.
    pub(in crate::tool) named: Vec<(FlowNeed, Span)>,
}

/// A node that another one needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowNeed {
    /// Its name.
    pub node: String,
    /// Whether the other one runs even if this one has no result.
    pub is_optional: bool,
}

/// How often a node that fails is run again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowRetry {
    /// How often it is run again.
    pub times: u32,
    /// The delay before the second attempt.
    pub delay: Duration,
    /// The factor by which each further delay is longer.
    pub backoff: f64,
}

/// What a node does.
#[derive(Debug)]
pub(in crate::tool) enum NodeKind {
    /// It has a value.
    Text(ValueTemplate),
    /// It computes a value.
    Js(Arc<dyn Implementation>),
    /// It asks a model.
    Agent(AgentNode),
    /// It calls a tool.
    Tool(ToolNode),
    /// It chooses the first of these nodes whose condition holds.
    Router(Vec<Route>),
    /// It does the same for each item of a list.
    Each(Box<EachNode>),
    /// It asks the user.
    Ask(ValueTemplate),
}

/// A node that asks a model.
#[derive(Debug)]
pub(in crate::tool) struct AgentNode {
    pub(in crate::tool) agent: Arc<dyn Implementation>,
    /// The schema of its answer, if that is JSON.
    pub(in crate::tool) reply: Option<Schema>,
    /// The nodes between which the answer chooses.
    pub(in crate::tool) branches: Option<Branches>,
}

/// The nodes that an agent chooses between.
#[derive(Clone, Debug)]
pub(in crate::tool) struct Branches {
    pub(in crate::tool) yes: (String, Span),
    pub(in crate::tool) no: (String, Span),
}

/// A node that calls a tool.
#[derive(Debug)]
pub(in crate::tool) struct ToolNode {
    pub(in crate::tool) name: Option<ValueTemplate>,
    pub(in crate::tool) capability: Option<ValueTemplate>,
    /// The capabilities that it may use; all of them if there are none.
    pub(in crate::tool) among: Vec<String>,
    pub(in crate::tool) arguments: ValueTemplate,
    /// What it answers without a call.
    pub(in crate::tool) preset: Option<Value>,
}

/// A choice of a router.
#[derive(Debug)]
pub(in crate::tool) struct Route {
    pub(in crate::tool) when: Option<Template>,
    pub(in crate::tool) to: (String, Span),
}

/// A node that does the same for each item of a list.
#[derive(Debug)]
pub(in crate::tool) struct EachNode {
    pub(in crate::tool) list: ValueTemplate,
    /// The variable with the item.
    pub(in crate::tool) variable: String,
    /// How many items are worked on at the same time.
    pub(in crate::tool) max: usize,
    pub(in crate::tool) kind: NodeKind,
}

impl Default for FlowRetry {
    /// A failure is final.
    fn default() -> Self {
        Self {
            times: 0,
            delay: Duration::ZERO,
            backoff: 1.0,
        }
    }
}

impl FlowNode {
    /// A node that does nothing yet.
    pub(in crate::tool) fn new(id: String, span: Span) -> Self {
        Self {
            id,
            needs: Vec::new(),
            routers: Vec::new(),
            retry: FlowRetry::default(),
            timeout: None,
            is_cached: false,
            when: None,
            until: Vec::new(),
            kind: NodeKind::Text(ValueTemplate::Constant(Value::Null)),
            span,
            named: Vec::new(),
        }
    }

    /// The kind, as the file writes it.
    pub const fn kind(&self) -> &'static str {
        self.kind.name()
    }

    /// Whether its result is the name of the node that it chooses.
    pub const fn is_router(&self) -> bool {
        matches!(
            &self.kind,
            NodeKind::Router(_)
                | NodeKind::Agent(AgentNode {
                    branches: Some(_),
                    ..
                })
        )
    }

    /// The tool that it calls, if its file names one.
    pub fn tool(&self) -> Option<&str> {
        match self.kind.innermost() {
            NodeKind::Tool(ToolNode {
                name: Some(ValueTemplate::Constant(Value::String(name))),
                ..
            }) => Some(name),
            _ => None,
        }
    }

    /// Whether it calls tools.
    pub fn calls_tools(&self) -> bool {
        matches!(self.kind.innermost(), NodeKind::Tool(_))
    }

    /// Whether it asks a model.
    pub fn asks_a_model(&self) -> bool {
        self.kind.asks_a_model()
    }

    /// The capabilities that it may use.
    pub fn among(&self) -> &[String] {
        match self.kind.innermost() {
            NodeKind::Tool(tool) => &tool.among,
            _ => &[],
        }
    }

    /// The nodes that it may choose.
    pub fn targets(&self) -> Vec<&str> {
        self.kind
            .targets()
            .into_iter()
            .map(|(to, _)| to.as_str())
            .collect()
    }

    /// Whether its result has to meet something.
    pub const fn has_checks(&self) -> bool {
        !self.until.is_empty()
    }

    /// The variables of its own that its templates have besides parameters and nodes.
    pub(super) fn own_variables(&self) -> Vec<&str> {
        match &self.kind {
            NodeKind::Each(each) => vec![each.variable.as_str()],
            _ => Vec::new(),
        }
    }

    /// All templates but those of its checks, which have its result, too.
    pub(super) fn templates(&self) -> Vec<&Template> {
        let mut templates = self.kind.templates();
        templates.extend(&self.when);
        templates
    }
}

impl NodeKind {
    /// The keys of a node that say what it does.
    pub(in crate::tool) const NAMES: [&'static str; 7] =
        ["agent", "tool", "router", "text", "js", "each", "ask"];

    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Js(_) => "js",
            Self::Agent(_) => "agent",
            Self::Tool(_) => "tool",
            Self::Router(_) => "router",
            Self::Each(_) => "each",
            Self::Ask(_) => "ask",
        }
    }

    /// What is done in the end: of `each`, what it does for an item.
    pub(super) fn innermost(&self) -> &Self {
        match self {
            Self::Each(each) => each.kind.innermost(),
            kind => kind,
        }
    }

    pub(super) fn asks_a_model(&self) -> bool {
        matches!(self.innermost(), Self::Agent(_))
    }

    /// The nodes that it may choose, each with its place in the file.
    pub(super) fn targets(&self) -> Vec<&(String, Span)> {
        match self {
            Self::Router(routes) => routes.iter().map(|route| &route.to).collect(),
            Self::Agent(AgentNode {
                branches: Some(branches),
                ..
            }) => vec![&branches.yes, &branches.no],
            _ => Vec::new(),
        }
    }

    /// All templates but those of code and of agents, which their handlers check.
    pub(super) fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Text(value) | Self::Ask(value) => value.templates(),
            Self::Tool(tool) => {
                let values = tool.name.iter().chain(&tool.capability);
                let values = values.chain([&tool.arguments]);
                values.flat_map(ValueTemplate::templates).collect()
            }
            Self::Router(routes) => routes.iter().flat_map(|route| &route.when).collect(),
            Self::Each(each) => {
                let mut templates = each.list.templates();
                templates.extend(each.kind.templates());
                templates
            }
            Self::Js(_) | Self::Agent(_) => Vec::new(),
        }
    }

    /// The handlers of code and of agents.
    pub(super) fn implementation(&self) -> Option<&dyn Implementation> {
        match self.innermost() {
            Self::Js(handler) => Some(&**handler),
            Self::Agent(node) => Some(&*node.agent),
            _ => None,
        }
    }
}
