//! From JSON Schema to the OpenAPI 3.0 Schema Object, for the tools of MCP servers
//! and providers.
//!
//! Keywords that OpenAPI 3.0 cannot express are left out or loosened, never tightened:
//! arguments are validated against the original, and a host that reads OpenAPI sees
//! as much of it as possible.

use std::cell::Cell;

use serde_json::{Value, json};

use super::keyword::{self, KeywordKind};
use super::upgrade::repairs;
use super::{Object, is_of_type, is_true, list_null};

/// Maximum depth to which definitions are followed: they may be recursive.
const MAX_DEPTH: usize = 12;
/// Maximum number of schemas once definitions stand where they are used: a few that branch
/// would be more than memory holds.
const MAX_SCHEMAS: usize = 50_000;

/// The whole schema.
struct Root<'s> {
    schema: &'s Value,
    /// Number of schemas that may still be converted.
    left: Cell<usize>,
}

/// The Schema Object for a JSON Schema of draft 4 or later; always of `type: object`,
/// as arguments are.
pub(super) fn object(schema: &Object) -> Object {
    let schema = Value::Object(schema.clone());
    let root = Root {
        schema: &schema,
        left: Cell::new(MAX_SCHEMAS),
    };
    let mut result = convert(&schema, &root, MAX_DEPTH);
    result.insert("type".into(), "object".into());
    result.remove("nullable");
    if !result.contains_key("properties") {
        result.insert("properties".into(), json!({}));
    }
    result
}

/// Returns `schema` without exclusive bounds, which the Gemini API rejects: the bound of an integer
/// is moved by one, and any other becomes one that includes its value.
pub(super) fn without_exclusive_bounds(schema: &Object) -> Object {
    let is_integer = is_of_type(schema, "integer");
    let moved = |value: &Value, step: i64| {
        let value = value.as_i64().filter(|_| is_integer)?;
        value.checked_add(step).map(Value::from)
    };
    let entries = schema.iter().filter_map(|(keyword, value)| {
        let value = match keyword.as_str() {
            "exclusiveMinimum" | "exclusiveMaximum" => return None,
            "minimum" if is_true(schema, "exclusiveMinimum") => moved(value, 1),
            "maximum" if is_true(schema, "exclusiveMaximum") => moved(value, -1),
            keyword => keyword::takes(keyword).map(|takes| {
                takes.convert(value, |value| match value {
                    Value::Object(schema) => Value::Object(without_exclusive_bounds(schema)),
                    flag => flag.clone(),
                })
            }),
        }
        .unwrap_or_else(|| value.clone());
        Some((keyword.clone(), value))
    });
    entries.collect()
}

fn convert(schema: &Value, root: &Root<'_>, depth: usize) -> Object {
    let Value::Object(schema) = schema else {
        return Object::new();
    };
    let left = root.left.get();
    if depth == 0 || left == 0 {
        return text_entry(schema, "description");
    }
    root.left.set(left - 1);
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let mut result = target
            .strip_prefix('#')
            .and_then(|pointer| root.schema.pointer(pointer))
            .map_or_else(Object::new, |schema| convert(schema, root, depth - 1));
        result.extend(text_entry(schema, "description"));
        return result;
    }
    let mut result = Object::new();
    for (keyword, value) in schema {
        entry(keyword, value, root, depth, &mut result);
    }
    required(&mut result);
    result
}

/// The entry of `keyword` alone, if its value is a string.
fn text_entry(schema: &Object, keyword: &str) -> Object {
    let entry = schema.get(keyword).filter(|value| value.is_string());
    let entry = entry.map(|value| (keyword.to_owned(), value.clone()));
    entry.into_iter().collect()
}

fn entry(keyword: &str, value: &Value, root: &Root<'_>, depth: usize, result: &mut Object) {
    let schema = |value: &Value| Value::Object(convert(value, root, depth - 1));
    match (keyword, value) {
        ("type", value) => types(value, result),
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
        (keyword, value) => match (keyword::takes(keyword), value) {
            (Some(KeywordKind::Schemas), Value::Array(parts)) if !parts.is_empty() => {
                composition(keyword, parts, root, depth, result);
            }
            (Some(takes), value) if takes.accepts(value) => {
                result.insert(keyword.to_owned(), takes.convert(value, schema));
            }
            _ => {}
        },
    }
}

/// Converts `type`: a list becomes `anyOf`, and `null` in it `nullable`.
fn types(value: &Value, result: &mut Object) {
    // A name that is none stays, and is reported.
    let names = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    let names = names.iter().filter_map(Value::as_str);
    let mut names: Vec<String> = names.map(str::to_lowercase).collect();
    let count = names.len();
    names.retain(|name| name != "null");
    let is_nullable = names.len() < count;
    let mut parts = names.into_iter().map(|name| {
        let mut part = Object::from_iter([("type".to_owned(), name.into())]);
        part.extend(is_nullable.then(|| ("nullable".to_owned(), true.into())));
        part
    });
    if parts.len() > 1 {
        result.insert("anyOf".into(), parts.collect());
    } else {
        result.extend(parts.next().unwrap_or_default());
    }
}

