//! The keywords of JSON Schema and the values they take: those of draft 2020-12 that say what a
//! value is like, and those of older drafts that contain schemas.

use std::collections::HashSet;

use serde_json::Value;

use super::Object;

/// The names of types.
pub(super) const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// The kind of value that a keyword takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// A schema.
    Schema,
    /// A schema, where clients know `true` and `false` as well.
    SchemaOrFlag,
    /// A list of schemas.
    Schemas,
    /// A map from names to schemas.
    Properties,
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A number greater than 0.
    Positive,
    /// A non-negative integer.
    Count,
    /// A list of unique names.
    Names,
    /// A map from names to lists of names.
    Requirements,
    /// A list of values, at least one.
    Values,
    /// Any value.
    Any,
}

const KEYWORDS: [(&str, Takes); 50] = [
    ("title", Takes::Text),
    ("description", Takes::Text),
    ("default", Takes::Any),
    ("examples", Takes::Values),
    ("deprecated", Takes::Flag),
    ("readOnly", Takes::Flag),
    ("writeOnly", Takes::Flag),
    ("enum", Takes::Values),
    ("const", Takes::Any),
    ("format", Takes::Text),
    ("contentMediaType", Takes::Text),
    ("contentEncoding", Takes::Text),
    ("pattern", Takes::Text),
    ("minLength", Takes::Count),
    ("maxLength", Takes::Count),
    ("minimum", Takes::Number),
    ("maximum", Takes::Number),
    ("exclusiveMinimum", Takes::Number),
    ("exclusiveMaximum", Takes::Number),
    ("multipleOf", Takes::Positive),
    ("minItems", Takes::Count),
    ("maxItems", Takes::Count),
    ("uniqueItems", Takes::Flag),
    ("minContains", Takes::Count),
    ("maxContains", Takes::Count),
    ("minProperties", Takes::Count),
    ("maxProperties", Takes::Count),
    ("required", Takes::Names),
    ("dependentRequired", Takes::Requirements),
    ("properties", Takes::Properties),
    ("patternProperties", Takes::Properties),
    ("dependentSchemas", Takes::Properties),
    ("$defs", Takes::Properties),
    ("definitions", Takes::Properties),
    ("additionalProperties", Takes::SchemaOrFlag),
    ("unevaluatedProperties", Takes::SchemaOrFlag),
    ("unevaluatedItems", Takes::SchemaOrFlag),
    ("propertyNames", Takes::Schema),
    ("items", Takes::Schema),
    ("contains", Takes::Schema),
    ("not", Takes::Schema),
    ("if", Takes::Schema),
    ("then", Takes::Schema),
    ("else", Takes::Schema),
    ("prefixItems", Takes::Schemas),
    ("allOf", Takes::Schemas),
    ("anyOf", Takes::Schemas),
    ("oneOf", Takes::Schemas),
    ("$ref", Takes::Text),
    ("$anchor", Takes::Text),
];

/// The kind of value that `keyword` takes, if it is known.
pub(super) fn takes(keyword: &str) -> Option<Takes> {
    let known = KEYWORDS.iter().find(|(name, _)| *name == keyword);
    known.map(|(_, takes)| *takes)
}

impl Takes {
    /// `value` of a keyword without schemas, if it is valid.
    pub(super) fn read(self, value: &Value) -> Option<Value> {
        let is_valid = match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Positive => value.as_f64().is_some_and(|number| number > 0.0),
            Self::Count => return count(value).map(Value::from),
            Self::Names => return names(value),
            Self::Requirements => value
                .as_object()
                .is_some_and(|entries| entries.values().all(|value| names(value).is_some())),
            Self::Values => value.as_array().is_some_and(|values| !values.is_empty()),
            Self::Any => true,
            Self::Schema | Self::SchemaOrFlag | Self::Schemas | Self::Properties => false,
        };
        is_valid.then(|| value.clone())
    }
}

/// A non-negative integer, which some libraries write as `1.0`.
fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let text = value.as_f64()?.to_string();
        text.parse().ok()
    })
}

/// The strings in a list, each once; `None` without any.
fn names(value: &Value) -> Option<Value> {
    let mut seen = HashSet::new();
    let names = value.as_array()?.iter().filter_map(Value::as_str);
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    (!names.is_empty()).then(|| names.into())
}

/// The names of types in `value`.
pub(super) fn types(value: &Value) -> Option<Value> {
    let name = |value: &Value| {
        let name = value.as_str()?.to_lowercase();
        TYPES.contains(&name.as_str()).then_some(name)
    };
    match value {
        Value::Array(names) => {
            let mut known: Vec<String> = Vec::new();
            for name in names.iter().filter_map(name) {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            (!known.is_empty()).then(|| known.into())
        }
        value => name(value).map(Value::from),
    }
}

/// The number that `keyword` says.
pub(super) fn number(schema: &Object, keyword: &str) -> Option<Value> {
    let number = schema.get(keyword).filter(|value| value.is_number());
    number.cloned()
}
