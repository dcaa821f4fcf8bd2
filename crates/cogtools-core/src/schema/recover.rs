//! Back from JSON Schema to the Schema Object of OpenAPI 3.0, for tools that
//! others declare.
//!
//! What OpenAPI 3.0 cannot say is left out or said more loosely, never more
//! strictly: a call is held to the original, a host that reads OpenAPI sees as
//! much of it as there are words for.

use serde_json::{Map, Value, json};

use super::keyword::{self, Takes};

type Object = Map<String, Value>;

/// How far definitions are followed: they may lead back to themselves.
const DEPTH: usize = 12;

/// The Schema Object for a JSON Schema of any draft from 4 on; of `type: object`,
/// for that is what arguments are.
pub(super) fn object(schema: &Object) -> Object {
    let root = Value::Object(schema.clone());
    let mut result = convert(&root, &root, DEPTH);
    result.insert("type".into(), "object".into());
    result.remove("nullable");
    if !result.contains_key("properties") {
        result.insert("properties".into(), json!({}));
    }
    result
}

fn convert(schema: &Value, root: &Value, depth: usize) -> Object {
    let Value::Object(schema) = schema else {
        return Object::new();
    };
    if depth == 0 {
        return kept(schema, "description");
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let target = target.strip_prefix('#').and_then(|way| root.pointer(way));
        let mut result = target.map_or_else(Object::new, |schema| convert(schema, root, depth - 1));
        result.extend(kept(schema, "description"));
        return result;
    }
    let mut result = Object::new();
    for (keyword, value) in schema {
        entry(keyword, value, root, depth, &mut result);
    }
    required(&mut result);
    result
}

fn kept(schema: &Object, keyword: &str) -> Object {
    let entry = schema.get(keyword).filter(|value| value.is_string());
    entry
        .map(|value| (keyword.to_owned(), value.clone()))
        .into_iter()
        .collect()
}

fn entry(keyword: &str, value: &Value, root: &Value, depth: usize, result: &mut Object) {
    let schema = |value: &Value| Value::Object(convert(value, root, depth - 1));
    match (keyword, value) {
        ("type", value) => types(value, result),
        ("const", Value::Null) => drop(result.insert("nullable".into(), true.into())),
        ("const", value) => drop(result.insert("enum".into(), json!([value]))),
        ("exclusiveMinimum" | "exclusiveMaximum", Value::Number(_)) => {
            let bound = if keyword == "exclusiveMinimum" {
                "minimum"
            } else {
                "maximum"
            };
            result.insert(bound.into(), value.clone());
            result.insert(keyword.into(), true.into());
        }
        ("examples", Value::Array(examples)) => {
            let first = examples
                .first()
                .map(|first| ("example".to_owned(), first.clone()));
            result.extend(first);
        }
        ("prefixItems" | "items", Value::Array(items)) => {
            let items: Vec<Value> = items.iter().map(schema).collect();
            let any = if items.is_empty() {
                json!({})
            } else {
                json!({"anyOf": items})
            };
            result.insert("items".into(), any);
        }
        (word, value) => match (keyword::takes(word), value) {
            (Some(Takes::Schema | Takes::SchemaOrFlag), Value::Object(_)) => {
                result.insert(word.to_owned(), schema(value));
            }
            (Some(Takes::SchemaOrFlag), Value::Bool(_)) => {
                result.insert(word.to_owned(), value.clone());
            }
            (Some(Takes::Schema), Value::Bool(true)) => {
                result.insert(word.to_owned(), json!({}));
            }
            (Some(Takes::Schemas), Value::Array(parts)) if !parts.is_empty() => {
                parts_of(word, parts, root, depth, result);
            }
            (Some(Takes::Properties), Value::Object(properties)) => {
                let properties = properties
                    .iter()
                    .map(|(name, value)| (name.clone(), schema(value)));
                result.insert(word.to_owned(), Value::Object(properties.collect()));
            }
            (Some(takes), value) if fits(takes, value) => {
                result.insert(word.to_owned(), value.clone());
            }
            _ => {}
        },
    }
}

/// `type` in one word; `null` beside another type is `nullable`.
fn types(value: &Value, result: &mut Object) {
    let words: Vec<String> = match value {
        Value::String(word) => vec![word.to_lowercase()],
        Value::Array(words) => words
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_lowercase)
            .collect(),
        _ => Vec::new(),
    };
    let nullable = words.iter().any(|word| word == "null");
    let others: Vec<&String> = words.iter().filter(|word| *word != "null").collect();
    match others.as_slice() {
        [] => {}
        [one] => drop(result.insert("type".into(), one.as_str().into())),
        many => {
            let any: Vec<Value> = many.iter().map(|word| json!({"type": word})).collect();
            result.insert("anyOf".into(), any.into());
        }
    }
    if nullable {
        result.insert("nullable".into(), true.into());
    }
}

