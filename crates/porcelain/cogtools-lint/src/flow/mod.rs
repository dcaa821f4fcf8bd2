//! The keys of a flow in its file, and the tools that its nodes call.

use std::collections::{BTreeMap, BTreeSet};

use cogtools_core::arguments::Arguments;
use cogtools_core::suggest::Suggestion;
use cogtools_core::text::{Span, Text};
use cogtools_core::tool::{AcceptError, Flow, FlowNode, Output, ToolNode, ValueTemplate};
use cogtools_core::{Hint, Tool, ViolationKind};
use njk::types::{self, Kind, Type};
use serde_json::{Map, Value};

use crate::lint_file::{LintFile, Neighbours};
use crate::parameter_types::{ParameterTypes, is_open};

impl LintFile {
    /// The flow, if the file is one.
    pub(crate) fn flow(&self) -> Option<&Flow> {
        self.tool.as_ref()?.flow()
    }

    /// The span of a key of a node: the last one along `path` that is in the file.
    pub(crate) fn node_span(&self, id: &str, path: &[&str]) -> Span {
        let keys = ["implementation", "flow", "nodes", id];
        let keys = keys.into_iter().chain(path.iter().copied());
        let document = self.document.as_ref();
        document.map_or(Span { start: 0, end: 1 }, |document| document.walk(keys).1)
    }

    /// The span of a key of the call of `node`.
    pub(crate) fn call_span(&self, node: &FlowNode, path: &[&str]) -> Span {
        let mut keys = match node.kind() {
            "each" => vec!["each", "tool"],
            _ => vec!["tool"],
        };
        keys.extend(path);
        self.node_span(&node.id, &keys)
    }

    /// Returns true if the file has a key of a node.
    pub(crate) fn has_node_key(&self, id: &str, path: &[&str]) -> bool {
        let keys = ["implementation", "flow", "nodes", id];
        let mut keys = keys.into_iter().chain(path.iter().copied());
        let found = keys.try_fold(self.document.as_ref(), |node, key| {
            node.map(|node| node.get(key))
        });
        found.flatten().is_some()
    }

    /// The only tool that a call can reach, if the file says which one that is.
    pub(crate) fn callee(&self, call: &ToolNode) -> Option<&Tool> {
        if let Some(name) = call.name() {
            return self.neighbours.find(name);
        }
        let capability = match (call.capability(), call.among.as_slice()) {
            (Some(capability), _) => capability,
            (None, [capability]) => capability,
            _ => return None,
        };
        match self.neighbours.with_capability(capability).as_slice() {
            [tool] => Some(tool),
            _ => None,
        }
    }
}

/// A mistake in one argument of a call; without one, in all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentProblem {
    pub(crate) argument: Option<String>,
    pub(crate) message: String,
    pub(crate) fix: Option<Hint>,
}

/// Finds the mistakes in a call of `tool` by a node with these variables.
pub(crate) fn problems(
    call: &ToolNode,
    tool: &Tool,
    variables: &BTreeMap<String, Type>,
) -> Vec<ArgumentProblem> {
    let (Some(arguments), false) = (call.arguments(), tool.schema.is_recovered()) else {
        return Vec::new();
    };
    let schema = tool.schema.as_object();
    let properties = schema.get("properties").and_then(Value::as_object);
    let known = properties.into_iter().flatten().map(|it| it.0.as_str());
    let known: Vec<&str> = known.collect();
    let mut found = Vec::new();
    let is_composed = ["allOf", "anyOf", "oneOf", "$ref"]
        .iter()
        .any(|key| schema.contains_key(*key));
    for (name, argument) in arguments {
        match properties.and_then(|properties| properties.get(name)) {
            Some(property) => {
                found.extend(kind_problem(name, argument, property, (tool, variables)));
            }
            None if is_composed || is_open(schema) => {}
            None => found.push(ArgumentProblem {
                argument: Some(name.to_owned()),
                message: format!("`{}` has no parameter `{name}`", tool.name()),
                fix: Suggestion::of(name, known.iter().copied()).map(Hint::from),
            }),
        }
    }
    for name in tool.schema.required() {
        let default = properties.and_then(|it| it.get(name)?.get("default"));
        if default.is_none() && !arguments.iter().any(|(other, _)| *other == name) {
            let tool = tool.name();
            found.push(ArgumentProblem {
                argument: None,
                message: format!("`{tool}` needs `{name}`, which this call does not pass"),
                fix: Some(format!("add `{name}` to `arguments`").into()),
            });
        }
    }
    found.extend(constant_problems(arguments, tool));
    found
}

