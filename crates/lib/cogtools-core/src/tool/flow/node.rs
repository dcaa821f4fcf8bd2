//! A node of a flow, and its kinds.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::http::Retry;
use crate::schema::Schema;
use crate::text::{Span, Text};
use crate::tool::Branch;
use crate::tool::agent::Agent;
use crate::tool::flow::Flow;
use crate::tool::js::{Js, JsSource};
use crate::tool::template::{Template, TemplateSource, ValueTemplate};

/// The variable with the number of an item, from 0.
pub(super) const INDEX: &str = "index";

/// A node of a flow.
#[derive(Debug, Default)]
pub struct FlowNode {
    /// Its name, which is the variable with its result.
    pub id: String,
    /// The nodes that end before it starts: those it names, those it mentions, and the routers
    /// that choose it.
    pub needs: Vec<FlowNeed>,
    /// True if the flow reads its error, as `NODE.error`: it goes on when the node fails.
    pub keeps_error: bool,
    /// The routers of which at least one has to choose it; if there are none, it needs no choice.
    pub routers: Vec<String>,
    /// The further attempts when it fails.
    pub retry: Retry,
    /// The limit of an attempt.
    pub timeout: Option<Duration>,
    /// True if an earlier result of the same call counts, if its tool allows that.
    pub is_cached: bool,
    pub(super) when: Option<Template>,
    /// The conditions of its result; otherwise the attempt has failed.
    pub until: Vec<Template>,
    pub(super) kind: NodeKind,
    pub(super) span: Span,
    /// The needs that the file names.
    pub(super) named: Vec<(FlowNeed, Span)>,
}

/// A node that another one needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowNeed {
    /// Its name.
    pub node: String,
    /// True if the other one runs even if this one was skipped.
    pub is_optional: bool,
    /// True if the other one runs even if this one has failed: the file writes `NAME?`, or reads the
    /// error. A test of its value is no answer to a failure.
    pub may_fail: bool,
    /// True if the other one reads the error of this one, so that it runs if this one has failed.
    pub reads_error: bool,
}

/// The work of a node.
#[derive(Debug)]
pub(super) enum NodeKind {
    /// It has a value.
    Text(ValueTemplate),
    /// It computes a value.
    Js(Js),
    /// It asks a model.
    Agent(Box<AgentNode>),
    /// It calls a tool.
    Tool(Box<ToolNode>),
    /// It chooses the first of these nodes whose condition holds.
    Router(Vec<Route>),
    /// It does the same for each item of a list.
    Each(Box<EachNode>),
    /// It asks the user.
    Ask(Box<AskNode>),
}

/// A node that asks a model.
#[derive(Debug)]
pub(super) struct AgentNode {
    pub(super) agent: Agent,
    /// The schema of its answer, if that is JSON.
    pub(super) reply: Option<Schema>,
    /// The nodes between which the answer chooses: the one for yes and the one for no.
    pub(super) branches: Option<[(String, Span); 2]>,
}

/// A question to the user.
#[derive(Debug)]
pub struct AskNode {
    pub(super) text: ValueTemplate,
    /// The schema of the answer; without one, it is any text.
    pub reply: Option<Schema>,
    /// The answer if nobody gives one.
    pub default: Option<Value>,
    /// The time for which the question is open before `default` answers it; without one, `default`
    /// answers as soon as nobody can be asked.
    pub timeout: Option<Duration>,
}

/// A node that calls a tool.
#[derive(Debug)]
pub struct ToolNode {
    pub(super) name: Option<ValueTemplate>,
    pub(super) capability: Option<ValueTemplate>,
    /// The capabilities that it may use; all of them if there are none.
    pub among: Vec<String>,
    pub(super) arguments: ValueTemplate,
    /// Its answer without a call.
    pub preset: Option<Value>,
}

/// A choice of a router.
#[derive(Debug)]
pub struct Route {
    /// The condition under which it is taken.
    pub when: Option<Template>,
    pub(super) to: (String, Span),
}

/// A node that does the same for each item of a list.
#[derive(Debug)]
pub struct EachNode {
    /// The list.
    pub list: ValueTemplate,
    /// The variable with the item.
    pub variable: String,
    /// The number of items that are worked on at the same time.
    pub max: usize,
    /// True if the value of an item that fails is its error.
    pub keeps_errors: bool,
    pub(super) kind: NodeKind,
}

/// A template of a flow, for linters.
#[derive(Clone, Debug)]
pub struct FlowTemplate<'f> {
    /// The node that has it; `None` for the output.
    pub node: Option<&'f FlowNode>,
    /// True if the result of the node is a variable, too.
    pub is_check: bool,
    /// The template.
    pub source: TemplateSource,
}

