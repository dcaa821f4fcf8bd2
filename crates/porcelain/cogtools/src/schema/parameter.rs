//! The schemas of parameters: entries in the short form, and plain Schema Objects.
//!
//! Both are generated from the parser's table of keywords; the short form differs
//! from it in the same places as in the parser.

use std::borrow::Cow;

use cogtools_core::schema::{KEYWORDS, KeywordKind, TYPES};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::schema::keyword;

/// An entry under `parameters` or `properties`, which may be optional.
pub(crate) struct Entry;
/// A schema in the short form elsewhere, such as under `items`.
struct Inner;
/// A plain Schema Object of OpenAPI 3.0.
pub(crate) struct Verbatim;

impl JsonSchema for Entry {
    fn schema_name() -> Cow<'static, str> {
        "Entry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let inner = generator.subschema_for::<Inner>();
        let mut properties = sugar(&inner, generator);
        let optional = json!({"type": "boolean", "description": keyword::OPTIONAL});
        properties.insert("optional".to_owned(), optional);
        short_or_map(
            "A parameter: its type alone, or a map of keywords.",
            &properties,
        )
    }
}

impl JsonSchema for Inner {
    fn schema_name() -> Cow<'static, str> {
        "Inner".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let inner = generator.subschema_for::<Self>();
        let properties = sugar(&inner, generator);
        short_or_map(
            "A schema: its type alone, or a map of keywords.",
            &properties,
        )
    }
}

impl JsonSchema for Verbatim {
    fn schema_name() -> Cow<'static, str> {
        "SchemaObject".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let inner = generator.subschema_for::<Self>();
        let kind = json!({"type": "string", "enum": TYPES});
        map(
            "A Schema Object of OpenAPI 3.0.",
            &keywords(&inner, &inner, &kind),
        )
    }
}

/// The keywords of the short form: each property says whether it is optional, instead of `required`.
fn sugar(inner: &Schema, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let entry = generator.subschema_for::<Entry>();
    let mut kinds = short_types().to_vec();
    kinds.push(json!({"enum": ["array"]}));
    let mut properties = keywords(inner, &entry, &json!({"anyOf": kinds}));
    properties.shift_remove("required");
    let from = json!({
        "type": "object", "properties": {"from": {"type": ["string", "object"]}}, "required": ["from"],
        "additionalProperties": false,
    });
    let listed = properties["enum"].take();
    properties["enum"] = json!({"description": listed["description"], "anyOf": [listed, from]});
    properties["deprecated"]["type"] = json!(["boolean", "string"]);
    properties
}

/// The types that need no other keyword: the named ones, which editors offer, and
/// arrays of arrays. A bare array needs its items.
fn short_types() -> [Value; 2] {
    let names: Vec<&str> = TYPES.into_iter().filter(|name| *name != "array").collect();
    let pattern = format!("^({})(\\[\\])+$", names.join("|"));
    let arrays = names.iter().map(|name| format!("{name}[]"));
    let offered: Vec<String> = names
        .iter()
        .map(ToString::to_string)
        .chain(arrays)
        .collect();
    [
        json!({"enum": offered}),
        json!({"type": "string", "pattern": pattern}),
    ]
}

fn keywords(inner: &Schema, property: &Schema, kind: &Value) -> Map<String, Value> {
    let mut properties = Map::new();
    for (name, takes) in KEYWORDS {
        let mut shape = match shape(takes, inner, property, kind) {
            Value::Object(shape) => shape,
            _ => Map::new(),
        };
        let description = keyword::description(name).unwrap_or_default();
        shape.insert("description".to_owned(), description.into());
        properties.insert(name.to_owned(), shape.into());
    }
    properties
}

fn shape(takes: KeywordKind, inner: &Schema, property: &Schema, kind: &Value) -> Value {
    match takes {
        KeywordKind::Text | KeywordKind::Reference => json!({"type": "string"}),
        KeywordKind::Pattern => json!({"type": "string", "format": "regex"}),
        KeywordKind::Flag => json!({"type": "boolean"}),
        KeywordKind::Number => json!({"type": "number"}),
        KeywordKind::Positive => json!({"type": "number", "exclusiveMinimum": 0}),
        KeywordKind::Count => json!({"type": "integer", "minimum": 0}),
        KeywordKind::Type => kind.clone(),
        KeywordKind::Names => json!({
            "type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": true,
        }),
        KeywordKind::Values => json!({"type": "array", "minItems": 1}),
        KeywordKind::Any => json!({}),
        KeywordKind::Object => json!({"type": "object"}),
        KeywordKind::Schema => inner.clone().to_value(),
        KeywordKind::Schemas => json!({"type": "array", "items": inner, "minItems": 1}),
        KeywordKind::SchemaOrFlag => json!({"anyOf": [{"type": "boolean"}, inner]}),
        KeywordKind::Properties => json!({"type": "object", "additionalProperties": property}),
    }
}

fn short_or_map(description: &str, properties: &Map<String, Value>) -> Schema {
    let [named, arrays] = short_types();
    let entry = map(description, properties);
    json_schema!({"description": description, "anyOf": [entry, named, arrays]})
}

fn map(description: &str, properties: &Map<String, Value>) -> Schema {
    json_schema!({
        "description": description,
        "type": "object",
        "properties": properties,
        "patternProperties": {"^x-": {"description": keyword::EXTENSION}},
        "additionalProperties": false,
        "if": {"required": ["type"], "properties": {"type": {"const": "array"}}},
        "then": {"required": ["items"]},
    })
}
