//! `flow.dag.yaml` of promptflow: its inputs, prompts, models, conditions and outputs. Python stays
//! where it is: a node with it becomes a call of a tool that is to be written.

use serde_json::{Map, Value, json};

use super::{Imported, id};

/// Reads a flow, whose templates `template` reads.
pub(super) fn read(
    document: &Value,
    template: impl Fn(&str) -> Option<String>,
) -> Result<Imported, &'static str> {
    let nodes = document.get("nodes").and_then(Value::as_array);
    let nodes = nodes.ok_or("a flow of promptflow has `nodes`, a list")?;
    let mut imported = Imported::default();
    for (name, input) in entries(document.get("inputs")) {
        imported.parameters.insert(name.clone(), parameter(input));
    }
    for node in nodes {
        let name = node.get("name").and_then(Value::as_str);
        let name = name.ok_or("every node has a `name`")?;
        let read = read_node(node, name, &template, &mut imported.remarks);
        imported.nodes.insert(id(name), read);
    }
    let outputs = entries(document.get("outputs"));
    let outputs: Map<String, Value> = outputs
        .filter_map(|(name, output)| Some((name.clone(), value(output.get("reference")?))))
        .collect();
    imported.output = match outputs.len() {
        0 => None,
        1 => outputs.into_iter().next().map(|(_, value)| value),
        _ => Some(Value::Object(outputs)),
    };
    Ok(imported)
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

fn parameter(input: &Value) -> Value {
    let kind = match input.get("type").and_then(Value::as_str) {
        Some("int") => "integer",
        Some("double") => "number",
        Some("bool") => "boolean",
        Some("list") => "array",
        Some("object") => "object",
        _ => "string",
    };
    let mut parameter = json!({"type": kind, "description": "TODO"});
    if kind == "array" {
        parameter["items"] = json!({});
    }
    if let Some(default) = input.get("default").filter(|default| !default.is_null()) {
        parameter["default"] = default.clone();
    }
    parameter
}

fn read_node(
    node: &Value,
    name: &str,
    template: &impl Fn(&str) -> Option<String>,
    remarks: &mut Vec<String>,
) -> Value {
    let inputs: Map<String, Value> = entries(node.get("inputs"))
        .map(|(key, input)| (key.clone(), value(input)))
        .collect();
    let path = node.pointer("/source/path").and_then(Value::as_str);
    let text = path.and_then(template);
    let mut read = match (node.get("type").and_then(Value::as_str), text) {
        (Some("prompt"), Some(text)) => json!({"text": with_inputs(&text, &inputs)}),
        (Some("llm"), Some(text)) => json!({"agent": agent(&text, &inputs)}),
        (kind, _) => {
            let kind = kind.unwrap_or("unknown");
            remarks.push(format!(
                "{name}: write the tool `{}` for this {kind} node",
                id(name)
            ));
            json!({"tool": {"name": id(name), "arguments": inputs}})
        }
    };
    if let Some(activate) = node.get("activate") {
        let when = activate
            .get("when")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let is = activate.get("is").unwrap_or(&Value::Null);
        read["when"] = format!("{} == {is}", expression(when).unwrap_or_default()).into();
    }
    read
}

/// What promptflow passes to a template by name is set at its beginning.
fn with_inputs(template: &str, inputs: &Map<String, Value>) -> String {
    let sets = inputs.iter().map(|(name, value)| {
        let value = match value.as_str().and_then(inner) {
            Some(expression) => expression.to_owned(),
            None => value.to_string(),
        };
        format!("{{% set {name} = {value} %}}")
    });
    sets.collect::<Vec<_>>().concat() + template
}

/// The keys that are settings of the model, with ours.
const SETTINGS: [(&str, &str); 5] = [
    ("model", "model"),
    ("deployment_name", "model"),
    ("temperature", "temperature"),
    ("max_tokens", "max_tokens"),
    ("stop", "stop"),
];

fn agent(template: &str, inputs: &Map<String, Value>) -> Value {
    let mut inputs = inputs.clone();
    let mut agent = Map::new();
    for (theirs, ours) in SETTINGS {
        if let Some(value) = inputs.remove(theirs).filter(|value| !value.is_null()) {
            agent.insert(ours.into(), value);
        }
    }
    // The parts of a conversation begin with lines such as `system:`.
    let mut parts = [("system", String::new()), ("prompt", String::new())];
    let mut current = 1;
    for line in template.lines() {
        match line.trim().trim_start_matches('#').trim() {
            "system:" => current = 0,
            "user:" | "assistant:" => current = 1,
            _ => {
                parts[current].1.push_str(line);
                parts[current].1.push('\n');
            }
        }
    }
    for (key, text) in parts {
        if !text.trim().is_empty() {
            agent.insert(key.into(), with_inputs(text.trim(), &inputs).into());
        }
    }
    if !agent.contains_key("system") {
        agent.insert("system".into(), "You are a helpful assistant.".into());
    }
    Value::Object(agent)
}

/// A value with `${…}` as a template.
fn value(value: &Value) -> Value {
    match value.as_str().and_then(expression) {
        Some(expression) => format!("{{{{ {expression} }}}}").into(),
        None => value.clone(),
    }
}

/// The expression for `${inputs.x}` or `${node.output.path}`.
fn expression(text: &str) -> Option<String> {
    let path = text.trim().strip_prefix("${")?.strip_suffix('}')?;
    let mut parts = path.split('.');
    let first = parts.next()?;
    if first == "inputs" {
        return Some(parts.collect::<Vec<_>>().join("."));
    }
    let rest = parts.filter(|part| *part != "output");
    Some(
        std::iter::once(id(first))
            .chain(rest.map(str::to_owned))
            .collect::<Vec<_>>()
            .join("."),
    )
}

/// The expression in `{{ … }}`.
fn inner(text: &str) -> Option<&str> {
    Some(text.strip_prefix("{{")?.strip_suffix("}}")?.trim())
}
