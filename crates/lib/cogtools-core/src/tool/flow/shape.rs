//! What a file says about a flow, for linters: its templates, calls and choices.

use serde_json::Value;

use super::{Flow, FlowNode, NodeKind, ToolNode};
use crate::schema::Schema;
use crate::text::Text;
use crate::tool::template::{Template, TemplateSource, ValueTemplate};

/// A template of a flow.
#[derive(Clone, Debug)]
pub struct FlowTemplate<'f> {
    /// The node that has it; `None` for the output.
    pub node: Option<&'f FlowNode>,
    /// Whether the result of the node is a variable, too.
    pub is_check: bool,
    /// The template.
    pub source: TemplateSource,
}

/// A call, as far as the file says what it is. What is a template is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowCallShape<'f> {
    /// The name of the tool.
    pub name: Option<&'f str>,
    /// The capability that is asked for.
    pub capability: Option<&'f str>,
    /// The capabilities that the node may use.
    pub among: &'f [String],
    /// The arguments by name; `None` if a template makes all of them.
    pub arguments: Option<Vec<(&'f str, FlowArgument<'f>)>>,
    /// Whether the call has a result without being made.
    pub has_preset: bool,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FlowArgument<'f> {
    /// A value without templates.
    Constant(&'f Value),
    /// A text.
    Text,
    /// A list with templates in it.
    List,
    /// A map with templates in it.
    Map,
    /// The value of an expression.
    Expression,
}

/// A choice of a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRoute<'f> {
    /// The node that it chooses.
    pub to: &'f str,
    /// Whether it is taken only if a condition holds.
    pub is_conditional: bool,
}

impl Flow {
    /// All templates, in the file `text`.
    pub fn sources(&self, text: &Text) -> Vec<FlowTemplate<'_>> {
        let mut found = Vec::new();
        for node in &self.nodes {
            let mut add = |source, is_check| {
                let node = Some(node);
                found.push(FlowTemplate {
                    node,
                    is_check,
                    source,
                });
            };
            let inline = |template: &Template| TemplateSource::inline(template, text);
            for template in node.kind.templates() {
                let under = |when: &Template| inline(&template.under(when));
                let source = node.when.as_ref().map_or_else(|| inline(template), under);
                add(source, false);
            }
            if let Some(when) = &node.when {
                add(inline(when), false);
            }
            let handler = node.kind.implementation();
            for source in handler.into_iter().flat_map(|it| it.templates(text)) {
                add(source, false);
            }
            for check in &node.until {
                add(inline(check), true);
            }
        }
        let output = self.output.iter().flat_map(ValueTemplate::templates);
        found.extend(output.map(|template| FlowTemplate {
            node: None,
            is_check: false,
            source: TemplateSource::inline(template, text),
        }));
        found
    }

    /// Whether the file says what the output is.
    pub const fn has_output(&self) -> bool {
        self.output.is_some()
    }
}

impl FlowNode {
    /// The call that it makes, for each item of a list, too.
    pub fn call_shape(&self) -> Option<FlowCallShape<'_>> {
        match self.kind.innermost() {
            NodeKind::Tool(tool) => Some(tool.shape()),
            _ => None,
        }
    }

    /// The choices of a router, in the order in which they are tried.
    pub fn routes(&self) -> Vec<FlowRoute<'_>> {
        let NodeKind::Router(routes) = &self.kind else {
            return Vec::new();
        };
        let routes = routes.iter().map(|route| FlowRoute {
            to: &route.to.0,
            is_conditional: route.when.is_some(),
        });
        routes.collect()
    }

    /// The schema of the answer of an agent, if that is JSON.
    pub fn reply(&self) -> Option<&Schema> {
        match self.kind.innermost() {
            NodeKind::Agent(agent) => agent.reply.as_ref(),
            _ => None,
        }
    }

    /// The variable with the item of a list.
    pub fn item_variable(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Each(each) => Some(&each.variable),
            _ => None,
        }
    }

    /// What is done in the end, as the file writes it: of `each`, what it does for an item.
    pub fn innermost_kind(&self) -> &'static str {
        self.kind.innermost().name()
    }

    /// The value of a node that has the same one in each run.
    pub fn constant(&self) -> Option<&Value> {
        match &self.kind {
            NodeKind::Text(ValueTemplate::Constant(value)) => Some(value),
            _ => None,
        }
    }
}

impl ToolNode {
    fn shape(&self) -> FlowCallShape<'_> {
        let arguments = match &self.arguments {
            ValueTemplate::Map(entries) => {
                let entries = entries.iter();
                Some(
                    entries
                        .map(|(name, value)| (name.as_str(), argument(value)))
                        .collect(),
                )
            }
            _ => None,
        };
        FlowCallShape {
            name: self.name.as_ref().and_then(constant),
            capability: self.capability.as_ref().and_then(constant),
            among: &self.among,
            arguments,
            has_preset: self.preset.is_some(),
        }
    }
}

fn constant(value: &ValueTemplate) -> Option<&str> {
    match value {
        ValueTemplate::Constant(value) => value.as_str(),
        _ => None,
    }
}

const fn argument(value: &ValueTemplate) -> FlowArgument<'_> {
    match value {
        ValueTemplate::Constant(value) => FlowArgument::Constant(value),
        ValueTemplate::Text(_) => FlowArgument::Text,
        ValueTemplate::List(_) => FlowArgument::List,
        ValueTemplate::Map(_) => FlowArgument::Map,
        ValueTemplate::Expression(_) => FlowArgument::Expression,
    }
}
