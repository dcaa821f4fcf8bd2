//! MCP's `Tool`.
//!
//! Clients hand `inputSchema` on to the API of a model, and one tool that such an
//! API refuses costs all the others. So it says no more at its root than that it
//! is an object with properties: what else holds there, a call tells.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value, json};

use crate::Tool;
use crate::schema::Schema;
use crate::yaml::Node;

type Object = Map<String, Value>;

/// Keywords that no root may have, and those of them that list schemas.
const NOT_AT_THE_ROOT: [&str; 5] = ["allOf", "anyOf", "oneOf", "not", "enum"];
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// The keyword of the tool's examples.
const EXAMPLES: &str = "examples";

/// The declaration of a tool, borrowed from it: a server makes a thousand of them.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Declaration<'t> {
    name: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'t str>,
    description: &'t str,
    input_schema: Input<'t>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Cow<'t, Object>>,
    #[serde(skip_serializing_if = "Object::is_empty")]
    annotations: Object,
}

impl<'t> Declaration<'t> {
    pub(super) fn new(tool: &'t Tool) -> Self {
        // MCP's structured results are objects and nothing else.
        let output = tool.output_schema().filter(|schema| schema.is_object());
        let said = tool.annotations().set();
        Self {
            name: tool.name().as_str(),
            title: tool.title(),
            description: tool.description(),
            input_schema: Input::of(tool),
            output_schema: output.map(Schema::json_schema),
            annotations: said
                .map(|(name, hint)| (name.to_owned(), hint.into()))
                .collect(),
        }
    }
}

/// The parameters, with the tool's examples as JSON Schema has them.
struct Input<'t> {
    schema: Cow<'t, Object>,
    examples: &'t [Node],
}

impl<'t> Input<'t> {
    fn of(tool: &'t Tool) -> Self {
        let schema = if tool.schema().is_empty() {
            let closed = [
                ("type", json!("object")),
                ("additionalProperties", json!(false)),
            ];
            let closed = closed.map(|(name, value)| (name.to_owned(), value));
            Cow::Owned(closed.into_iter().collect())
        } else {
            plain(tool.schema().json_schema())
        };
        Self {
            schema,
            examples: tool.written_examples(),
        }
    }
}

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ours = !self.examples.is_empty();
        let mut map = serializer.serialize_map(None)?;
        for (keyword, value) in self.schema.as_ref() {
            if !(ours && keyword == EXAMPLES) {
                map.serialize_entry(keyword, value)?;
            }
        }
        if ours {
            map.serialize_entry(EXAMPLES, self.examples)?;
        }
        map.end()
    }
}

/// The same schema with nothing at its root that no client expects there: wider
/// than the whole, never narrower, and with every property that it speaks of.
fn plain(schema: Cow<'_, Object>) -> Cow<'_, Object> {
    if !NOT_AT_THE_ROOT
        .iter()
        .any(|word| schema.contains_key(*word))
    {
        return schema;
    }
    let mut schema = schema.into_owned();
    let mut properties = Object::new();
    collect(&schema, &mut properties);
    for word in NOT_AT_THE_ROOT {
        schema.shift_remove(word);
    }
    schema.insert("properties".into(), properties.into());
    Cow::Owned(schema)
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
    use crate::Target;
    use crate::text::Text;

    #[track_caller]
    fn check(parameters: &str, expected: &Value) {
        let text = format!("name: a\ndescription: b\n{parameters}\nimplementation: c\n");
        let text = Text::new(Path::new("a.yaml"), text.into_bytes()).expect("it is text");
        let tool = Tool::parse(text).expect("it is a tool");
        let declared = Target::Mcp.declare(&tool);
        assert_eq!(&declared["inputSchema"], expected, "{parameters}");
        assert_eq!(Target::Mcp.print(&tool), declared.to_string());
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
    fn examples_are_told_as_they_are() {
        check(
            "parameters: {a: {enum: [1, [true]], optional: true}}\n\
             examples: [{}, {a: 1}, {a: [null, 2.5, -3, 'x\"', {b: [], c: {}}]}]",
            &json!({
                "type": "object",
                "properties": {"a": {"enum": [1, [true]]}},
                "examples": [{}, {"a": 1}, {"a": [null, 2.5, -3, "x\"", {"b": [], "c": {}}]}],
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
