//! Declarations of tools, in the format of each host.
//!
//! Clients of MCP pass `inputSchema` to the API of a model, and one tool that the API rejects
//! can make all the others unavailable. So its root is only an object with properties;
//! further constraints are checked when the tool is called.

mod api;

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value, json};

pub use api::HostLimit;

use self::api::{Api, flatten_root};
use crate::arguments::Arguments;
use crate::schema::Schema;
use crate::yaml::Node;
use crate::{Tool, estimate_tokens};

/// A declaration format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Target {
    /// Gemini CLI and its forks: `parameters` (OpenAPI 3.0) for 0.1,
    /// `parametersJsonSchema` for 0.2.2 and later; each reads only one of them.
    Gemini,
    /// OpenAI's `tools` of type `function`.
    OpenAi,
    /// OpenAI's `tools` with `strict`: an optional parameter is a required one that may be `null`.
    #[strum(serialize = "openai-strict")]
    OpenAiStrict,
    /// Anthropic's `tools`.
    Anthropic,
    /// MCP's `Tool`.
    Mcp,
}

impl Target {
    /// The names on the command line.
    pub const NAMES: [&'static str; 5] = ["gemini", "openai", "openai-strict", "anthropic", "mcp"];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The target called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Returns the target whose filter and budget in the configuration this one shares.
    #[must_use]
    pub const fn host(self) -> Self {
        match self {
            Self::OpenAiStrict => Self::OpenAi,
            host => host,
        }
    }

    /// The arguments of a call of `tool` whose declaration had this format.
    #[must_use]
    pub fn read(self, arguments: Arguments, tool: &Tool) -> Arguments {
        if self != Self::OpenAiStrict {
            return arguments;
        }
        let mut object = arguments.into_object();
        tool.schema.remove_absent(&mut object);
        object.into()
    }

    /// The declaration of `tool` as compact JSON.
    pub fn print(self, tool: &Tool) -> String {
        match self {
            // These formats are printed for a thousand tools in a row, so they skip the tree.
            Self::Gemini => {
                let schema = self.api().schema_of(tool);
                serde_json::to_string(&Gemini::new(tool, &schema)).unwrap_or_default()
            }
            Self::Mcp => serde_json::to_string(&tool.to_mcp(None)).unwrap_or_default(),
            _ => self.declare(tool).to_string(),
        }
    }

    /// The declaration of `tool`.
    pub fn declare(self, tool: &Tool) -> Value {
        let api = self.api();
        let schema = api.schema_of(tool);
        let json_schema = || api.json_schema_of(&schema);
        let name = tool.name().as_str();
        let description = api.description_of(tool);
        match self {
            Self::Gemini => serde_json::to_value(Gemini::new(tool, &schema)).unwrap_or_default(),
            Self::OpenAi => json!({
                "type": "function",
                "function": {"name": name, "description": description, "parameters": json_schema()},
            }),
            Self::OpenAiStrict => {
                let strict = Api::strict_schema_of(&schema);
                json!({"type": "function", "function": {
                    "name": name,
                    "description": description,
                    "strict": strict.is_some(),
                    "parameters": strict.map_or_else(json_schema, Cow::Owned),
                }})
            }
            Self::Anthropic => {
                let mut result = json!({
                    "name": name, "description": description, "input_schema": json_schema(),
                });
                let examples: Vec<Value> = tool.examples().map(Value::Object).collect();
                if !examples.is_empty() {
                    result["input_examples"] = examples.into();
                }
                result
            }
            Self::Mcp => serde_json::to_value(tool.to_mcp(None)).unwrap_or_default(),
        }
    }

    /// The declaration of `tool` in requests of an agent to this API, in the form of the Gemini API.
    /// For the same file it always stays the same: a tape is found by its requests.
    pub fn declare_to_model(self, tool: &Tool) -> Value {
        let api = self.api();
        let schema = api.schema_of(tool);
        let parameters = if schema.is_recovered() {
            api.json_schema_of(&schema)
        } else {
            schema.json_schema()
        };
        json!({
            "name": tool.name().as_str(),
            "description": api.description_of(tool),
            "parametersJsonSchema": parameters,
        })
    }
}

impl Tool {
    /// The declaration for MCP, for callers that serialize it themselves, and for clients that
    /// pass it to `api`, if that is known.
    pub fn to_mcp(&self, api: Option<Target>) -> impl Serialize {
        Mcp {
            tool: self,
            schema: api.unwrap_or(Target::Mcp).api().schema_of(self),
        }
    }

