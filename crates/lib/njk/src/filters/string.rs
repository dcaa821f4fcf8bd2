//! Filters of strings.

use super::{size, string};
use crate::error::Error;
use crate::lexer::is_space;
use crate::methods;
use crate::native::{Native, argument, expected, number, number_or};
use crate::runtime::Runtime;
use crate::value::number::{clamp, of};
use crate::value::text::{legible, to_number, to_text};
use crate::value::{Value, utf16};

pub(super) const FILTERS: &[(&str, Native)] = &[
    ("capitalize", capitalize),
    ("center", center),
    ("indent", indent),
    ("lower", |runtime, value, _| {
        runtime.text(string(value)?.to_lowercase())
    }),
    ("upper", |runtime, value, _| {
        runtime.text(string(value)?.to_uppercase())
    }),
    ("replace", replace),
    ("title", title),
    ("trim", |runtime, value, _| {
        let text = value.as_text().ok_or_else(|| expected("a string", value))?;
        finish(runtime, value, text.trim_matches(is_space).to_owned())
    }),
    ("truncate", truncate),
    ("wordcount", wordcount),
];

/// The result of a string filter, safe if its operand is.
fn finish(runtime: &Runtime, like: &Value, text: String) -> Result<Value, Error> {
    runtime.string(text.len())?;
    Ok(like.like(text))
}

fn capital(word: &str) -> String {
    let lower = word.to_lowercase();
    let mut chars = lower.chars();
    match chars.next() {
        Some(first) if first.len_utf16() == 1 => first.to_uppercase().chain(chars).collect(),
        _ => lower,
    }
}

fn capitalize(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    finish(runtime, value, capital(string(value)?))
}

fn title(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    let words: Vec<String> = string(value)?.split(' ').map(capital).collect();
    finish(runtime, value, words.join(" "))
}

fn center(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let empty = Value::from("");
    let value = match value {
        Value::Undefined | Value::Null | Value::Bool(false) => &empty,
        _ => value,
    };
    let width = number_or(runtime, arguments, 0, 80.0)?;
    // A value without a length is not padded, but becomes a string.
    let length = match value {
        Value::Array(array) => of(array.len()),
        Value::Dict(_) | Value::Special(_) => {
            let length = methods::named_member(value, "length")?;
            to_number(&length, runtime)?
        }
        _ => value
            .as_text()
            .map_or(f64::NAN, |text| of(utf16::len(text))),
    };
    if length >= width {
        return Ok(value.clone());
    }
    let text = legible(value, runtime)?;
    let spaces = width - length;
    let times = |count: f64| clamp(count.ceil(), usize::MAX >> 12);
    let (before, after) = (times(spaces / 2.0 - spaces % 2.0), times(spaces / 2.0));
    runtime.check_len(text.len().saturating_add(before).saturating_add(after))?;
    finish(
        runtime,
        value,
        format!("{}{text}{}", " ".repeat(before), " ".repeat(after)),
    )
}

fn indent(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let text = string(value)?;
    if text.is_empty() {
        return Ok(Value::from(""));
    }
    let width = size(runtime, arguments, 0, 4.0)?;
    let first = argument(arguments, 1).is_true();
    let lines = text.split('\n').count();
    let space = width.saturating_mul(lines);
    runtime.check_len(text.len().saturating_add(space))?;
    let margin = " ".repeat(width);
    let mut indented = String::with_capacity(text.len() + space);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            indented.push('\n');
        }
        if index > 0 || first {
            indented.push_str(&margin);
        }
        indented.push_str(line);
    }
    finish(runtime, value, indented)
}

#[allow(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
fn replace(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let (old, new) = (argument(arguments, 0), argument(arguments, 1));
    if let Value::Regex(_) = old {
        value.as_text().ok_or_else(|| expected("a string", value))?;
        return methods::pattern::replace(
            runtime,
            value,
            &arguments[..arguments.len().min(2)],
            false,
        );
    }
    let old = match old {
        Value::Number(_) | Value::Text(_) => to_text(old, runtime)?,
        _ => return Ok(value.clone()),
    };
    let text = match value {
        Value::Number(_) | Value::Text(_) | Value::Safe(_) => to_text(value, runtime)?,
        _ => return Ok(value.clone()),
    };
    // JavaScript's `join` takes undefined for no separator, and so for a comma.
    let between = if new.is_undefined() { "," } else { "" };
    let new = legible(new, runtime)?;
    if old.is_empty() {
        let units: Vec<String> = utf16::characters(&text).collect();
        let size = new.len().saturating_mul(units.len() + 1);
        runtime.string(text.len().saturating_add(size))?;
        let between = if between.is_empty() { &new } else { between };
        let joined = format!("{new}{}{new}", units.join(between));
        return finish(runtime, value, joined);
    }
    runtime.spend(text.len() / 16)?;
    let most = number(runtime, arguments, 2, -1.0)?;
    let limit = if most == -1.0 {
        usize::MAX
    } else {
        clamp(most.ceil(), usize::MAX >> 12)
    };
    let found = text.matches(&*old).take(limit).count();
    if most == 0.0 || !text.contains(&*old) {
        return Ok(if let Value::Number(_) = value {
            Value::from(text)
        } else {
            value.clone()
        });
    }
    runtime.string(text.len().saturating_add(found.saturating_mul(new.len())))?;
    finish(runtime, value, text.replacen(&*old, &new, limit))
}

fn truncate(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let text = match value {
        Value::Undefined | Value::Null | Value::Bool(false) => "",
        _ => match value.as_text() {
            Some(text) => text,
            None => return short(runtime, value, arguments),
        },
    };
    let length = size(runtime, arguments, 0, 255.0)?;
    if utf16::len(text) <= length {
        return Ok(if text.is_empty() {
            Value::from("")
        } else {
            value.clone()
        });
    }
    let cut = if argument(arguments, 1).is_true() {
        utf16::slice(text, 0, length).into_owned()
    } else {
        // The last space within the length.
        let reach = utf16::slice(text, 0, length + 1);
        let space = reach.rfind(' ').map(|at| utf16::unit_of(&reach, at));
        utf16::slice(text, 0, space.unwrap_or(length)).into_owned()
    };
    let end = argument(arguments, 2);
    let end = if end.is_present() {
        to_text(end, runtime)?
    } else {
        "...".into()
    };
    finish(runtime, value, format!("{cut}{end}"))
}

/// `truncate` returns anything else with a length that is short enough unchanged.
fn short(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let most = size(runtime, arguments, 0, 255.0)?;
    let length = methods::named_member(value, "length")?;
    if to_number(&length, runtime)? <= of(most) {
        return Ok(value.clone());
    }
    Err(expected("a string", value))
}

fn wordcount(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    if !value.is_true() {
        return Ok(Value::Null);
    }
    let text = string(value)?;
    runtime.spend(text.len() / 16)?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_word(c)).filter(|word| !word.is_empty());
    Ok(match words.count() {
        0 => Value::Null,
        words => Value::from(words),
    })
}
