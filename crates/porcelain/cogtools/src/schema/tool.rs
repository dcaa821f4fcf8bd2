//! The schema of a tool file: one subschema for each key of the parser's table.

use std::borrow::Cow;

use cogtools_core::config::options::SandboxOptions;
use cogtools_core::config::{documented, shortened};
use cogtools_core::tool::{Annotations, IMPLEMENTATION_KEYS, Key, Output};
use cogtools_core::{Name, Tool};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::schema::parameter::{Entry, Verbatim};
use crate::schema::tool_shape::{Example, ImplementationMap};

/// A tool file.
pub(crate) struct ToolFile;

impl JsonSchema for ToolFile {
    fn schema_name() -> Cow<'static, str> {
        "Tool".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        for key in Key::ALL {
            let mut shape = shape(key, generator);
            shape["description"] = key.description().into();
            properties.insert(key.as_str().to_owned(), shape);
        }
        let needed = [Key::Name, Key::Description, Key::Implementation];
        json_schema!({
            "title": "cogtools tool",
            "description": "A tool for AI agents: one YAML file.",
            "type": "object",
            "properties": properties,
            "required": needed.map(Key::as_str),
            "additionalProperties": false,
            "not": {"required": [Key::Parameters.as_str(), Key::ParametersSchema.as_str()]},
        })
    }
}

/// The schema of a key's value; the description comes from the table.
fn shape(key: Key, generator: &mut SchemaGenerator) -> Value {
    let non_empty_text = json!({"type": "string", "pattern": "\\S"});
    match key {
        Key::Schema => json!({"type": "string", "enum": [Tool::SCHEMA]}),
        Key::Name => {
            let pattern = format!("^[a-zA-Z_][a-zA-Z0-9_-]{{0,{}}}$", Name::MAX_LENGTH - 1);
            json!({"type": "string", "pattern": pattern})
        }
        Key::Title | Key::Description | Key::Deprecated => non_empty_text,
        Key::Parameters => json!({
            "type": ["object", "null"],
            "additionalProperties": generator.subschema_for::<Entry>(),
        }),
        Key::ParametersSchema => json!({
            "allOf": [
                generator.subschema_for::<Verbatim>(),
                {"required": ["type"], "properties": {"type": {"const": "object"}}},
            ],
        }),
        // Whether a map has expectations depends on the parameters, so any map is accepted.
        Key::Examples => json!({
            "type": "array",
            "items": {"anyOf": [fixed::<Example>(), {"type": "object"}]},
        }),
        Key::Implementation => {
            // One schema for text and maps, so that the keys are those of `implementation`.
            let mut shape = fixed::<ImplementationMap>();
            shape["type"] = json!(["string", "object"]);
            shape["pattern"] = non_empty_text["pattern"].clone();
            // With `maxProperties: 1` instead, the language server for YAML completes no key.
            shape["dependencies"] = exclusive_kinds();
            shape
        }
        Key::Output => output(&generator.subschema_for::<Verbatim>()),
        Key::Annotations => fixed::<Annotations>(),
        Key::Capabilities => names("^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)+$"),
        Key::Env => names("^[A-Za-z_][A-Za-z0-9_]*$"),
        Key::Timeout => json!({
            "type": "number", "exclusiveMinimum": 0, "default": Tool::TIMEOUT.as_secs(),
        }),
        Key::Sandbox => fixed::<SandboxOptions>(),
    }
}

/// The schema of a map with the fixed keys of `T`.
fn fixed<T: JsonSchema>() -> Value {
    let mut schema = shortened(documented::<T>());
    schema.remove("$schema");
    schema.remove("title");
    schema.to_value()
}

/// For each kind of implementation, that the others are absent; and for the keys beside one, that it
/// is there.
fn exclusive_kinds() -> Value {
    let others = |kind: &str| -> Value {
        let others = IMPLEMENTATION_KEYS
            .into_iter()
            .filter(|other| *other != kind);
        let required = others.map(|other| json!({"required": [other]}));
        json!({"not": {"anyOf": required.collect::<Vec<_>>()}})
    };
    IMPLEMENTATION_KEYS
        .into_iter()
        .map(|kind| (kind.to_owned(), others(kind)))
        .chain([("tools".to_owned(), json!(["js"]))])
        .chain(["stdin", "cwd"].map(|key| (key.to_owned(), json!(["exec"]))))
        .collect::<Map<String, Value>>()
        .into()
}

fn output(schema: &Schema) -> Value {
    let [kind, schema_key] = Output::KEYS;
    json!({
        "type": "object",
        "properties": {
            kind: {
                "description": "The type of the result: any text, one JSON value, content blocks of MCP as JSON, or a file of a media type, which a program prints.",
                "enum": Output::types(),
            },
            schema_key: {
                "description": "The schema of the JSON value: a Schema Object of OpenAPI 3.0, of any type.",
                "allOf": [schema],
            },
        },
        "required": [kind],
        "additionalProperties": false,
        "not": {"required": [schema_key], "properties": {kind: {"not": {"const": "json"}}}},
    })
}

fn names(pattern: &str) -> Value {
    json!({"type": "array", "items": {"type": "string", "pattern": pattern}})
}
