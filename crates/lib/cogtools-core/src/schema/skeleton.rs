//! The smallest arguments that match a schema: a form for the caller to fill in.

use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// How many values the skeleton may have; a larger one would not help.
const MAX_VALUES: usize = 100;
const MAX_DEPTH: usize = 8;

pub(super) fn object(schema: &Object) -> Option<Object> {
    match value(schema, 0, &mut 0)? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn value(schema: &Object, depth: usize, values: &mut usize) -> Option<Value> {
    *values += 1;
    if depth > MAX_DEPTH || *values > MAX_VALUES || schema.contains_key("$ref") {
        return None;
    }
    if let Some(first) = schema
        .get("enum")
        .and_then(Value::as_array)
        .and_then(|all| all.first())
    {
        return Some(first.clone());
    }
    if let Some(value) = schema.get("default").or_else(|| schema.get("example")) {
        return Some(value.clone());
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => properties(schema, depth, values),
        Some("array") => items(schema, depth, values),
        Some("boolean") => Some(json!(false)),
        Some("integer" | "number") => Some(number(schema)),
        _ => text(schema),
    }
}

fn properties(schema: &Object, depth: usize, values: &mut usize) -> Option<Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let mut result = Object::new();
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        let property = properties
            .and_then(|all| all.get(name))
            .and_then(Value::as_object);
        let inner = match property {
            Some(property) => value(property, depth + 1, values)?,
            None => json!("…"),
        };
        result.insert(name.to_owned(), inner);
    }
    Some(Value::Object(result))
}

fn items(schema: &Object, depth: usize, values: &mut usize) -> Option<Value> {
    let count = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    let items = schema.get("items").and_then(Value::as_object)?;
    match count {
        0 => Some(json!([])),
        1..=8 => (0..count)
            .map(|_| value(items, depth + 1, values))
            .collect(),
        _ => None,
    }
}

fn number(schema: &Object) -> Value {
    let least = schema
        .get("minimum")
        .filter(|least| least.as_f64() > Some(0.0));
    let most = schema
        .get("maximum")
        .filter(|most| most.as_f64() < Some(0.0));
    least.or(most).cloned().unwrap_or_else(|| json!(0))
}

fn text(schema: &Object) -> Option<Value> {
    if schema.contains_key("pattern") || schema.contains_key("format") {
        return None;
    }
    let least = schema
        .get("minLength")
        .and_then(Value::as_u64)
        .unwrap_or(1)
        .max(1);
    match usize::try_from(least) {
        Ok(least @ 1..=64) => Some(Value::String("…".repeat(least))),
        _ => None,
    }
}
