//! The keywords of an OpenAPI 3.0.3 Schema Object and the values they take.
//!
//! The rules are those of the Schema part of the official JSON Schema for
//! OpenAPI 3.0 (revision 2021-09-28).

use serde_json::{Map, Value};

/// The kind of value that a keyword takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
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
    /// A regular expression.
    Pattern,
    /// The name of a type; in sugar also `string[]`.
    Type,
    /// A list of unique names, at least one.
    Names,
    /// A list of values, at least one.
    Values,
    /// Any value.
    Any,
    /// Any map.
    Object,
    /// A schema.
    Schema,
    /// A list of schemas, at least one.
    Schemas,
    /// A schema, or `true` or `false`.
    SchemaOrFlag,
    /// A map from names to schemas.
    Properties,
    /// A JSON pointer into the same schema.
    Reference,
}

/// The kind of value that `keyword` takes, if the Schema Object has it.
pub(super) fn takes(keyword: &str) -> Option<Takes> {
    KEYWORDS
        .iter()
        .find(|(name, _)| *name == keyword)
        .map(|(_, takes)| *takes)
        .or_else(|| keyword.starts_with("x-").then_some(Takes::Any))
}

/// All keywords with the kinds of value they take.
pub const KEYWORDS: [(&str, Takes); 36] = [
    ("type", Takes::Type),
    ("description", Takes::Text),
    ("properties", Takes::Properties),
    ("items", Takes::Schema),
    ("enum", Takes::Values),
    ("default", Takes::Any),
    ("required", Takes::Names),
    ("title", Takes::Text),
    ("format", Takes::Text),
    ("pattern", Takes::Pattern),
    ("nullable", Takes::Flag),
    ("minimum", Takes::Number),
    ("maximum", Takes::Number),
    ("exclusiveMinimum", Takes::Flag),
    ("exclusiveMaximum", Takes::Flag),
    ("multipleOf", Takes::Positive),
    ("minLength", Takes::Count),
    ("maxLength", Takes::Count),
    ("minItems", Takes::Count),
    ("maxItems", Takes::Count),
    ("uniqueItems", Takes::Flag),
    ("minProperties", Takes::Count),
    ("maxProperties", Takes::Count),
    ("additionalProperties", Takes::SchemaOrFlag),
    ("allOf", Takes::Schemas),
    ("oneOf", Takes::Schemas),
    ("anyOf", Takes::Schemas),
    ("not", Takes::Schema),
    ("example", Takes::Any),
    ("readOnly", Takes::Flag),
    ("writeOnly", Takes::Flag),
    ("deprecated", Takes::Flag),
    ("discriminator", Takes::Object),
    ("externalDocs", Takes::Object),
    ("xml", Takes::Object),
    ("$ref", Takes::Reference),
];

/// What to write instead of a JSON Schema keyword that OpenAPI 3.0 lacks.
pub(super) fn suggestion(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "const" => "write `enum` with the one value",
        "examples" => "write `example` with one value, or move it to the tool's `examples`",
        "patternProperties" | "propertyNames" => {
            "OpenAPI 3.0 cannot express this; describe the keys in `description` and allow them with `additionalProperties`"
        }
        "prefixItems" | "additionalItems" | "contains" | "unevaluatedItems" => {
            "OpenAPI 3.0 has no tuples; give all `items` one schema"
        }
        "if" | "then" | "else" | "dependencies" | "dependentRequired" | "dependentSchemas" => {
            "OpenAPI 3.0 has no conditions; use `oneOf`, or explain it in `description`"
        }
        "$schema" | "$id" | "id" | "$anchor" | "$comment" => "leave it out",
        "$defs" | "definitions" => "write the schema where it is used",
        _ => return None,
    })
}

/// Whether `test` is true for `schema` or any of its subschemas.
pub(super) fn any_schema(
    schema: &Map<String, Value>,
    test: &mut dyn FnMut(&Map<String, Value>) -> bool,
) -> bool {
    test(schema)
        || schema.iter().any(|(keyword, value)| match takes(keyword) {
            Some(Takes::Schema | Takes::SchemaOrFlag) => value
                .as_object()
                .is_some_and(|schema| any_schema(schema, test)),
            Some(Takes::Schemas) => value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_object)
                .any(|schema| any_schema(schema, test)),
            Some(Takes::Properties) => value
                .as_object()
                .into_iter()
                .flat_map(Map::values)
                .filter_map(Value::as_object)
                .any(|schema| any_schema(schema, test)),
            _ => false,
        })
}
