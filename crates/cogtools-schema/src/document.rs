//! The documents that have a schema, and its generation.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::shape::Configuration;
use crate::tool::ToolFile;

/// A kind of file that users write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// A tool file.
    Tool,
    /// `.cogtoolrc.yaml`
    Config,
}

impl Document {
    /// The names on the command line.
    pub const NAMES: [&'static str; 2] = ["tool", "config"];

    /// The schemas that are committed to the repository: for the documentation, and
    /// for `cogtools new`.
    pub const COMMITTED: [(Self, &'static str); 3] = [
        (Self::Tool, "docs/schema/tool.json"),
        (Self::Tool, "crates/cogtools-new/starter/schema.json"),
        (Self::Config, "docs/schema/config.json"),
    ];

    /// The document of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "tool" => Self::Tool,
            "config" => Self::Config,
            _ => return None,
        })
    }

    /// Its JSON Schema, draft 7, which YAML language servers support best.
    pub fn schema(self) -> Value {
        let generator = SchemaSettings::draft07().into_generator();
        let schema = match self {
            Self::Tool => generator.into_root_schema_for::<ToolFile>(),
            Self::Config => generator.into_root_schema_for::<Configuration>(),
        };
        schema.to_value()
    }

    /// The schema as printed and committed.
    pub fn text(self) -> String {
        format!("{:#}\n", self.schema())
    }
}