impl Flow {
    /// The choices of routers and the conditions of nodes, and whether one of the `ways` of runs
    /// took them, for a tool in the file `text`.
    pub(in crate::tool) fn branches(&self, ways: &[String], text: &Text) -> Vec<Branch> {
        let has_run = |node: &str| {
            let mut lines = ways.iter().flat_map(|way| way.lines());
            lines.any(|line| {
                let state = line.split_once(' ').filter(|(name, _)| *name == node);
                state.is_some_and(|(_, state)| state != "skipped")
            })
        };
        let mut branches = Vec::new();
        for node in &self.nodes {
            let routes = node.routes().iter().map(|route| route.to.0.as_str());
            let routes = routes.map(|to| (format!("{} -> {to}", node.id), to));
            let when = node.when.iter();
            let when = when.map(|_| (format!("when of {}", node.id), node.id.as_str()));
            branches.extend(routes.chain(when).map(|(condition, node_id)| Branch {
                location: text.location(node.span),
                condition,
                is_taken: has_run(node_id),
            }));
        }
        branches
    }
}

impl FlowNode {
    /// The kind, as the file writes it.
    pub const fn kind(&self) -> &'static str {
        self.kind.name()
    }

    /// Returns true if its result is the name of the node that it chooses.
    pub const fn is_router(&self) -> bool {
        match &self.kind {
            NodeKind::Router(_) => true,
            NodeKind::Agent(agent) => agent.branches.is_some(),
            _ => false,
        }
    }

    /// The tool that it calls, if its file names one.
    pub fn tool(&self) -> Option<&str> {
        self.call()?.name()
    }

    /// Returns true if it calls tools.
    pub fn calls_tools(&self) -> bool {
        matches!(self.kind.innermost(), NodeKind::Tool(_)) || !self.code_tools().is_empty()
    }

    /// The names, patterns and toolsets of the tools that its code calls.
    pub fn code_tools(&self) -> &[String] {
        match self.kind.innermost() {
            NodeKind::Js(js) => &js.tools,
            _ => &[],
        }
    }

    /// Returns true if its result depends on its inputs alone: it asks nobody and calls no tool.
    pub fn is_pure(&self) -> bool {
        match self.kind.innermost() {
            NodeKind::Text(_) | NodeKind::Router(_) => true,
            NodeKind::Js(js) => js.tools.is_empty(),
            _ => false,
        }
    }

    /// Returns true if it asks a model.
    pub fn asks_a_model(&self) -> bool {
        self.kind.asks_a_model()
    }

    /// The capabilities that it may use.
    pub fn among(&self) -> &[String] {
        self.call().map_or(&[], |call| &call.among)
    }

    /// The nodes that it may choose.
    pub fn targets(&self) -> Vec<&str> {
        let targets = self.kind.targets().into_iter();
        targets.map(|(to, _)| to.as_str()).collect()
    }

    /// The call that it makes, for each item of a list, too.
    pub fn call(&self) -> Option<&ToolNode> {
        match self.kind.innermost() {
            NodeKind::Tool(tool) => Some(tool),
            _ => None,
        }
    }

    /// The choices of a router, in the order in which they are tried.
    pub fn routes(&self) -> &[Route] {
        match &self.kind {
            NodeKind::Router(routes) => routes,
            _ => &[],
        }
    }

    /// The schema of the answer of an agent, if that is JSON.
    pub fn reply(&self) -> Option<&Schema> {
        self.kind.agent()?.reply.as_ref()
    }

    /// The list whose items it goes over, each in the same way, if there is one.
    pub fn each(&self) -> Option<&EachNode> {
        match &self.kind {
            NodeKind::Each(each) => Some(each),
            _ => None,
        }
    }

    /// The variable with the item of a list.
    pub fn item_variable(&self) -> Option<&str> {
        Some(&self.each()?.variable)
    }

    /// The kind, as the file writes it; of `each`, the kind of an item.
    pub fn innermost_kind(&self) -> &'static str {
        self.kind.innermost().name()
    }

    /// The value of a node with `text`.
    pub fn text(&self) -> Option<&ValueTemplate> {
        match self.kind.innermost() {
            NodeKind::Text(value) => Some(value),
            _ => None,
        }
    }

    /// The code of a node in JavaScript, in the file `text`.
    pub fn js(&self, text: &Text) -> Option<JsSource> {
        match self.kind.innermost() {
            NodeKind::Js(js) => Some(js.source_in(text)),
            _ => None,
        }
    }

    /// Returns the variables that the work for an item reads, so that others need not be copied for
    /// each; `None` if it may read all of them.
    pub fn item_reads(&self, text: &Text) -> Option<BTreeSet<String>> {
        let each = self.each()?;
        // Code gets all variables, and the seed of an agent depends on them.
        if !matches!(each.kind, NodeKind::Text(_) | NodeKind::Tool(_)) {
            return None;
        }
        let mut names = BTreeSet::new();
        for template in each.kind.templates().into_iter().chain(&self.until) {
            let source = TemplateSource::inline(template, text);
            if source.source().contains("{%") {
                // A partial may read anything.
                return None;
            }
            let reads = njk::analyse(source.source()).ok()?.reads;
            names.extend(reads.into_iter().map(|read| read.name));
        }
        Some(names)
    }

    /// Its question, if it asks the user.
    pub fn ask(&self) -> Option<&AskNode> {
        match &self.kind {
            NodeKind::Ask(ask) => Some(ask),
            _ => None,
        }
    }

    /// Returns true if its items read the variable `index`. An agent that does not is asked without it.
    pub fn reads_index(&self, text: &Text) -> bool {
        let Some(each) = self.each() else {
            return false;
        };
        let NodeKind::Agent(agent) = &each.kind else {
            let reads = self.item_reads(text);
            return reads.is_none_or(|reads| reads.contains(INDEX));
        };
        agent.agent.sources(text).iter().any(|source| {
            let reads = njk::analyse(source.source()).map(|found| found.reads);
            reads.is_ok_and(|reads| reads.iter().any(|read| read.name == INDEX))
        })
    }

    /// Returns all templates except its checks, which have its result as a variable, too, with what
    /// guards their reads.
    pub(super) fn sources(&self, text: &Text) -> Vec<TemplateSource> {
        let own = self.kind.templates().into_iter().map(|template| {
            let guarded = self.when.as_ref().map(|when| template.under(when));
            TemplateSource::inline(guarded.as_ref().unwrap_or(template), text)
        });
        let when = self.when.iter();
        let mut sources: Vec<TemplateSource> = own
            .chain(when.map(|when| TemplateSource::inline(when, text)))
            .collect();
        let agent = self.kind.agent();
        sources.extend(agent.map(|it| it.agent.sources(text)).unwrap_or_default());
        sources
    }

    /// Returns all templates except its checks.
    pub(super) fn templates(&self) -> Vec<&Template> {
        let mut templates = self.kind.templates();
        templates.extend(&self.when);
        templates
    }
}