/// A template whose value is of another kind than the parameter.
fn kind_problem(
    name: &str,
    argument: &ValueTemplate,
    property: &Value,
    (tool, variables): (&Tool, &BTreeMap<String, Type>),
) -> Option<ArgumentProblem> {
    let own = kind_of(argument, variables)?;
    let taken = property.get("type").and_then(Value::as_str)?;
    let is_taken = match own {
        Kind::Text => taken == "string",
        Kind::Number => matches!(taken, "integer" | "number"),
        Kind::Boolean => taken == "boolean",
        Kind::List => taken == "array",
        Kind::Object => taken == "object",
        _ => true,
    };
    let fix = match argument {
        ValueTemplate::Text(_) => {
            "write one expression in braces and nothing else: its value keeps its type"
        }
        _ => "pass a value of the type that the parameter has",
    };
    let (own, tool) = (in_words(own), tool.name());
    (!is_taken).then(|| ArgumentProblem {
        argument: Some(name.to_owned()),
        message: format!("this is {own}, but `{name}` of `{tool}` takes {taken}"),
        fix: Some(fix.into()),
    })
}

/// The kind of a value with templates in it; `None` for one without.
fn kind_of(argument: &ValueTemplate, variables: &BTreeMap<String, Type>) -> Option<Kind> {
    Some(match argument {
        ValueTemplate::Constant(_) => return None,
        ValueTemplate::Text(_) => Kind::Text,
        ValueTemplate::List(_) => Kind::List,
        ValueTemplate::Map(_) => Kind::Object,
        ValueTemplate::Expression(template) => types::kind_of(template.source(), variables),
    })
}

/// A kind as YAML calls it.
const fn in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "a text",
        Kind::Number => "a number",
        Kind::Boolean => "true or false",
        Kind::List => "a list",
        Kind::Object => "a map",
        _ => "another value",
    }
}

/// The value over which a node goes with `each`, in words, if it is certainly no list.
pub(crate) fn no_list(node: &FlowNode, variables: &BTreeMap<String, Type>) -> Option<&'static str> {
    let kind = match &node.each()?.list {
        ValueTemplate::Constant(Value::Array(_)) => Kind::List,
        ValueTemplate::Constant(Value::Object(_)) => Kind::Object,
        ValueTemplate::Constant(Value::String(_)) => Kind::Text,
        ValueTemplate::Constant(_) => Kind::Number,
        argument => kind_of(argument, variables)?,
    };
    (!matches!(kind, Kind::List | Kind::Other)).then(|| in_words(kind))
}

/// The flows through which a node calls `tool`, the flow that has it; the last one is `tool`.
pub(crate) fn way_to_itself<'n>(
    node: &'n FlowNode,
    tool: &Tool,
    neighbours: &'n Neighbours,
) -> Option<Vec<&'n str>> {
    let called = |node: &'n FlowNode| -> Vec<&'n str> {
        let Some(call) = node.call().filter(|call| call.preset.is_none()) else {
            return Vec::new();
        };
        let name = call.name().into_iter();
        let capability = call.capability().into_iter();
        let tools = capability.flat_map(|name| neighbours.with_capability(name));
        name.chain(tools.map(|tool| tool.name().as_str())).collect()
    };
    let mut ways: Vec<Vec<&str>> = called(node).into_iter().map(|name| vec![name]).collect();
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop() {
        let last = *way.last()?;
        if last == tool.name().as_str() {
            return Some(way);
        }
        let flow = neighbours.find(last).and_then(|tool| tool.flow());
        let nodes = flow.filter(|_| seen.insert(last)).map(Flow::nodes);
        let next = nodes.unwrap_or_default().iter().flat_map(&called);
        ways.extend(next.map(|name| [way.as_slice(), &[name]].concat()));
    }
    None
}

