//! MCP's `Tool`.
//!
//! Clients pass `inputSchema` to the API of a model, and one tool that the API rejects
//! can make all the others unavailable. So its root is only an object with properties;
//! further constraints are checked when the tool is called.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value, json};

use super::root::flatten_root;
use crate::Tool;
use crate::schema::Schema;
use crate::yaml::Node;

type Object = Map<String, Value>;

/// The keyword for the tool's examples.
const EXAMPLES: &str = "examples";

/// The declaration of a tool. It borrows from the tool, because a server may make a
/// thousand of them.
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
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    icons: &'t [Value],
    #[serde(rename = "_meta", skip_serializing_if = "Object::is_empty")]
    meta: &'t Object,
}

impl<'t> Declaration<'t> {
    /// The declaration of `tool` with the parameters in `schema`.
    pub(super) fn new(tool: &'t Tool, schema: &'t Schema) -> Self {
        // MCP's structured results must be objects.
        let output = tool.output_schema().filter(|schema| schema.is_object());
        let extras = tool.extras();
        let foreign = extras.output_schema.as_ref().map(Cow::Borrowed);
        let hints = tool.annotations().set();
        let hints = hints.map(|(name, hint)| (name.to_owned(), hint.into()));
        Self {
            name: tool.name().as_str(),
            title: tool.title(),
            description: tool.description(),
            input_schema: Input::of(tool, schema),
            output_schema: output.map(Schema::json_schema).or(foreign),
            annotations: hints.chain(extras.annotations.clone()).collect(),
            icons: &extras.icons,
            meta: &extras.meta,
        }
    }
}

/// The parameters, with the tool's examples in the form of JSON Schema.
struct Input<'t> {
    schema: Cow<'t, Object>,
    examples: Vec<&'t Node>,
}

impl<'t> Input<'t> {
    fn of(tool: &'t Tool, schema: &'t Schema) -> Self {
        let schema = if schema.is_empty() {
            Cow::Owned(Object::from_iter([
                ("type".to_owned(), json!("object")),
                ("additionalProperties".to_owned(), json!(false)),
            ]))
        } else {
            flatten_root(schema.json_schema())
        };
        Self {
            schema,
            examples: tool.example_nodes().collect(),
        }
    }
}

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let has_examples = !self.examples.is_empty();
        let mut map = serializer.serialize_map(None)?;
        for (keyword, value) in self.schema.as_ref() {
            if !(has_examples && keyword == EXAMPLES) {
                map.serialize_entry(keyword, value)?;
            }
        }
        if has_examples {
            map.serialize_entry(EXAMPLES, &self.examples)?;
        }
        map.end()
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
    fn an_input_schema_is_json_schema_of_an_object() {
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
    fn examples_are_declared_unchanged() {
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
