//! Results of tools that do not run: of their examples, or made from the schemas of their results.

use std::path::Path;

use cogtools_core::Tool;
use cogtools_core::file::WritePath;
use cogtools_core::text;
use cogtools_core::tool::Output;
use serde_json::{Map, Value, json};

/// The longest golden file, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// Deeper schemas have no value.
const MAX_DEPTH: usize = 16;

/// The golden of the example with these `arguments`, or of the first one that has a golden; else a
/// value of the output schema, or an empty text.
pub(crate) fn example_result(tool: &Tool, arguments: &Map<String, Value>, root: &Path) -> Value {
    let path = tool.text().path();
    let examples = tool.tests().iter().zip(1..);
    let mut goldens: Vec<(bool, String)> = Vec::new();
    for (example, number) in examples {
        let name = example.name.as_ref().map(ToString::to_string);
        let name = name.unwrap_or_else(|| number.to_string());
        let golden = path.with_extension(format!("{name}.golden"));
        // A link out of the project would show a file of the user.
        let scope = WritePath::in_project(root, &golden).read_scope();
        let bytes = text::bytes(&golden, &golden, MAX_BYTES, &scope).ok();
        if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
            goldens.push((example.arguments() == *arguments, text));
        }
    }
    let fitting = goldens.iter().find(|(fits, _)| *fits).or(goldens.first());
    let Some((_, text)) = fitting else {
        return match &tool.output {
            Output::Json(Some(schema)) => value(&Value::Object(schema.as_object().clone()), 0),
            _ => json!(""),
        };
    };
    let text = text.strip_suffix('\n').unwrap_or(text);
    match &tool.output {
        Output::Json(_) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        _ => json!(text),
    }
}

/// A value of `schema`: default, first enum, minimum, `text`, one item.
fn value(schema: &Value, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    if let Some(default) = schema.get("default").or_else(|| schema.get("const")) {
        return default.clone();
    }
    if let Some(first) = schema.get("enum").and_then(|all| all.get(0)) {
        return first.clone();
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        if let Some(part) = schema.get(key).and_then(|all| all.get(0)) {
            return value(part, depth + 1);
        }
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => json!("text"),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(0)),
        Some("boolean") => json!(false),
        Some("array") => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            json!([value(items, depth + 1)])
        }
        Some("object") => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let value = |property| value(property, depth + 1);
            let members = properties.into_iter().flatten();
            members
                .map(|(name, it)| (name.clone(), value(it)))
                .collect()
        }
        _ => Value::Null,
    }
}
