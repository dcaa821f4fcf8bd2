//! `list_files`: the paths of the project's files.

use serde_json::{Map, Value, json};

use super::files::Files;
use super::{BuiltIn, READ_ONLY, count, number};
use crate::Context;
use crate::tool::{RunError, ToolOutput};

/// The tool.
pub(super) const TOOL: BuiltIn = BuiltIn {
    name: "list_files",
    title: "List files",
    description: "Lists the files of the project, one path a line, sorted. Leaves out what git \
                  ignores, and files that may contain secrets.",
    parameters,
    annotations: READ_ONLY,
    run: list,
};

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The folder, relative to the project's folder",
                "default": ".",
            },
            "pattern": {
                "type": "string",
                "description": "Only paths that match this pattern, as in `*.rs` or `src/**/*.md`",
            },
            "limit": count("How many paths at most", 500, 5_000),
        },
    })
}

fn list(tool: &str, arguments: &Map<String, Value>, cx: &Context) -> Result<ToolOutput, RunError> {
    let files = Files::of(tool, arguments, cx)?;
    let limit = number(arguments, "limit");
    let mut text = String::new();
    let mut paths = files.iter();
    for path in paths.by_ref().take(limit) {
        text.push_str(&path);
        text.push('\n');
    }
    // What follows is not counted: a folder may be huge.
    if paths.next().is_some() {
        text.push_str("[there are more files; name a folder or a pattern]\n");
    }
    Ok(ToolOutput::new(text))
}
