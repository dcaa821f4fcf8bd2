//! A canvas: JSON with `nodes`, each with an id, a type and properties, and `connections` between
//! them. Positions are dropped.

use serde_json::{Map, Value, json};

use super::{Imported, id};

/// Reads a canvas.
pub(super) fn read(document: &Value) -> Result<Imported, &'static str> {
    let list = |key: &str| document.get(key).and_then(Value::as_array);
    let nodes = list("nodes").ok_or("a canvas has `nodes`, a list")?;
    let connections = list("connections").ok_or("a canvas has `connections`, a list")?;
    let text = |value: &Value, keys: [&str; 2]| {
        let found = keys.iter().find_map(|key| value.get(key)?.as_str());
        found.map(str::to_owned)
    };
    let mut imported = Imported::default();
    imported.parameters.insert(
        "input".into(),
        json!({"type": "string", "description": "What the user wants"}),
    );
    for node in nodes {
        let name = text(node, ["id", "name"]).ok_or("every node has an `id`")?;
        let from = connections.iter().filter(|connection| {
            text(connection, ["target", "to"]).as_deref() == Some(name.as_str())
        });
        let needs: Vec<String> = from
            .filter_map(|connection| text(connection, ["source", "from"]))
            .map(|source| id(&source))
            .collect();
        let mut read = read_node(node, &name, &needs, &mut imported.remarks);
        if !needs.is_empty() {
            read.insert("needs".into(), needs.into());
        }
        imported.nodes.insert(id(&name), Value::Object(read));
    }
    Ok(imported)
}

fn read_node(
    node: &Value,
    name: &str,
    needs: &[String],
    remarks: &mut Vec<String>,
) -> Map<String, Value> {
    let data = node.get("data").unwrap_or(node);
    let kind = data
        .get("type")
        .or(node.get("type"))
        .and_then(Value::as_str);
    let kind = kind.unwrap_or_default().to_ascii_lowercase();
    let property = |keys: &[&str]| keys.iter().find_map(|key| data.pointer(key).cloned());
    let mut read = Map::new();
    let (key, value) = if kind.contains("agent") {
        let mut agent = Map::new();
        let rules = property(&["/rules/nl", "/properties/rules/nl"]);
        let system = property(&["/systemPrompt", "/properties/systemPrompt"]);
        let behaviour = property(&["/behavior", "/properties/behavior"]);
        // Rules are the primary instruction; otherwise the others are.
        match rules {
            Some(rules) => agent.insert("rules".into(), rules),
            None => agent.insert("system".into(), system.unwrap_or("You are helpful.".into())),
        };
        agent.extend(behaviour.map(|behaviour| ("behaviour".to_owned(), behaviour)));
        let inputs: Vec<String> = needs
            .iter()
            .map(|need| format!("{{{{ {need} }}}}"))
            .collect();
        let prompt = if inputs.is_empty() {
            "{{ input }}".to_owned()
        } else {
            inputs.join("\n")
        };
        agent.insert("prompt".into(), prompt.into());
        ("agent", Value::Object(agent))
    } else if kind.contains("tool") {
        let provider = property(&["/simulation/providerId", "/providerId"]);
        let operation = property(&["/simulation/operation", "/operation"]);
        let part = |value: Option<Value>| {
            let text = value.and_then(|value| value.as_str().map(str::to_owned));
            text.unwrap_or_else(|| "unknown".to_owned())
        };
        let mut tool = Map::new();
        let capability = format!("{}.{}", part(provider), part(operation));
        tool.insert("capability".into(), capability.into());
        let preset = property(&["/simulation/preset", "/preset"]);
        tool.extend(preset.map(|preset| ("preset".to_owned(), preset)));
        ("tool", Value::Object(tool))
    } else {
        remarks.push(format!("{name}: a node of the type `{kind}` became text"));
        let text = needs.first().map_or("input", String::as_str);
        ("text", format!("{{{{ {text} }}}}").into())
    };
    read.insert(key.into(), value);
    read
}
