//! Enums whose values a command lists: `enum: {from: {exec: […]}}`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::Tool;
use crate::text::Text;
use crate::tool::{DefinitionError, ToolError};
use crate::yaml::Node;

/// The values that commands have listed, by [`ValueCommand::key`].
pub(crate) type Values = BTreeMap<String, Vec<String>>;

/// The largest number of values of an enum.
const MAX_VALUES: usize = 1_000;

/// A command that lists the values of an enum.
#[derive(Debug)]
pub(crate) struct ValueCommand {
    /// The command, in the form of an implementation.
    command: Value,
    /// The values, once they are known.
    pub(crate) values: Option<Vec<String>>,
}

impl ValueCommand {
    /// Reads the map after `from`; it has the values that are `known`.
    pub(super) fn read(node: &Node, known: &Values) -> Result<Self, DefinitionError> {
        let mut found = Self {
            command: node.to_json(),
            values: None,
        };
        let failed = |why: &str| DefinitionError::Values(why.to_owned());
        if node.get("exec").is_none() {
            return Err(failed("is the value of `exec`"));
        }
        if !is_literal(&found.command) {
            return Err(failed("is the same for every call"));
        }
        found.tool("values").map_err(|error| {
            let first = error.diagnostics().into_iter().next();
            failed(&first.map_or_else(String::new, |it| format!("is not valid: {}", it.message)))
        })?;
        found.values = known.get(&found.key()).cloned();
        Ok(found)
    }

    /// Returns the text that identifies it.
    pub(crate) fn key(&self) -> String {
        let command = self.command.as_object().filter(|it| it.len() == 1);
        let words = command.and_then(|it| it["exec"].as_array());
        let words = words.map(|it| it.iter().filter_map(Value::as_str).collect::<Vec<_>>());
        // Words without spaces, on this platform and in the project's folder, need no JSON.
        words
            .filter(|it| {
                it.iter()
                    .all(|word| !word.is_empty() && !word.contains([' ', '{']))
            })
            .map_or_else(|| self.command.to_string(), |it| it.join(" "))
    }

    /// Makes a tool that runs it.
    pub(super) fn tool(&self, name: &str) -> Result<Tool, ToolError> {
        let tool = json!({
            "name": name,
            "description": "Lists the values of an enum.",
            "implementation": self.command,
        });
        let text = Text::new(name, tool.to_string().into_bytes()).map_err(ToolError::Text)?;
        Tool::parse(text)
    }
}

/// True if no text in `value` is a template, and no part depends on arguments.
fn is_literal(value: &Value) -> bool {
    match value {
        Value::String(text) => !["{{", "{%", "{#"].iter().any(|it| text.contains(it)),
        Value::Array(items) => items.iter().all(|it| !it.is_object() && is_literal(it)),
        Value::Object(entries) => entries.values().all(is_literal),
        _ => true,
    }
}

/// The values in the `output` of a command, one a line; or why there are none.
pub(crate) fn values(output: &str) -> Result<Vec<String>, &'static str> {
    let mut values: Vec<String> = Vec::new();
    for line in output.lines().map(str::trim).filter(|it| !it.is_empty()) {
        if values.len() == MAX_VALUES {
            return Err("it lists more than 1000 values");
        }
        if !values.iter().any(|it| it == line) {
            values.push(line.to_owned());
        }
    }
    if values.is_empty() {
        return Err("it lists no values");
    }
    Ok(values)
}
