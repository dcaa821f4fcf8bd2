//! The keys and values of tool files and configurations, by their JSON Schemas.

use std::sync::LazyLock;

use serde_json::Value;

use super::document::Kind;

static TOOL: LazyLock<Value> =
    LazyLock::new(|| parse(include_str!("../../../../../docs/schema/tool.json")));
static CONFIG: LazyLock<Value> =
    LazyLock::new(|| parse(include_str!("../../../../../docs/schema/config.json")));

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// The schema of a kind of file.
fn of(kind: Kind) -> Option<&'static Value> {
    match kind {
        Kind::Tool => Some(&TOOL),
        Kind::Config => Some(&CONFIG),
        Kind::Template => None,
    }
}

/// The schemas that the value at `path` may have, with the references among them resolved.
pub(super) fn shapes(kind: Kind, path: &[String]) -> Vec<&'static Value> {
    let Some(root) = of(kind) else {
        return Vec::new();
    };
    let mut shapes = alternatives(root, root, 0);
    for step in path {
        let inner = shapes.into_iter().flat_map(|shape| {
            let named = &shape["properties"][step.as_str()];
            let is_item = step.parse::<usize>().is_ok();
            match named {
                Value::Object(_) => vec![named],
                _ if is_item => vec![&shape["items"]],
                _ => {
                    let patterns = shape["patternProperties"].as_object();
                    let patterns = patterns.into_iter().flat_map(|all| all.values());
                    patterns.chain([&shape["additionalProperties"]]).collect()
                }
            }
        });
        let inner = inner.filter(|it| it.is_object());
        shapes = inner
            .flat_map(|shape| alternatives(root, shape, 0))
            .collect();
    }
    shapes
}

/// The schema, with what it refers to and is composed of.
fn alternatives(root: &'static Value, schema: &'static Value, depth: usize) -> Vec<&'static Value> {
    if depth > 16 {
        return Vec::new();
    }
    let mut found = vec![schema];
    let target = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
    let target = target.and_then(|pointer| root.pointer(pointer));
    let composed = ["anyOf", "oneOf", "allOf"].into_iter();
    let composed = composed.flat_map(|key| schema[key].as_array().into_iter().flatten());
    for inner in composed.chain(target) {
        found.extend(alternatives(root, inner, depth + 1));
    }
    found
}

/// The keys of the map at `path`, with their descriptions.
pub(super) fn keys(kind: Kind, path: &[String]) -> Vec<(&'static str, &'static str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for shape in shapes(kind, path) {
        for (key, inner) in shape["properties"].as_object().into_iter().flatten() {
            if !found.iter().any(|(other, _)| other == key) {
                found.push((
                    key,
                    description(
                        &of(kind).map_or_else(Vec::new, |root| alternatives(root, inner, 0)),
                    ),
                ));
            }
        }
    }
    found
}

/// The values that the value at `path` can have.
pub(super) fn values(kind: Kind, path: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for shape in shapes(kind, path) {
        let constant = shape.get("const").into_iter();
        let listed = shape["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .chain(constant);
        found.extend(listed.filter_map(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            value => Some(value.to_string()),
        }));
        if shape["type"] == "boolean" {
            found.extend(["true".to_owned(), "false".to_owned()]);
        }
    }
    found.dedup();
    found
}

/// The first description among schemas.
pub(super) fn description(shapes: &[&'static Value]) -> &'static str {
    let mut descriptions = shapes
        .iter()
        .filter_map(|shape| shape["description"].as_str());
    descriptions.next().unwrap_or_default()
}
