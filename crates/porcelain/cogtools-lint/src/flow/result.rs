//! The types of what nodes have: a parameter, a template or a schema says it. What none of them
//! says is unknown.

use std::collections::BTreeMap;

use cogtools_core::Tool;
use cogtools_core::tool::{Flow, FlowNode, FlowTemplate, Output};
use njk::types::Type;
use serde_json::Value;

use crate::neighbours::Neighbours;
use crate::parameter_types::ParameterTypes;

/// The types of the results of a flow's nodes.
#[derive(Debug)]
pub(crate) struct ResultTypes<'f> {
    flow: &'f Flow,
    types: BTreeMap<&'f str, Type>,
}

impl<'f> ResultTypes<'f> {
    pub(crate) fn of(flow: &'f Flow, neighbours: &Neighbours) -> Self {
        let nodes = flow.nodes().iter();
        let types = nodes.map(|node| (node.id.as_str(), result(node, neighbours)));
        Self {
            flow,
            types: types.collect(),
        }
    }

    /// The variables of `template`, besides the parameters. A node that the template can do
    /// without has null if it has not run.
    pub(crate) fn variables(&self, template: &FlowTemplate<'_>) -> BTreeMap<String, Type> {
        let nodes = self.flow.nodes().iter().map(|node| node.id.as_str());
        let mut variables: BTreeMap<String, Type> = nodes
            .filter_map(|id| Some((id.to_owned(), self.in_template(id, template)?)))
            .collect();
        if let Some(item) = template.node.and_then(FlowNode::item_variable) {
            variables.remove(item);
        }
        variables
    }

    fn in_template(&self, id: &str, template: &FlowTemplate<'_>) -> Option<Type> {
        let ty = self.types.get(id)?.clone();
        let Some(node) = template.node else {
            return Some(ty.nullable());
        };
        if node.id == id {
            // An item of a list is checked by itself.
            return (template.is_check && node.item_variable().is_none()).then_some(ty);
        }
        let need = node.needs.iter().find(|need| need.node == id)?;
        Some(if need.is_optional { ty.nullable() } else { ty })
    }
}

/// The type of the result of `node`.
fn result(node: &FlowNode, neighbours: &Neighbours) -> Type {
    let each = |item: Type| match node.kind() {
        "each" => Type::list(item),
        _ => item,
    };
    match node.innermost_kind() {
        "router" => Type::strings(node.targets()).nullable(),
        "agent" if node.is_router() => Type::strings(node.targets()),
        "agent" => each(answer(node)),
        "ask" => Type::string(),
        "tool" => each(of_call(node, neighbours)),
        _ => node.constant().map_or_else(Type::data, of_constant),
    }
}

/// The answer of a model. One that it does not give is an object with `error`.
fn answer(node: &FlowNode) -> Type {
    let Some(reply) = node.reply() else {
        return Type::data();
    };
    let mut schema = reply.as_object().clone();
    let error = serde_json::json!({"type": "string", "default": ""});
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for name in ["error", "text"] {
            properties.entry(name).or_insert_with(|| error.clone());
        }
    }
    ParameterTypes::of_value(&Value::Object(schema))
}

fn of_call(node: &FlowNode, neighbours: &Neighbours) -> Type {
    let Some(call) = node.call_shape().filter(|call| !call.has_preset) else {
        return Type::data();
    };
    let tools: Vec<&Tool> = match (call.name, call.capability) {
        (Some(name), _) => neighbours.find(name).into_iter().collect(),
        (None, Some(capability)) => neighbours.with_capability(capability),
        (None, None) => {
            let among = call.among.iter();
            among
                .flat_map(|name| neighbours.with_capability(name))
                .collect()
        }
    };
    let types = tools.into_iter().map(|tool| match tool.output() {
        // A flow has what its last node has.
        Output::Text if tool.flow().is_some() => Type::data(),
        Output::Text => Type::string(),
        Output::Json(Some(schema)) => {
            ParameterTypes::of_value(&Value::Object(schema.as_object().clone()))
        }
        Output::Json(None) => Type::data(),
    });
    let union = types.reduce(|one, other| one.union(&other));
    union.unwrap_or_else(Type::data)
}

fn of_constant(value: &Value) -> Type {
    match value {
        Value::String(text) if text.is_empty() => Type::string(),
        Value::String(_) => Type::string(),
        Value::Bool(value) => Type::literal_boolean(*value),
        Value::Number(number) => Type::numbers(number.as_f64()),
        Value::Null => Type::null(),
        Value::Array(_) | Value::Object(_) => Type::data(),
    }
}
