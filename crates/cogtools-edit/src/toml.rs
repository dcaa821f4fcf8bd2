//! One more table in a TOML file, by insertion only.
//!
//! `toml_edit` writes a document without its carriage returns, and a file whose
//! lines end in two ways cannot get them back (decision 0025), so it only says what
//! is there; the text is put behind all of it, where a table can always be.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use cogtools_core::Location;
use serde_json::{Map, Value};
use toml_edit::{Document, Item, TableLike, TomlError};

use crate::{Reason, Refusal};

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The value at `table` and `name` in `text` (of `file`, for messages), and where it
/// stands; `None` when nothing does.
///
/// # Errors
///
/// Why the file cannot be understood.
pub fn entry(
    file: &Path,
    text: &str,
    table: &str,
    name: &str,
) -> Result<Option<(Value, Location)>, Box<Refusal>> {
    let text = plain(text);
    let document = parse(file, text)?;
    let above = document.get(table).and_then(Item::as_table_like);
    let found = above.and_then(|above| above.get(name));
    Ok(found.map(|item| (value(item), place(file, text, item.span()))))
}

/// `text` with the table `[table.name]` that says `members` behind the rest.
///
/// # Errors
///
/// Why the file cannot be understood, or not be added to.
pub fn add(
    file: &Path,
    text: &str,
    table: &str,
    name: &str,
    members: &Map<String, Value>,
) -> Result<String, Box<Refusal>> {
    let body = plain(text);
    let document = parse(file, body)?;
    let above = document.get(table);
    let refuse = |reason| {
        let span = above.and_then(Item::span);
        Err(Box::new(Refusal {
            reason,
            place: place(file, body, span),
        }))
    };
    let pointer = format!("/{table}");
    match above {
        None | Some(Item::Table(_)) => {}
        Some(Item::Value(value)) if value.is_inline_table() => {
            return refuse(Reason::Closed { pointer });
        }
        Some(other) => {
            let found = kind(other);
            return refuse(Reason::NotAnObject { pointer, found });
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
        let value = written(value);
        let _ = write!(added, "{key} = {value}{newline}");
    }
    // A table that is made of dotted keys may be closed, too.
    if parse(file, plain(&added)).is_err() {
        return refuse(Reason::Closed { pointer });
    }
    Ok(added)
}

/// A value as TOML has it, whose strings take the escapes of JSON.
fn written(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// The text without its byte order mark.
fn plain(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

fn parse<'t>(file: &Path, text: &'t str) -> Result<Document<&'t str>, Box<Refusal>> {
    Document::parse(text).map_err(|error: TomlError| {
        let message = error.message().lines().next().unwrap_or_default();
        Box::new(Refusal {
            reason: Reason::Toml(message.to_owned()),
            place: place(file, text, error.span()),
        })
    })
}

fn place(file: &Path, text: &str, span: Option<Range<usize>>) -> Location {
    let span = span.unwrap_or(0..0);
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let covered = text.get(span).unwrap_or_default();
    let width = covered.lines().next().unwrap_or_default().chars().count();
    Location::new(file, text, line, column, width.max(1))
}

/// `item` as JSON; what JSON has no word for as a string.
fn value(item: &Item) -> Value {
    match item {
        Item::Value(value) => of_value(value),
        Item::None => Value::Null,
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| of_table(table)).collect(),
    }
}

fn of_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(flag) => (*flag.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(items) => items.iter().map(of_value).collect(),
        toml_edit::Value::InlineTable(table) => of_table(table),
    }
}

fn of_table(table: &dyn TableLike) -> Value {
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
