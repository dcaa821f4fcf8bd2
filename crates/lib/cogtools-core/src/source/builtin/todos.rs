//! `todo_read` and `todo_write`: the list of things to do.
//!
//! In a session the list is part of it. Without one, as when a host calls the tools, it is a file
//! in the user's state directory, one for each project.

use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::{BuiltIn, READ_ONLY, Request};
use crate::file::{self, ReadError, ReadScope, WritePath};
use crate::todo::{Todo, TodoStatus};
use crate::tool::{Annotations, RunError, ToolOutput};
use crate::{Code, Diagnostic, digest};

/// The tool that returns the list.
pub(super) const READ: BuiltIn = BuiltIn {
    name: "todo_read",
    title: "Read the list of things to do",
    description: "Returns the list of things to do, as it was last written.",
    parameters: || json!({"type": "object", "properties": {}}),
    annotations: READ_ONLY,
    run: read_todos,
};
/// The tool that replaces it.
pub(super) const WRITE: BuiltIn = BuiltIn {
    name: "todo_write",
    title: "Write the list of things to do",
    description: "Replaces the list of things to do. Use it to plan work of several steps: pass \
                  the whole list each time, and mark a step as soon as it is begun or done.",
    parameters,
    annotations: Annotations {
        read_only: Some(false),
        ..READ_ONLY
    },
    run: write_todos,
};

/// The longest list.
const MAX_TODOS: usize = 100;
/// The longest title, in characters.
const MAX_TITLE: usize = 500;
/// The largest file with a list, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// The folder of the lists in the user's state directory.
const FOLDER: &str = "todos";

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "description": "The whole list, in the order of work",
                "maxItems": MAX_TODOS,
                "items": {
                    "type": "object",
                    "properties": {
                        "title": {
                            "type": "string",
                            "description": "What is to be done",
                            "minLength": 1,
                            "maxLength": MAX_TITLE,
                        },
                        "status": {
                            "type": "string",
                            "description": "How far it is",
                            "enum": TodoStatus::ALL.map(TodoStatus::as_str),
                            "default": TodoStatus::default().as_str(),
                        },
                    },
                    "required": ["title"],
                },
            },
        },
        "required": ["todos"],
    })
}

fn read_todos(request: &Request<'_>) -> Result<ToolOutput, RunError> {
    read(request).map(|todos| ToolOutput::of_value(json!({"todos": todos})))
}

fn write_todos(request: &Request<'_>) -> Result<ToolOutput, RunError> {
    let todos = request.arguments.get("todos").unwrap_or(&Value::Null);
    let todos: Vec<Todo> = Vec::deserialize(todos).unwrap_or_default();
    let result = ToolOutput::of_value(json!({"todos": todos}));
    write(request, todos)?;
    Ok(result)
}

fn read(request: &Request<'_>) -> Result<Vec<Todo>, RunError> {
    if let Some(list) = &request.cx.call.todos {
        return Ok(list.get());
    }
    let path = file_of(request)?;
    let cannot = |reason: String| {
        let message = format!("`{}` cannot be read: {reason}", path.display());
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        request.failed(diagnostic.hint("remove the file to begin a new list"))
    };
    let (file, meta) = match file::open(&path, &ReadScope::User) {
        Ok(opened) => opened,
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(cannot(error.to_string())),
    };
    if meta.len() > MAX_FILE_BYTES {
        return Err(cannot("it is too large".to_owned()));
    }
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| cannot(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| cannot(error.to_string()))
}

fn write(request: &Request<'_>, todos: Vec<Todo>) -> Result<(), RunError> {
    if let Some(list) = &request.cx.call.todos {
        list.set(todos);
        return Ok(());
    }
    let path = file_of(request)?;
    let failed = |reason: String| {
        let message = format!("`{}` cannot be written: {reason}", path.display());
        request.failed(Diagnostic::new(Code::IoFailed, message))
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    file::create_private_folder(folder).map_err(|error| failed(error.to_string()))?;
    let mut bytes = serde_json::to_vec(&todos).unwrap_or_default();
    bytes.push(b'\n');
    file::replace_private(&WritePath::in_folder(&path), &bytes)
        .map_err(|error| failed(error.to_string()))
}

/// Returns the file with the list of the project.
fn file_of(request: &Request<'_>) -> Result<PathBuf, RunError> {
    let Some(state) = &request.cx.state else {
        let message = "there is no folder for the list of things to do";
        let diagnostic = Diagnostic::new(Code::IoFailed, message).hint("set HOME");
        return Err(request.failed(diagnostic));
    };
    let root = digest::value(&json!(request.cx.root.display().to_string())).to_string();
    Ok(state.join(FOLDER).join(format!("{root}.json")))
}
