//! The API's rules for schemas: `parameters` supports few keywords.
//!
//! Any other keyword makes it refuse the whole request, so one invalid tool disables
//! all others.

use serde_json::{Map, Value};

use super::declaration::is_name;
use super::field::items;
use super::message::unknown;

/// The keywords that `parameters` supports.
const KEYWORDS: [&str; 23] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "anyOf",
    "default",
    "example",
    "propertyOrdering",
    // The spelling of the Protocol Buffers definition, which old clients send.
    "property_ordering",
];

const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// Checks a value of `parameters`, all the way down.
pub(super) fn check(schema: &Value, at: &str, complaints: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        complaints.push(format!("{at}: not a Schema"));
        return;
    };
    for keyword in schema.keys() {
        if !KEYWORDS.contains(&keyword.as_str()) {
            complaints.push(unknown(keyword, at));
        }
    }
    let kind = schema.get("type").map_or(Some(String::new()), |kind| {
        kind.as_str().map(str::to_lowercase)
    });
    let kind = kind.unwrap_or_else(|| "no string".to_owned());
    if !kind.is_empty() && !TYPES.contains(&kind.as_str()) {
        complaints.push(format!("{at}.type: invalid value ({kind})"));
    }
    if let Some(choices) = schema.get("enum")
        && !items(choices).iter().all(Value::is_string)
    {
        complaints.push(format!("{at}.enum: only strings are allowed"));
    }
    if let Some(format) = schema.get("format").filter(|_| kind == "string")
        && format != "enum"
        && format != "date-time"
    {
        complaints.push(format!(
            "{at}.format: only 'enum' and 'date-time' are supported for STRING type"
        ));
    }
    if kind == "array" && !schema.contains_key("items") {
        complaints.push(format!("{at}.items: missing field"));
    }
    properties(schema, at, complaints);
    deeper(schema, at, complaints);
}

fn deeper(schema: &Map<String, Value>, at: &str, complaints: &mut Vec<String>) {
    for (name, property) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        check(property, &format!("{at}.properties[{name}]"), complaints);
    }
    if let Some(element) = schema.get("items") {
        check(element, &format!("{at}.items"), complaints);
    }
    for (index, choice) in schema
        .get("anyOf")
        .map_or(&[][..], items)
        .iter()
        .enumerate()
    {
        check(choice, &format!("{at}.any_of[{index}]"), complaints);
    }
}

/// The rules for `properties` and `required` in both kinds of schema.
pub(super) fn properties(schema: &Map<String, Value>, at: &str, complaints: &mut Vec<String>) {
    let known = schema.get("properties").and_then(Value::as_object);
    if known.is_some_and(Map::is_empty) {
        complaints.push(format!(
            "{at}.properties: should be non-empty for OBJECT type"
        ));
    }
    for name in known.into_iter().flat_map(Map::keys) {
        if !is_name(name, "") {
            complaints.push(format!("{at}.properties[{name}]: invalid parameter name"));
        }
    }
    let required = schema.get("required").map_or(&[][..], items);
    for (index, name) in required.iter().enumerate() {
        let defined = name
            .as_str()
            .is_some_and(|name| known.is_some_and(|known| known.contains_key(name)));
        if !defined {
            complaints.push(format!("{at}.required[{index}]: property is not defined"));
        }
    }
}
