//! Whether schemas imply another one: then its negation excludes all their values.

use serde_json::Value;

use super::acceptor::Acceptor;
use super::alternative::alternatives;
use super::decider::{is_closed, is_integer, names, properties, property};
use super::number::Range;
use super::{Object, limits};

/// What only describes a value.
const ANNOTATIONS: [&str; 9] = [
    "title",
    "description",
    "default",
    "example",
    "deprecated",
    "externalDocs",
    "discriminator",
    "xml",
    "nullable",
];

/// Whether every value of `kind` that satisfies all `parts` satisfies `schema`, for certain.
pub(super) fn by(root: &Object, parts: &[&Object], schema: &Object, kind: &str) -> bool {
    alternatives(root, &[schema]).iter().any(|alternative| {
        let whole = alternative.parts.iter();
        alternative.negated.is_empty()
            && whole.into_iter().all(|part| {
                part.iter()
                    .all(|(keyword, value)| holds(root, parts, part, keyword, value, kind))
            })
    })
}

fn holds(
    root: &Object,
    parts: &[&Object],
    schema: &Object,
    keyword: &str,
    value: &Value,
    kind: &str,
) -> bool {
    let all = [schema];
    let within = |least: &str, most: &str| {
        let (own, other) = (limits(parts, least, most), limits(&all, least, most));
        own.0 >= other.0
            && other
                .1
                .is_none_or(|most| own.1.is_some_and(|it| it <= most))
    };
    let same = || parts.iter().any(|part| part.get(keyword) == Some(value));
    match keyword {
        "type" => match value.as_str() {
            Some("integer") => kind == "number" && is_integer(parts),
            Some(written) => written == kind,
            None => false,
        },
        // The alternatives have them already.
        "allOf" | "anyOf" | "oneOf" | "$ref" => true,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            kind != "number" || Range::of(parts).is_within(Range::of(&all))
        }
        "multipleOf" => kind != "number" || same(),
        "minLength" | "maxLength" => kind != "string" || within("minLength", "maxLength"),
        "pattern" => kind != "string" || same(),
        "format" => !matches!(kind, "string" | "number") || same(),
        "minItems" | "maxItems" => kind != "array" || within("minItems", "maxItems"),
        "items" | "uniqueItems" => kind != "array" || same(),
        "minProperties" | "maxProperties" => {
            kind != "object" || within("minProperties", "maxProperties")
        }
        "required" => {
            let is_required = |name: &str| {
                parts
                    .iter()
                    .any(|part| names(part, "required").any(|it| it == name))
            };
            kind != "object" || names(schema, "required").all(is_required)
        }
        "properties" => {
            kind != "object" || properties(schema).all(|(name, it)| has(root, parts, name, it))
        }
        "additionalProperties" => {
            let known = |name: &String| {
                schema
                    .get("properties")
                    .is_some_and(|it| it.get(name).is_some())
            };
            let is_narrower =
                |part: &&&Object| is_closed(part) && properties(part).all(|(name, _)| known(name));
            kind != "object"
                || *value == Value::Bool(true)
                || (is_closed(schema) && parts.iter().any(|part| is_narrower(&part)))
        }
        keyword => ANNOTATIONS.contains(&keyword) || keyword.starts_with("x-"),
    }
}

/// Whether the property `name`, if it is there, satisfies `schema`.
fn has(root: &Object, parts: &[&Object], name: &str, schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else {
        return true;
    };
    let Some(own) = property(parts, name) else {
        return true;
    };
    let is_plain = |keyword: &String| ANNOTATIONS.contains(&keyword.as_str());
    if schema.keys().all(is_plain) {
        return true;
    }
    let values = own.iter().find_map(|part| part.get("enum")?.as_array());
    if let Some(values) = values {
        let acceptor = Acceptor::of(root, schema);
        return values.iter().all(|value| acceptor.accepts(value));
    }
    let stripped = |part: &Object| -> Vec<(String, Value)> {
        let rest = part.iter().filter(|(keyword, _)| !is_plain(keyword));
        let mut rest: Vec<(String, Value)> = rest
            .map(|(keyword, value)| (keyword.clone(), value.clone()))
            .collect();
        rest.sort_by(|left, right| left.0.cmp(&right.0));
        rest
    };
    let expected = stripped(schema);
    own.iter()
        .any(|part| stripped(part) == expected && part.get("nullable") == schema.get("nullable"))
}
