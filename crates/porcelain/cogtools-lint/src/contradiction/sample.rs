//! Values that a schema is meant for, to find out what takes them, and what a template makes of
//! them.

use serde_json::{Map, Value, json};

use super::{Object, limits, list, parts};

/// Deeper values are not made up.
const MAX_DEPTH: usize = 6;

/// Makes up values of `schema`. `around` is the schema whose branch it is: it can declare the
/// properties.
pub(super) fn samples(around: &Object, schema: &Object) -> Vec<Value> {
    of(around, schema, 0)
}

fn of(around: &Object, schema: &Object, depth: usize) -> Vec<Value> {
    if depth >= MAX_DEPTH || schema.contains_key("$ref") {
        return Vec::new();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.clone();
    }
    let inner = ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .flat_map(|keyword| parts(schema, keyword));
    let mut values: Vec<Value> = inner
        .take(4)
        .flat_map(|part| of(schema, part, depth + 1))
        .collect();
    let kind = schema.get("type").or_else(|| around.get("type"));
    match kind.and_then(Value::as_str) {
        Some("string") => values.extend(strings(schema)),
        Some(kind @ ("integer" | "number")) => values.extend(numbers(schema, kind)),
        Some("boolean") => values.extend([json!(true), json!(false)]),
        Some("array") => {
            let (least, _) = limits(&[schema], "minItems", "maxItems");
            let items = schema.get("items").and_then(Value::as_object);
            let item = items.and_then(|items| of(items, items, depth + 1).into_iter().next());
            let two = item.into_iter().flat_map(|item| {
                [least.clamp(2, 8), least.clamp(1, 8)].map(|count| json!(vec![item.clone(); count]))
            });
            values.extend(two.filter(|it| schema.get("uniqueItems").is_none() || it[1].is_null()));
            values.push(json!([]));
        }
        Some("object") => values.extend(objects(around, schema, depth)),
        _ => {}
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        values.push(Value::Null);
    }
    values
}

fn strings(schema: &Object) -> Vec<Value> {
    match schema.get("format").and_then(Value::as_str) {
        Some("date") => return vec![json!("2024-01-31")],
        Some("date-time") => return vec![json!("2024-01-31T12:00:00Z")],
        Some("uuid") => return vec![json!("123e4567-e89b-42d3-a456-426614174000")],
        Some("email") => return vec![json!("a@example.org")],
        Some("uri") => return vec![json!("https://example.org/")],
        Some("ipv4") => return vec![json!("192.0.2.1")],
        Some("password") | None => {}
        Some(_) => return Vec::new(),
    }
    let (least, most) = limits(&[schema], "minLength", "maxLength");
    let lengths = [least.max(1), most.unwrap_or(5), 5, least];
    let lengths = lengths.into_iter().filter(|length| *length <= 4_096);
    let mut texts: Vec<Value> = lengths.map(|length| json!("a".repeat(length))).collect();
    texts.extend([json!("1"), json!("https://example.org/")]);
    // A text with quotes breaks what is not escaped.
    let fits = least <= 7 && most.is_none_or(|most| most >= 7) && !schema.contains_key("pattern");
    texts.splice(0..0, fits.then(|| json!("a \"b\" c")));
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

/// The objects with all that is required, and with all that this schema names itself.
fn objects(around: &Object, schema: &Object, depth: usize) -> Vec<Value> {
    let value = |name: &str| {
        let find = |schema: &'_ Object| schema.get("properties")?.get(name)?.as_object().cloned();
        let property = find(schema).or_else(|| find(around))?;
        of(&property, &property, depth + 1).into_iter().next()
    };
    let object = |chosen: Vec<&str>| {
        let entries = chosen
            .into_iter()
            .map(|name| Some((name.to_owned(), value(name)?)));
        let entries = entries.collect::<Option<Map<String, Value>>>();
        entries.map(Value::Object)
    };
    let source = if schema.contains_key("required") {
        schema
    } else {
        around
    };
    let required: Vec<&str> = list(&[source], "required")
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let all = properties.into_iter().flatten().map(|it| it.0.as_str());
    let full = required.iter().copied().chain(all).collect();
    [object(full), object(required)]
        .into_iter()
        .flatten()
        .collect()
}