/// Values without templates that the schema does not allow.
fn constant_problems(arguments: &[(String, ValueTemplate)], tool: &Tool) -> Vec<ArgumentProblem> {
    let constant = |(name, argument): &(String, ValueTemplate)| match argument {
        ValueTemplate::Constant(value) => Some((name.clone(), value.clone())),
        _ => None,
    };
    let constants: Map<String, Value> = arguments.iter().filter_map(constant).collect();
    let Err(AcceptError::Violations(violations)) = tool.accept(Arguments::from(constants)) else {
        return Vec::new();
    };
    let invalid = violations.into_iter().filter_map(|violation| {
        let ViolationKind::Invalid(reason) = violation.kind else {
            return None;
        };
        let segments = cogtools_core::pointer::segments(&violation.pointer);
        Some(ArgumentProblem {
            message: format!("{reason}, for `{}` of `{}`", segments.first()?, tool.name()),
            argument: segments.first().cloned(),
            fix: violation.hints.into_iter().next(),
        })
    });
    invalid.collect()
}

/// The choices that a node needs: of each router, the node that it has to choose.
type Choices<'f> = BTreeMap<&'f str, &'f str>;

/// The nodes that never run, each with the router and the two nodes of which it would need both.
pub(crate) fn contradictions(flow: &Flow) -> Vec<(&str, [&str; 3])> {
    let mut known: BTreeMap<&str, Choices<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for node in sorted(flow) {
        let mut choices = Choices::new();
        if let [router] = node.routers.as_slice() {
            choices.insert(router, &node.id);
        }
        let needs = node.needs.iter().filter(|need| !need.is_optional);
        let needed = needs.filter_map(|need| known.get(need.node.as_str()));
        let mut problem = None;
        for (router, chosen) in needed.flatten() {
            let other = *choices.entry(router).or_insert(chosen);
            if other != *chosen && problem.is_none() {
                problem = Some((node.id.as_str(), [*router, other, *chosen]));
            }
        }
        if problem.is_some() {
            // What needs it never runs either, which is one mistake.
            choices.clear();
        }
        found.extend(problem);
        known.insert(&node.id, choices);
    }
    found
}

/// The nodes, each after the ones that it needs.
fn sorted(flow: &Flow) -> Vec<&FlowNode> {
    let mut order: Vec<&FlowNode> = Vec::new();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    loop {
        let is_ready = |node: &&FlowNode| {
            let mut needs = node.needs.iter();
            !done.contains(node.id.as_str()) && needs.all(|need| done.contains(need.node.as_str()))
        };
        let ready: Vec<&FlowNode> = flow.nodes().iter().filter(is_ready).collect();
        if ready.is_empty() {
            return order;
        }
        done.extend(ready.iter().map(|node| node.id.as_str()));
        order.extend(ready);
    }
}

/// The choices of routers that are never taken: the router, the number of the choice, the node.
pub(crate) fn untaken(flow: &Flow) -> Vec<(&str, usize, &str)> {
    let of = |node: &'_ FlowNode| -> Option<usize> {
        let routes = node.routes();
        let first = routes.iter().position(|route| route.when.is_none())?;
        (first + 1 < routes.len()).then_some(first + 1)
    };
    let nodes = flow.nodes().iter();
    let found = nodes.filter_map(|node| Some((node, of(node)?)));
    let found = found.map(|(node, at)| (node.id.as_str(), at, node.targets()[at]));
    found.collect()
}

/// Routers that may choose nothing.
pub(crate) fn without_fallback(flow: &Flow) -> Vec<&str> {
    let has_none = |node: &&FlowNode| {
        let routes = node.routes();
        !routes.is_empty() && routes.iter().all(|route| route.when.is_some())
    };
    let nodes = flow.nodes().iter().filter(has_none);
    nodes.map(|node| node.id.as_str()).collect()
}

/// Names that templates read, besides variables of their own.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    names: BTreeSet<String>,
    /// True if code may read any of them.
    has_code: bool,
}