/// The parts of `anyOf` and its like; one that is only `null` is `nullable`, and
/// one that is left alone needs no `anyOf`.
fn parts_of(word: &str, parts: &[Value], root: &Value, depth: usize, result: &mut Object) {
    let null = |part: &&Value| part.get("type").is_some_and(|kind| kind == "null");
    let choice = word != "allOf";
    let nulls = parts.iter().filter(null).count();
    let rest: Vec<Object> = parts
        .iter()
        .filter(|part| !choice || !null(part))
        .map(|part| convert(part, root, depth - 1))
        .collect();
    if choice && nulls > 0 {
        result.insert("nullable".into(), true.into());
    }
    match rest.as_slice() {
        [] => {}
        [only] if choice && nulls > 0 => {
            for (keyword, value) in only {
                result
                    .entry(keyword.clone())
                    .or_insert_with(|| value.clone());
            }
        }
        _ => drop(result.insert(word.to_owned(), rest.into())),
    }
}

/// Whether a keyword that holds no schema has a value of its kind.
fn fits(takes: Takes, value: &Value) -> bool {
    match takes {
        Takes::Text | Takes::Pattern => value.is_string(),
        Takes::Flag => value.is_boolean(),
        Takes::Number => value.is_number(),
        Takes::Positive => value.as_f64().is_some_and(|number| number > 0.0),
        Takes::Count => value.as_u64().is_some(),
        Takes::Names | Takes::Values => value.as_array().is_some_and(|items| !items.is_empty()),
        Takes::Any | Takes::Object => true,
        _ => false,
    }
}

/// A list of required names has strings in it, each once; an empty one is none.
fn required(schema: &mut Object) {
    let Some(Value::Array(names)) = schema.get_mut("required") else {
        return;
    };
    let mut seen = Vec::new();
    names.retain(|name| {
        name.is_string() && !seen.contains(name) && {
            seen.push(name.clone());
            true
        }
    });
    if names.is_empty() {
        schema.shift_remove("required");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(
        clippy::needless_pass_by_value,
        reason = "a table reads better without borrows"
    )]
    fn check(schema: Value, expected: Value) {
        let root = json!({"type": "object", "properties": {"a": schema}, "$defs": {"t": {"type": "string"}, "loop": {"items": {"$ref": "#/$defs/loop"}}}});
        let converted = object(root.as_object().unwrap_or(&Object::new()));
        assert_eq!(converted["properties"]["a"], expected);
    }

    #[test]
    fn what_open_api_says_otherwise_is_said_otherwise() {
        check(
            json!({"type": ["string", "null"]}),
            json!({"type": "string", "nullable": true}),
        );
        check(
            json!({"type": ["string", "integer"]}),
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        );
        check(json!({"type": "STRING"}), json!({"type": "string"}));
        check(json!({"const": 1}), json!({"enum": [1]}));
        check(
            json!({"exclusiveMinimum": 1}),
            json!({"minimum": 1, "exclusiveMinimum": true}),
        );
        check(json!({"examples": ["x", "y"]}), json!({"example": "x"}));
        check(
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"nullable": true, "type": "string"}),
        );
        check(
            json!({"prefixItems": [{"type": "string"}, {"const": 2}]}),
            json!({"items": {"anyOf": [{"type": "string"}, {"enum": [2]}]}}),
        );
        check(
            json!({"$ref": "#/$defs/t", "description": "d"}),
            json!({"type": "string", "description": "d"}),
        );
        check(json!({"$ref": "#/nowhere"}), json!({}));
    }

    #[test]
    fn what_open_api_cannot_say_is_left_out() {
        check(
            json!({"if": {}, "then": {}, "$comment": "c", "patternProperties": {"^a": {}}}),
            json!({}),
        );
        check(json!(true), json!({}));
        check(
            json!({"type": "object", "required": []}),
            json!({"type": "object"}),
        );
        check(
            json!({"enum": [], "minLength": "3", "pattern": 1}),
            json!({}),
        );
    }

    #[test]
    fn a_definition_that_leads_to_itself_ends() {
        let root = json!({"properties": {"a": {"$ref": "#/$defs/l"}}, "$defs": {"l": {"items": {"$ref": "#/$defs/l"}}}});
        let converted = object(root.as_object().unwrap_or(&Object::new()));
        assert!(converted["properties"]["a"].to_string().len() < 1_000);
    }
}
