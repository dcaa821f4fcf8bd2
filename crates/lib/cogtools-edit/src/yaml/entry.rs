//! Entries of a host's file in YAML: looked up, and added with every other byte preserved.

use std::path::Path;

use cogtools_core::Location;
use cogtools_core::text::{Span, Text};
use cogtools_core::yaml::{self, Data, Node};
use serde_json::{Map, Value};

use super::{EditError, parse, set};
use crate::BYTE_ORDER_MARK;
use crate::edit::{Conflict, ConflictKind};

/// Looks up the value at `table` and `name` in `text` (of `file`, for messages), with its
/// location.
///
/// # Errors
///
/// The file is not valid YAML.
pub fn entry(
    file: &Path,
    text: &str,
    table: &str,
    name: &str,
) -> Result<Option<(Value, Location)>, Box<Conflict>> {
    let document = Document::parse(file, text)?;
    let found = document.root.get(table).and_then(|above| above.get(name));
    Ok(found.map(|node| (node.to_json(), document.text.location(node.span))))
}

/// Reads `text` (of `file`, for messages) as JSON.
///
/// # Errors
///
/// The file is not valid YAML.
pub fn read(file: &Path, text: &str) -> Result<Value, Box<Conflict>> {
    Document::parse(file, text).map(|document| document.root.to_json())
}

/// Returns `text` with the entry `name` in the map `table`, which contains `members`.
///
/// # Errors
///
/// The file is not valid YAML, or the entry cannot be added without changing something else.
pub fn add(
    file: &Path,
    text: &str,
    table: &str,
    name: &str,
    members: &Map<String, Value>,
) -> Result<String, Box<Conflict>> {
    let Document { text: body, root } = Document::parse(file, text)?;
    let conflict = |kind, span| {
        let location = body.location(span);
        Err(Box::new(Conflict { kind, location }))
    };
    for (pointer, node) in [
        (String::new(), Some(&root)),
        (format!("/{table}"), root.get(table)),
    ] {
        let Some(node) = node else { continue };
        if !matches!(node.data, Data::Map(_) | Data::Null) {
            let found = node.kind();
            return conflict(ConflictKind::NotAnObject { pointer, found }, node.span);
        }
    }
    let value = Value::Object(members.clone());
    match set(body.as_str(), &root, &[table, name], &value) {
        Ok(edited) if text.starts_with(BYTE_ORDER_MARK) => Ok(format!("{BYTE_ORDER_MARK}{edited}")),
        Ok(edited) => Ok(edited),
        Err(error) => {
            let pointer = format!("/{table}");
            let span = Span::new(error.at, error.at);
            conflict(ConflictKind::Entangled { pointer }, span)
        }
    }
}

/// Returns `text` with `value` at the key `path`, where each key has a line of its own; `root` is
/// its tree.
pub fn set_lines(
    text: &str,
    mut root: Node,
    path: &[&str],
    value: &Value,
) -> Result<String, EditError> {
    let Some(entries) = value.as_object().filter(|entries| !entries.is_empty()) else {
        return set(text, &root, path, value);
    };
    let mut text = text.to_owned();
    for (key, value) in entries {
        text = set_lines(&text, root, &[path, &[key]].concat(), value)?;
        root = parse(&text).ok_or(EditError { at: 0 })?;
    }
    Ok(text)
}

/// A file's text, parsed.
struct Document {
    text: Text,
    root: Node,
}

impl Document {
    fn parse(file: &Path, text: &str) -> Result<Self, Box<Conflict>> {
        let conflict = |message: String, location| {
            let kind = ConflictKind::Syntax("YAML", message);
            Box::new(Conflict { kind, location })
        };
        let content = Text::new(file, text.as_bytes().to_vec())
            .map_err(|error| conflict(error.to_string(), Location::new(file, text, 1, 1, 1)))?;
        match yaml::parse(&content) {
            Ok(root) => Ok(Self {
                text: content,
                root,
            }),
            Err(error) => Err(conflict(
                error.kind.to_string(),
                content.location(error.span),
            )),
        }
    }
}
