//! The schema of the lines of a session.

use cogtools_log::{Entry, Header};
use schemars::JsonSchema;
use serde_json::Value;

/// A line of a session: the header first, then entries. Later versions may add kinds and fields, which a reader ignores.
#[derive(Debug, JsonSchema)]
#[schemars(title = "cogtools session", untagged)]
#[expect(dead_code, reason = "only the schema of its variants is used")]
pub(crate) enum SessionLine {
    /// The first line.
    Header(Header),
    /// A line after the first.
    Entry(Box<Entry>),
}

/// Makes one paragraph of each description.
pub(crate) fn join_lines(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(join_lines),
        Value::Object(fields) => {
            if let Some(Value::String(description)) = fields.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            fields.values_mut().for_each(join_lines);
        }
        _ => {}
    }
}
