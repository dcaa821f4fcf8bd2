//! Appends a table to a TOML file; all other bytes stay.
//!
//! `toml_edit` writes a document without its carriage returns, which cannot be
//! restored in a file with mixed line endings. It is therefore used
//! for reading only; the new table is appended as text.

use std::fmt::Write as _;
use std::path::Path;

use cogtools_core::Location;
use serde_json::{Map, Value};
use toml_edit::{Document, Item, TableLike, TomlError};

use crate::edit::{Conflict, ConflictKind};
use crate::without_byte_order_mark;

/// The value at `table` and `name` in `text` (of `file`, for messages), and its
/// location; `None` if there is none.
///
/// # Errors
///
/// The file is not valid TOML.
pub fn entry(
    file: &Path,
    text: &str,
    table: &str,
    name: &str,
) -> Result<Option<(Value, Location)>, Box<Conflict>> {
    let text = without_byte_order_mark(text);
    let document = parse(file, text)?;
    let above = document.get(table).and_then(Item::as_table_like);
    let found = above.and_then(|above| above.get(name));
    Ok(found.map(|item| {
        let span = item.span().unwrap_or_default();
        (value(item), Location::of(file, text, span))
    }))
}

/// `text` (of `file`, for messages) as JSON; types that JSON lacks become strings.
///
/// # Errors
///
/// The file is not valid TOML.
pub fn read(file: &Path, text: &str) -> Result<Value, Box<Conflict>> {
    let document = parse(file, without_byte_order_mark(text))?;
    Ok(table_value(document.as_table()))
}

/// `text` with the table `[table.name]`, which contains `members`, at its end.
///
/// # Errors
///
/// The file is not valid TOML, or the table cannot be added.
pub fn add(
    file: &Path,
    text: &str,
    table: &str,
    name: &str,
    members: &Map<String, Value>,
) -> Result<String, Box<Conflict>> {
    let body = without_byte_order_mark(text);
    let document = parse(file, body)?;
    let above = document.get(table);
    let conflict = |kind| {
        let span = above.and_then(Item::span);
        Err(Box::new(Conflict {
            kind,
            location: Location::of(file, body, span.unwrap_or_default()),
        }))
    };
    let pointer = format!("/{table}");
    match above {
        None | Some(Item::Table(_)) => {}
        Some(Item::Value(value)) if value.is_inline_table() => {
            return conflict(ConflictKind::Inline { pointer });
        }
        Some(other) => {
            let found = kind(other);
            return conflict(ConflictKind::NotAnObject { pointer, found });
        }
    }
    let newline = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let mut added = text.to_owned();
    if !body.is_empty() && !body.ends_with('\n') {
        added.push_str(newline);
    }
    if !body.trim().is_empty() {
        added.push_str(newline);
    }
    let _ = write!(added, "[{table}.{name}]{newline}");
    for (key, value) in members {
        let value = toml_text(value);
        let _ = write!(added, "{key} = {value}{newline}");
    }
    // A table of dotted keys cannot be extended either.
    if parse(file, without_byte_order_mark(&added)).is_err() {
        return conflict(ConflictKind::Inline { pointer });
    }
    Ok(added)
}

/// `value` in TOML, whose strings accept the escapes of JSON.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(toml_text).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

fn parse<'t>(file: &Path, text: &'t str) -> Result<Document<&'t str>, Box<Conflict>> {
    Document::parse(text).map_err(|error: TomlError| {
        let message = error.message().lines().next().unwrap_or_default();
        Box::new(Conflict {
            kind: ConflictKind::Syntax("TOML", message.to_owned()),
            location: Location::of(file, text, error.span().unwrap_or_default()),
        })
    })
}

/// `item` as JSON; types that JSON lacks become strings.
fn value(item: &Item) -> Value {
    match item {
        Item::Value(value) => scalar_or_collection(value),
        Item::None => Value::Null,
        Item::Table(table) => table_value(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table_value(table)).collect(),
    }
}

fn scalar_or_collection(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(flag) => (*flag.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(items) => items.iter().map(scalar_or_collection).collect(),
        toml_edit::Value::InlineTable(table) => table_value(table),
    }
}

fn table_value(table: &dyn TableLike) -> Value {
    let members = table
        .iter()
        .map(|(key, item)| (key.to_owned(), value(item)));
    Value::Object(members.collect())
}

fn kind(item: &Item) -> &'static str {
    match item {
        Item::Value(toml_edit::Value::String(_)) => "a string",
        Item::Value(toml_edit::Value::Boolean(_)) => "a boolean",
        Item::Value(toml_edit::Value::Array(_)) | Item::ArrayOfTables(_) => "an array",
        Item::Value(toml_edit::Value::Datetime(_)) => "a date",
        _ => "a number",
    }
}