impl Default for NodeKind {
    fn default() -> Self {
        Self::Text(ValueTemplate::Constant(Value::Null))
    }
}

impl NodeKind {
    /// The keys of the kinds.
    pub(super) const NAMES: [&'static str; 7] =
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

    /// The kind itself; of `each`, the kind of an item.
    pub(super) fn innermost(&self) -> &Self {
        match self {
            Self::Each(each) => each.kind.innermost(),
            kind => kind,
        }
    }

    pub(super) fn asks_a_model(&self) -> bool {
        self.agent().is_some()
    }

    /// The nodes that it may choose, each with its place in the file.
    pub(super) fn targets(&self) -> Vec<&(String, Span)> {
        match self {
            Self::Router(routes) => routes.iter().map(|route| &route.to).collect(),
            Self::Agent(agent) => agent.branches.iter().flatten().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns all templates except code and agents, which are checked by themselves.
    pub(super) fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Text(value) => value.templates(),
            Self::Ask(ask) => ask.text.templates(),
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

    /// The agent, if it asks a model.
    pub(super) fn agent(&self) -> Option<&AgentNode> {
        match self.innermost() {
            Self::Agent(node) => Some(node),
            _ => None,
        }
    }
}

impl ToolNode {
    /// The name of the tool, if that is no template.
    pub fn name(&self) -> Option<&str> {
        self.name.as_ref().and_then(constant)
    }

    /// The capability that is asked for, if that is no template.
    pub fn capability(&self) -> Option<&str> {
        self.capability.as_ref().and_then(constant)
    }

    /// The arguments by name; `None` if a template makes all of them.
    pub fn arguments(&self) -> Option<&[(String, ValueTemplate)]> {
        match &self.arguments {
            ValueTemplate::Map(entries) => Some(entries),
            _ => None,
        }
    }
}

fn constant(value: &ValueTemplate) -> Option<&str> {
    match value {
        ValueTemplate::Constant(value) => value.as_str(),
        _ => None,
    }
}