    /// The declaration that locks and sessions pin: for the same file, it always stays the same.
    pub fn pinned_declaration(&self) -> Value {
        let schema = Target::Gemini.api().schema_of(self);
        let pinned = Gemini {
            parameters: (!schema.is_empty()).then(|| schema.pinned_object()),
            ..Gemini::new(self, &schema)
        };
        serde_json::to_value(pinned).unwrap_or_default()
    }

    /// The approximate number of tokens that the tool's declaration costs in every
    /// request: the tokens of its name, description and JSON Schema as compact JSON, by
    /// [`estimate_tokens`]. Tokenizers differ; the estimate is meant for comparisons
    /// and budgets.
    pub fn tokens(&self) -> usize {
        let declaration = json!({
            "name": self.name().as_str(),
            "description": &self.description,
            "parameters": self.schema.declared(),
        });
        estimate_tokens(&declaration.to_string())
    }
}

/// A declaration for MCP, with the schema that it borrows from.
struct Mcp<'t> {
    tool: &'t Tool,
    schema: Cow<'t, Schema>,
}

impl Serialize for Mcp<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Declaration::new(self.tool, &self.schema).serialize(serializer)
    }
}

/// A declaration for Gemini CLI.
#[derive(serde::Serialize)]
struct Gemini<'t> {
    name: &'t str,
    description: &'t str,
    /// The API rejects an object without properties here, so it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Cow<'t, Map<String, Value>>>,
    /// Objects are not said to be closed: Gemini CLI would check it before a call, and name
    /// neither the argument nor a similar one.
    #[serde(rename = "parametersJsonSchema")]
    schema: Cow<'t, Map<String, Value>>,
}

impl<'t> Gemini<'t> {
    fn new(tool: &'t Tool, schema: &'t Schema) -> Self {
        Self {
            name: tool.name().as_str(),
            description: &tool.description,
            parameters: Some(schema.gemini_object()).filter(|it| it.contains_key("properties")),
            schema: schema.json_schema(),
        }
    }
}

type Object = Map<String, Value>;

/// The keyword for the tool's examples.
const EXAMPLES: &str = "examples";

/// The declaration of a tool. It borrows from the tool, because a server may make a
/// thousand of them.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'t> {
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
    fn new(tool: &'t Tool, schema: &'t Schema) -> Self {
        // MCP's structured results must be objects.
        let output = tool.output_schema().filter(|schema| schema.is_object());
        let extras = &tool.extras;
        let foreign = extras.output_schema.as_ref().map(Cow::Borrowed);
        let hints = tool.annotations.set();
        let hints = hints.map(|(name, hint)| (name.to_owned(), hint.into()));
        Self {
            name: tool.name().as_str(),
            title: tool.title.as_deref(),
            description: &tool.description,
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
        let schema = if schema.is_empty() && !schema.is_recovered() {
            Cow::Owned(Object::from_iter([
                ("type".to_owned(), json!("object")),
                ("additionalProperties".to_owned(), json!(false)),
            ]))
        } else {
            let mut flat = flatten_root(schema.declared());
            let declares = |name: &&str| {
                flat.get("properties")
                    .is_some_and(|it| it.get(name).is_some())
            };
            if schema
                .names()
                .is_some_and(|names| names.iter().all(declares))
            {
                let rest = flat.to_mut().entry("additionalProperties");
                rest.or_insert(Value::Bool(false));
            }
            flat
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
                "additionalProperties": false,
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
                "additionalProperties": false,
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
                "additionalProperties": false,
            }),
        );
    }
}
