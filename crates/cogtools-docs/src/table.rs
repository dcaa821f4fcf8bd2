//! The table: one row a tool, in the order in which hosts are told of them.

use cogtools_core::Tool;
use serde_json::{Map, Value, json};

use crate::prose::{code, escaped, purpose};

/// What stands in place of a table without rows.
const EMPTY: &str = "This project has no tools.";

/// One tool.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    name: String,
    purpose: String,
    /// Its arguments and whether each must be sent.
    arguments: Vec<(String, bool)>,
}

/// All tools of a project.
#[derive(Clone, Debug)]
pub(crate) struct Table(pub(crate) Vec<Row>);

impl Row {
    pub(crate) fn new(tool: &Tool) -> Self {
        let schema = tool.schema().as_object();
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let properties = schema.get("properties").and_then(Value::as_object);
        let names = properties.into_iter().flat_map(Map::keys);
        Self {
            name: tool.name().to_string(),
            purpose: purpose(tool.description()),
            arguments: names
                .map(|name| (name.clone(), is_required(name)))
                .collect(),
        }
    }

    fn line(&self) -> String {
        let arguments = self.arguments.iter().map(|(name, required)| {
            let note = if *required { "" } else { " (optional)" };
            format!("{}{note}", code(name))
        });
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        let cells = [code(&self.name), escaped(&self.purpose), arguments];
        format!("| {} |", cells.join(" | "))
    }
}

impl Table {
    /// How many tools there are.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// The lines of it, as Markdown.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.0.is_empty() {
            return vec![EMPTY.to_owned()];
        }
        let head = ["| Tool | What it is for | Arguments |", "|---|---|---|"];
        let rows = self.0.iter().map(Row::line);
        head.map(str::to_owned).into_iter().chain(rows).collect()
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        let rows = self.0.iter().map(|row| {
            let arguments = row.arguments.iter();
            let arguments =
                arguments.map(|(name, required)| json!({"name": name, "required": required}));
            json!({
                "name": row.name,
                "purpose": row.purpose,
                "arguments": arguments.collect::<Vec<_>>(),
            })
        });
        json!({"tools": rows.collect::<Vec<_>>()})
    }
}
