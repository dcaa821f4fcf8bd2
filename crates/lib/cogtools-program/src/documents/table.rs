//! The table: one row per tool, in the order of declarations. With it come the diagrams of flows.

use std::collections::BTreeMap;

use cogtools_core::Tool;
use serde_json::{Map, Value, json};

use crate::documents::prose::{code, escape, purpose};

/// The text instead of a table without rows.
const EMPTY: &str = "This project has no tools.";

/// One tool.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    purpose: String,
    /// Its arguments, and whether each is required.
    arguments: Vec<(String, bool)>,
}

/// All tools of a project.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub(crate) rows: Vec<Row>,
    /// The diagrams of those that are flows, by name.
    pub(crate) flows: BTreeMap<String, String>,
}

impl Row {
    pub(crate) fn new(tool: &Tool) -> Self {
        let schema = tool.schema().as_object();
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let properties = schema.get("properties").and_then(Value::as_object);
        Self {
            name: tool.name().to_string(),
            purpose: purpose(tool.description()),
            arguments: properties
                .into_iter()
                .flat_map(Map::keys)
                .map(|name| (name.clone(), is_required(name)))
                .collect(),
        }
    }

    fn line(&self) -> String {
        let arguments: Vec<String> = self
            .arguments
            .iter()
            .map(|(name, required)| {
                let note = if *required { "" } else { " (optional)" };
                format!("{}{note}", code(name))
            })
            .collect();
        let cells = [
            code(&self.name),
            escape(&self.purpose),
            arguments.join(", "),
        ];
        format!("| {} |", cells.join(" | "))
    }
}

impl Table {
    /// The number of tools.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The lines of the table, in Markdown.
    pub fn lines(&self) -> Vec<String> {
        if self.is_empty() {
            return vec![EMPTY.to_owned()];
        }
        let header = ["| Tool | What it is for | Arguments |", "|---|---|---|"];
        let rows = self.rows.iter().map(Row::line);
        header.map(str::to_owned).into_iter().chain(rows).collect()
    }

    /// The diagram of the flow `name`, in Markdown.
    pub(crate) fn diagram(&self, name: &str) -> Option<Vec<String>> {
        let mut lines = vec!["```mermaid".to_owned()];
        lines.extend(self.flows.get(name)?.lines().map(str::to_owned));
        lines.push("```".to_owned());
        Some(lines)
    }

    /// The table as JSON.
    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let arguments: Vec<Value> = row
                .arguments
                .iter()
                .map(|(name, required)| json!({"name": name, "required": required}))
                .collect();
            json!({
                "name": row.name,
                "purpose": row.purpose,
                "arguments": arguments,
            })
        });
        json!({"tools": rows.collect::<Vec<_>>()})
    }
}
