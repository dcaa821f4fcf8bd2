//! Values that a branch of a composition is meant for, to find out whether another branch
//! takes them, too.

use serde_json::{Map, Value, json};

use super::alternative::{parts, target};
use super::decider::{names, properties};
use super::{Object, limits, text};

/// Deeper values are not made up.
const MAX_DEPTH: usize = 6;

/// Some values of `schema`. `around` is the schema whose branch it is: it can say what the
/// properties are.
pub(super) fn samples(root: &Object, around: &Object, schema: &Object) -> Vec<Value> {
    of(root, around, schema, 0)
}

fn of(root: &Object, around: &Object, schema: &Object, depth: usize) -> Vec<Value> {
    let Some(schema) = target(root, schema).filter(|_| depth < MAX_DEPTH) else {
        return Vec::new();
    };
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.clone();
    }
    let inner = ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .flat_map(|keyword| parts(schema, keyword));
    let mut values: Vec<Value> = inner
        .take(4)
        .flat_map(|part| of(root, schema, part, depth + 1))
        .collect();
    let kind = schema.get("type").or_else(|| around.get("type"));
    match kind.and_then(Value::as_str) {
        Some("string") => values.extend(strings(schema)),
        Some(kind @ ("integer" | "number")) => values.extend(numbers(schema, kind)),
        Some("boolean") => values.extend([json!(true), json!(false)]),
        Some("array") => values.extend([list(root, schema, depth), json!([])]),
        Some("object") => values.extend(objects(root, around, schema, depth)),
        _ => {}
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        values.push(Value::Null);
    }
    values
}

fn strings(schema: &Object) -> Vec<Value> {
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        return text::example(format).into_iter().collect();
    }
    let (least, most) = limits(&[schema], "minLength", "maxLength");
    let lengths = [least, most.unwrap_or(least.max(1)), 5];
    let lengths = lengths.into_iter().filter(|length| *length <= 4_096);
    let mut texts: Vec<Value> = lengths.map(|length| json!("a".repeat(length))).collect();
    texts.extend([json!("1"), json!("https://example.org/")]);
    texts
}

fn numbers(schema: &Object, kind: &str) -> Vec<Value> {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let (low, high) = (bound("minimum"), bound("maximum"));
    let mut numbers = vec![0.0, 1.0];
    numbers.extend(low.into_iter().flat_map(|low| [low, low + 1.0]));
    numbers.extend(high.into_iter().flat_map(|high| [high, high - 1.0]));
    if kind == "number" {
        numbers.push(0.5);
    }
    numbers.into_iter().map(Value::from).collect()
}

fn list(root: &Object, schema: &Object, depth: usize) -> Value {
    let (least, _) = limits(&[schema], "minItems", "maxItems");
    let items = schema.get("items").and_then(Value::as_object);
    let item = items.and_then(|items| of(root, items, items, depth + 1).into_iter().next());
    item.map_or_else(
        || json!([]),
        |item| Value::Array(vec![item; least.clamp(1, 8)]),
    )
}

/// The objects with all that is required, and with all that this schema names itself.
fn objects(root: &Object, around: &Object, schema: &Object, depth: usize) -> Vec<Value> {
    let known = |name: &str| {
        let find = |schema: &'_ Object| schema.get("properties")?.get(name)?.as_object().cloned();
        find(schema).or_else(|| find(around))
    };
    let value = |name: &str| {
        let property = known(name)?;
        of(root, &property, &property, depth + 1).into_iter().next()
    };
    let object = |chosen: Vec<&str>| {
        let entries = chosen
            .into_iter()
            .map(|name| Some((name.to_owned(), value(name)?)));
        entries
            .collect::<Option<Map<String, Value>>>()
            .map(Value::Object)
    };
    let required: Vec<&str> = names(schema, "required").collect();
    let around = if schema.contains_key("required") {
        Vec::new()
    } else {
        names(around, "required").collect()
    };
    let all = properties(schema).map(|(name, _)| name.as_str());
    let full = required
        .iter()
        .copied()
        .chain(all)
        .chain(around.iter().copied())
        .collect();
    let minimal = required.into_iter().chain(around).collect();
    [object(minimal), object(full)]
        .into_iter()
        .flatten()
        .collect()
}