/// Converts `anyOf`, `oneOf` or `allOf`. Instead of an alternative that is only `null`, another one
/// permits it; a single remaining one needs no `anyOf`.
fn composition(keyword: &str, parts: &[Value], root: &Root<'_>, depth: usize, result: &mut Object) {
    let null = |part: &&Value| {
        let has = |key: &str, value: Value| part.get(key) == Some(&value);
        has("type", "null".into()) || has("const", Value::Null) || has("enum", json!([null]))
    };
    let choice = keyword != "allOf";
    let nulls = parts.iter().filter(null).count();
    let rest = parts.iter().filter(|part| !choice || !null(part));
    let rest: Vec<Object> = rest.map(|part| convert(part, root, depth - 1)).collect();
    match rest.as_slice() {
        [] => {}
        [only] if choice && nulls > 0 => {
            for (name, value) in only {
                result.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        _ => drop(result.insert(keyword.to_owned(), rest.into())),
    }
    if choice && nulls > 0 {
        allow_null(result);
    }
}

/// Makes `null` a value of `schema`: `nullable` means that beside a type only, and an enum lists it.
fn allow_null(schema: &mut Object) {
    if schema.contains_key("type") {
        schema.insert("nullable".into(), true.into());
    }
    list_null(schema);
    for (keyword, count) in [("allOf", usize::MAX), ("anyOf", 1), ("oneOf", 1)] {
        let parts = schema.get_mut(keyword).and_then(Value::as_array_mut);
        let parts = parts.into_iter().flatten().take(count);
        parts.filter_map(Value::as_object_mut).for_each(allow_null);
    }
}

/// Removes from `required` what is not a string or is repeated, and an empty list.
fn required(schema: &mut Object) {
    let Some(names @ Value::Array(_)) = schema.get("required") else {
        return;
    };
    match repairs::names(names) {
        Some(names) => drop(schema.insert("required".into(), names)),
        None => drop(schema.shift_remove("required")),
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
    fn keywords_are_converted_to_those_of_open_api() {
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
            json!({"type": ["string", "integer", "null"]}),
            json!({"anyOf": [
                {"type": "string", "nullable": true}, {"type": "integer", "nullable": true},
            ]}),
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
    fn null_among_alternatives_is_a_value() {
        for none in [
            json!({"type": "null"}),
            json!({"const": null}),
            json!({"enum": [null]}),
        ] {
            let or_null = |part: Value| json!({"oneOf": [part, none]});
            check(
                or_null(json!({"type": "string", "enum": ["a", "b"]})),
                json!({"type": "string", "enum": ["a", "b", null], "nullable": true}),
            );
            check(or_null(json!({"const": 1})), json!({"enum": [1, null]}));
            check(
                or_null(json!({"allOf": [{"type": "string"}, {"enum": ["a"]}]})),
                json!({"allOf": [{"type": "string", "nullable": true}, {"enum": ["a", null]}]}),
            );
            check(
                json!({"anyOf": [{"enum": ["a"]}, {"type": "integer"}, none]}),
                json!({"anyOf": [{"enum": ["a", null]}, {"type": "integer"}]}),
            );
        }
        check(json!({"const": null}), json!({"enum": [null]}));
    }

    #[test]
    fn keywords_without_an_open_api_form_are_left_out() {
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
    fn exclusive_bounds_are_moved_or_loosened() {
        let with = |schema: Value| json!({"properties": {"a": {"items": schema}}, "anyOf": [true]});
        for (schema, expected) in [
            (
                json!({"type": "integer", "minimum": 3, "exclusiveMinimum": true}),
                json!({"type": "integer", "minimum": 4}),
            ),
            (
                json!({"type": "integer", "maximum": 3, "exclusiveMaximum": true, "minimum": 0,
                    "exclusiveMinimum": false}),
                json!({"type": "integer", "maximum": 2, "minimum": 0}),
            ),
            (
                json!({"type": "integer", "maximum": i64::MIN, "exclusiveMaximum": true}),
                json!({"type": "integer", "maximum": i64::MIN}),
            ),
            (
                json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}),
                json!({"type": "number", "minimum": 0}),
            ),
        ] {
            let whole = with(schema);
            let found = without_exclusive_bounds(whole.as_object().unwrap_or(&Object::new()));
            assert_eq!(Value::Object(found), with(expected));
        }
    }

    #[test]
    fn a_recursive_definition_is_followed_to_a_limit() {
        let root = json!({"properties": {"a": {"$ref": "#/$defs/l"}}, "$defs": {"l": {"items": {"$ref": "#/$defs/l"}}}});
        let converted = object(root.as_object().unwrap_or(&Object::new()));
        assert!(converted["properties"]["a"].to_string().len() < 1_000);
    }

    #[test]
    fn definitions_that_branch_are_bounded() {
        let branches: Vec<Value> = (0..20).map(|_| json!({"$ref": "#/$defs/a"})).collect();
        let schema = json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": branches}}});
        let schema = schema.as_object().expect("an object");
        let size = Value::Object(object(schema)).to_string().len();
        assert!(size < 20_000_000, "{size}");
    }
}
