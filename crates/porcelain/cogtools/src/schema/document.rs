//! The documents that have a schema, and its generation.

use cogtools_core::Config;
use cogtools_lint::{RETIRED_RULES, rules};
use cogtools_log::{Entry, Header};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::schema::tool::ToolFile;

/// The schema of output, written by hand: a test compares it with each program.
const OUTPUT: &str = include_str!("output.yaml");

/// A kind of file: that users write, or that other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// A tool file.
    Tool,
    /// `.cogtoolrc.yaml`
    Config,
    /// A line of a session.
    Session,
    /// The output of a program with `--json`.
    Output,
}

impl Document {
    /// The names on the command line.
    pub const NAMES: [&'static str; 4] = ["tool", "config", "session", "output"];

    /// The schemas that are committed to the repository: for the documentation, and
    /// for `cogtools new`.
    pub const COMMITTED: [(Self, &'static str); 5] = [
        (Self::Tool, "docs/schema/tool.json"),
        (Self::Tool, "crates/porcelain/cogtools/starter/schema.json"),
        (Self::Config, "docs/schema/config.json"),
        (Self::Session, "docs/schema/session.json"),
        (Self::Output, "docs/schema/output.json"),
    ];

    /// The document of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "tool" => Self::Tool,
            "config" => Self::Config,
            "session" => Self::Session,
            "output" => Self::Output,
            _ => return None,
        })
    }

    /// Its JSON Schema, draft 7, which YAML language servers support best.
    pub fn schema(self) -> Value {
        let settings = SchemaSettings::draft07();
        let schema = match self {
            Self::Tool => settings.into_generator().into_root_schema_for::<ToolFile>(),
            Self::Config => return config(),
            Self::Session => {
                let settings = settings.with_transform(RecursiveTransform(join_lines));
                settings
                    .into_generator()
                    .into_root_schema_for::<SessionLine>()
            }
            Self::Output => return serde_yaml::from_str(OUTPUT).unwrap_or_default(),
        };
        schema.to_value()
    }

    /// The schema as printed and committed.
    pub fn text(self) -> String {
        format!("{:#}\n", self.schema())
    }
}

/// The schema of the configuration with a key for each rule of the linter, so that editors complete
/// them.
fn config() -> Value {
    let mut schema = Config::schema();
    if let Some(levels) = schema.pointer_mut("/properties/lint/properties/rules") {
        let level = levels["additionalProperties"].take();
        let described = |(name, text): (&str, String)| {
            let mut rule = level.clone();
            rule["description"] = text.into();
            (name.to_owned(), rule)
        };
        let rules = rules().map(|rule| {
            let name = rule.name;
            let text = format!("The level of {name}; cogtools lint --explain {name} describes it.");
            (name, text)
        });
        let retired =
            RETIRED_RULES.map(|name| (name, "A retired rule; its level has no effect.".to_owned()));
        let all: Map<String, Value> = rules.chain(retired).map(described).collect();
        *levels = json!({
            "type": "object",
            "properties": all,
            "additionalProperties": false,
            "description": levels["description"].take(),
        });
    }
    schema
}

/// A line of a session: the header first, then entries. Later versions may add kinds and fields, which a reader ignores.
#[derive(Debug, JsonSchema)]
#[schemars(title = "cogtools session", untagged)]
#[expect(dead_code, reason = "only the schema of its variants is used")]
enum SessionLine {
    /// The first line.
    Header(Header),
    /// A line after the first.
    Entry(Box<Entry>),
}

/// Makes one paragraph of a description.
fn join_lines(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}
