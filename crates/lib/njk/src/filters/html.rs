//! Filters for HTML.

use minijinja::value::Value;

use super::{expected, string};
use crate::error::Error;
use crate::lexer::is_space;
use crate::native::{Native, argument};
use crate::runtime::Runtime;
use crate::value::safe::{Safe, copy_safeness, escape};
use crate::value::text::to_text;
use crate::value::{View, as_text, is_present, view};

pub(super) const FILTERS: &[(&str, Native)] = &[
    ("escape", escaped),
    ("e", escaped),
    ("forceescape", |runtime, value, _| {
        force_escape(runtime, value)
    }),
    ("nl2br", nl2br),
    ("safe", |runtime, value, _| match view(value) {
        View::Safe(_) => Ok(value.clone()),
        View::Undefined | View::Null => Ok(Safe::value("")),
        _ => Ok(Safe::value(&*to_text(value, runtime)?)),
    }),
    ("striptags", striptags),
];

fn escaped(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    match view(value) {
        View::Safe(_) => Ok(value.clone()),
        _ => force_escape(runtime, value),
    }
}

fn force_escape(runtime: &Runtime, value: &Value) -> Result<Value, Error> {
    if !is_present(value) {
        return Ok(Safe::value(""));
    }
    let text = to_text(value, runtime)?;
    runtime.string(text.len())?;
    let text = escape(&text);
    runtime.string(text.len())?;
    Ok(Safe::value(text))
}

fn nl2br(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    if !is_present(value) {
        return Ok(Value::from(""));
    }
    let text = as_text(value).ok_or_else(|| expected("a string", value))?;
    let breaks = text.matches('\n').count().saturating_mul(6);
    runtime.string(text.len().saturating_add(breaks))?;
    let text = text.replace("\r\n", "\n").replace('\n', "<br />\n");
    Ok(copy_safeness(value, text))
}

fn striptags(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let text = string(value)?;
    runtime.grow(text.len())?;
    let stripped = strip(text);
    let trimmed = stripped.trim_matches(is_space);
    let text = if argument(arguments, 0).is_true() {
        keep_lines(trimmed)
    } else {
        squash(trimmed, is_space)
    };
    runtime.string(text.len())?;
    Ok(copy_safeness(value, text))
}

/// Removes tags and comments.
fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // If one kind of end is not found, it cannot occur further on.
    let (mut comments, mut tags) = (true, true);
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let mut end = None;
        if comments && tail.starts_with("<!--") {
            end = tail[4..].find("-->").map(|end| end + 7);
            comments = end.is_some();
        } else if tags && is_tag(tail) {
            end = tail.find('>').map(|end| end + 1);
            tags = end.is_some();
        }
        let end = end.unwrap_or_else(|| {
            out.push('<');
            1
        });
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

/// `<` or `</`, then a letter; a name of ASCII letters and digits that ends
/// where a word ends.
fn is_tag(text: &str) -> bool {
    let name = text[1..].strip_prefix('/').unwrap_or(&text[1..]);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    let after = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    !after.starts_with('_')
}

fn squash(text: &str, is_gap: fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if !is_gap(c) {
            out.push(c);
        } else if !gap {
            out.push(' ');
        }
        gap = is_gap(c);
    }
    out
}

/// Trims lines and reduces consecutive empty lines to one.
fn keep_lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let (line, end) = line
            .strip_suffix('\r')
            .map_or((line, ""), |line| (line, "\r"));
        format!("{}{end}", line.trim_matches(' '))
    });
    let trimmed = lines.collect::<Vec<_>>().join("\n");
    let mut joined = squash(&trimmed, |c| c == ' ').replace("\r\n", "\n");
    while joined.contains("\n\n\n") {
        joined = joined.replace("\n\n\n", "\n\n");
    }
    joined
}
