//! The keywords of an OpenAPI 3.0.3 Schema Object and the values they take.
//!
//! The rules are those of the Schema part of the official JSON Schema for
//! OpenAPI 3.0 (revision 2021-09-28).

use serde_json::{Map, Value};

/// The kind of value that a keyword takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeywordKind {
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
pub(super) fn takes(keyword: &str) -> Option<KeywordKind> {
    KEYWORDS
        .iter()
        .find(|(name, _)| *name == keyword)
        .map(|(_, takes)| *takes)
        .or_else(|| keyword.starts_with("x-").then_some(KeywordKind::Any))
}

/// All keywords with the kinds of value they take.
pub const KEYWORDS: [(&str, KeywordKind); 36] = [
    ("type", KeywordKind::Type),
    ("description", KeywordKind::Text),
    ("properties", KeywordKind::Properties),
    ("items", KeywordKind::Schema),
    ("enum", KeywordKind::Values),
    ("default", KeywordKind::Any),
    ("required", KeywordKind::Names),
    ("title", KeywordKind::Text),
    ("format", KeywordKind::Text),
    ("pattern", KeywordKind::Pattern),
    ("nullable", KeywordKind::Flag),
    ("minimum", KeywordKind::Number),
    ("maximum", KeywordKind::Number),
    ("exclusiveMinimum", KeywordKind::Flag),
    ("exclusiveMaximum", KeywordKind::Flag),
    ("multipleOf", KeywordKind::Positive),
    ("minLength", KeywordKind::Count),
    ("maxLength", KeywordKind::Count),
    ("minItems", KeywordKind::Count),
    ("maxItems", KeywordKind::Count),
    ("uniqueItems", KeywordKind::Flag),
    ("minProperties", KeywordKind::Count),
    ("maxProperties", KeywordKind::Count),
    ("additionalProperties", KeywordKind::SchemaOrFlag),
    ("allOf", KeywordKind::Schemas),
    ("oneOf", KeywordKind::Schemas),
    ("anyOf", KeywordKind::Schemas),
    ("not", KeywordKind::Schema),
    ("example", KeywordKind::Any),
    ("readOnly", KeywordKind::Flag),
    ("writeOnly", KeywordKind::Flag),
    ("deprecated", KeywordKind::Flag),
    ("discriminator", KeywordKind::Object),
    ("externalDocs", KeywordKind::Object),
    ("xml", KeywordKind::Object),
    ("$ref", KeywordKind::Reference),
];

/// What to write instead of a JSON Schema keyword that OpenAPI 3.0 lacks.
pub(super) fn suggestion(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "min" => "write `minimum`, or `minLength` for text and `minItems` for an array",
        "max" => "write `maximum`, or `maxLength` for text and `maxItems` for an array",
        "choices" | "values" | "options" | "one_of" => "write `enum`",
        "regex" | "regexp" => "write `pattern`",
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
        "contentEncoding" => "write `format: byte` for text in base64",
        "contentMediaType" | "contentSchema" => "say in `description` what the text holds",
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
            Some(KeywordKind::Schema | KeywordKind::SchemaOrFlag) => value
                .as_object()
                .is_some_and(|schema| any_schema(schema, test)),
            Some(KeywordKind::Schemas) => value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_object)
                .any(|schema| any_schema(schema, test)),
            Some(KeywordKind::Properties) => value
                .as_object()
                .into_iter()
                .flat_map(Map::values)
                .filter_map(Value::as_object)
                .any(|schema| any_schema(schema, test)),
            _ => false,
        })
}
