//! MCP's `Tool`.
//!
//! Clients hand `inputSchema` on to the API of a model, and one tool that such an
//! API refuses costs all the others. So it says no more at its root than that it
//! is an object with properties: what else holds there, a call tells.

use serde_json::{Map, Value, json};

use crate::Tool;

type Object = Map<String, Value>;

/// Keywords that no root may have, and those of them that list schemas.
const NOT_AT_THE_ROOT: [&str; 5] = ["allOf", "anyOf", "oneOf", "not", "enum"];
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The declaration of `tool`.
pub(super) fn declare(tool: &Tool) -> Value {
    let mut result = Map::new();
    result.insert("name".into(), tool.name().as_str().into());
    if let Some(title) = tool.title() {
        result.insert("title".into(), title.into());
    }
    result.insert("description".into(), tool.description().into());
    result.insert("inputSchema".into(), input(tool).into());
    // MCP's structured results are objects and nothing else.
    let output = tool.output_schema().filter(|schema| schema.is_object());
    if let Some(output) = output {
        result.insert("outputSchema".into(), output.to_json_schema());
    }
    let said: Object = tool
        .annotations()
        .said()
        .map(|(name, hint)| (name.to_owned(), hint.into()))
        .collect();
    if !said.is_empty() {
        result.insert("annotations".into(), said.into());
    }
    Value::Object(result)
}

/// The parameters, with the tool's examples as JSON Schema has them.
fn input(tool: &Tool) -> Object {
    let mut schema = if tool.schema().is_empty() {
        let closed = [
            ("type", json!("object")),
            ("additionalProperties", json!(false)),
        ];
        closed
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect()
    } else {
        plain(tool.schema().json_schema().into_owned())
    };
    let examples: Vec<Value> = tool.examples().map(Value::Object).collect();
    if !examples.is_empty() {
        schema.insert("examples".into(), examples.into());
    }
    schema
}

/// The same schema with nothing at its root that no client expects there: wider
/// than the whole, never narrower, and with every property that it speaks of.
fn plain(mut schema: Object) -> Object {
    if !NOT_AT_THE_ROOT
        .iter()
        .any(|word| schema.contains_key(*word))
    {
        return schema;
    }
    let mut properties = Object::new();
    collect(&schema, &mut properties);
    for word in NOT_AT_THE_ROOT {
        schema.shift_remove(word);
    }
    schema.insert("properties".into(), properties.into());
    schema
}

/// The properties of a schema and of those that it lists; the first one of a name
/// is taken.
fn collect(schema: &Object, properties: &mut Object) {
    let own = schema.get("properties").and_then(Value::as_object);
    for (name, property) in own.into_iter().flatten() {
        if !properties.contains_key(name) {
            properties.insert(name.clone(), property.clone());
        }
    }
    for list in LISTS {
        let parts = schema.get(list).and_then(Value::as_array);
        for part in parts.into_iter().flatten().filter_map(Value::as_object) {
            collect(part, properties);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::text::Text;

    #[track_caller]
    fn check(parameters: &str, expected: &Value) {
        let text = format!("name: a\ndescription: b\n{parameters}\nimplementation: c\n");
        let text = Text::new(Path::new("a.yaml"), text.into_bytes()).expect("it is text");
        let tool = Tool::parse(text).expect("it is a tool");
        let declared = declare(&tool);
        assert_eq!(&declared["inputSchema"], expected, "{parameters}");
        assert!(
            jsonschema::draft202012::meta::is_valid(&declared["inputSchema"]),
            "{declared}"
        );
    }

    #[test]
    fn an_input_is_an_object_of_json_schema() {
        check(
            "",
            &json!({"type": "object", "additionalProperties": false}),
        );
        check(
            "parameters: {n: {type: number, minimum: 0, exclusiveMinimum: true, nullable: true}}\n\
             examples: [{n: 1}]",
            &json!({
                "type": "object",
                "properties": {"n": {"type": ["number", "null"], "exclusiveMinimum": 0}},
                "required": ["n"],
                "examples": [{"n": 1}],
            }),
        );
    }

    #[test]
    fn alternatives_at_the_root_become_properties() {
        check(
            "parameters_schema:\n  type: object\n  properties: {a: {type: string}}\n  \
             required: [a]\n  oneOf:\n    - properties: {b: {type: string}}\n      \
             required: [b]\n    - properties: {c: {type: string}, a: {maxLength: 1}}",
            &json!({
                "type": "object",
                "properties": {
                    "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"},
                },
                "required": ["a"],
            }),
        );
    }
}