impl Uses {
    pub(crate) fn of(flow: &Flow, text: &Text) -> Self {
        let mut names = BTreeSet::new();
        for template in flow.sources(text) {
            let own = template.node.map(|node| node.id.as_str());
            let reads = njk::analyse(template.source.source()).map(|found| found.reads);
            let reads = reads.unwrap_or_default().into_iter().map(|read| read.name);
            names.extend(reads.filter(|name| own != Some(name.as_str())));
        }
        let nodes = flow.nodes().iter();
        let needs = nodes.clone().flat_map(|node| &node.needs);
        names.extend(needs.map(|need| need.node.clone()));
        Self {
            names,
            has_code: nodes.clone().any(|node| node.innermost_kind() == "js"),
        }
    }

    /// Returns true if a parameter is used.
    pub(crate) fn has_parameter(&self, name: &str) -> bool {
        self.has_code || self.names.contains(name)
    }

    /// Returns true if the result of a node is used, or running it has a purpose of its own.
    pub(crate) fn has_node(&self, node: &FlowNode) -> bool {
        self.names.contains(&node.id)
            || node.is_router()
            || matches!(node.innermost_kind(), "tool" | "agent" | "ask")
    }
}

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

    /// The variables of a template of `node`, or of the output, besides the parameters. A node that
    /// the template can do without has null if it has not run.
    pub(crate) fn of_node(
        &self,
        node: Option<&FlowNode>,
        is_check: bool,
    ) -> BTreeMap<String, Type> {
        let nodes = self.flow.nodes().iter().map(|node| node.id.as_str());
        let mut variables: BTreeMap<String, Type> = nodes
            .filter_map(|id| Some((id.to_owned(), self.in_template(id, node, is_check)?)))
            .collect();
        if let Some(item) = node.and_then(FlowNode::item_variable) {
            variables.remove(item);
        }
        variables
    }

    fn in_template(&self, id: &str, node: Option<&FlowNode>, is_check: bool) -> Option<Type> {
        let ty = self.types.get(id)?.clone();
        let Some(node) = node else {
            return Some(ty.nullable());
        };
        if node.id == id {
            // An item of a list is checked by itself.
            return (is_check && node.item_variable().is_none()).then_some(ty);
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
        "ask" => match node.ask().and_then(|ask| ask.reply.as_ref()) {
            Some(reply) => ParameterTypes::of_value(&reply.to_json_schema()),
            None => Type::string(),
        },
        // The value of a node whose error is read may be that error.
        _ if node.keeps_error => Type::data(),
        "tool" => each(of_call(node, neighbours)),
        _ => each(match node.text() {
            Some(ValueTemplate::Constant(value)) => of_constant(value),
            Some(ValueTemplate::Text(_)) => Type::string(),
            _ => Type::data(),
        }),
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
    let Some(call) = node.call().filter(|call| call.preset.is_none()) else {
        return Type::data();
    };
    let tools: Vec<&Tool> = match (call.name(), call.capability()) {
        (Some(name), _) => neighbours.find(name).into_iter().collect(),
        (None, Some(capability)) => neighbours.with_capability(capability),
        (None, None) => {
            let among = call.among.iter();
            among
                .flat_map(|name| neighbours.with_capability(name))
                .collect()
        }
    };
    let types = tools.into_iter().map(|tool| match &tool.output {
        // A flow has what its last node has.
        Output::Text if tool.flow().is_some() => Type::data(),
        Output::Text | Output::File(_) => Type::string(),
        Output::Json(Some(schema)) => {
            ParameterTypes::of_value(&Value::Object(schema.as_object().clone()))
        }
        Output::Json(None) | Output::Content => Type::data(),
    });
    let union = types.reduce(|one, other| one.union(&other));
    union.unwrap_or_else(Type::data)
}

fn of_constant(value: &Value) -> Type {
    match value {
        Value::String(_) => Type::string(),
        Value::Bool(value) => Type::literal_boolean(*value),
        Value::Number(number) => Type::numbers(number.as_f64()),
        Value::Null => Type::null(),
        Value::Array(_) | Value::Object(_) => Type::data(),
    }
}
