//! The methods of regular expressions, and the string methods that take one.

use std::rc::Rc;

use fancy_regex::Captures;

use super::string::text;
use crate::error::Error;
use crate::native::{Native, argument, number};
use crate::regex::{Found, Regex, expand, next_char};
use crate::runtime::Runtime;
use crate::value::number::to_u32;
use crate::value::text::{legible, to_text};
use crate::value::{Value, utf16};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "exec" => |runtime, this, arguments| {
            let regex = regex_argument(runtime, this)?;
            exec(runtime, &regex, argument(arguments, 0))
        },
        "test" => |runtime, this, arguments| {
            let subject = to_text(argument(arguments, 0), runtime)?;
            let regex = regex_argument(runtime, this)?;
            Ok(Value::from(regex.exec(&subject, runtime)?.is_some()))
        },
        _ => return None,
    })
}

fn exec(runtime: &Runtime, regex: &Regex, subject: &Value) -> Result<Value, Error> {
    match regex.exec(&to_text(subject, runtime)?, runtime)? {
        Some(found) => groups(runtime, &found),
        None => Ok(Value::Null),
    }
}

/// The whole match and its groups, as an array.
fn groups(runtime: &Runtime, found: &Captures<'_, str>) -> Result<Value, Error> {
    let group = |group: Option<fancy_regex::Match<'_>>| {
        group.map_or(Value::Undefined, |group| Value::from(group.as_str()))
    };
    let size = found
        .iter()
        .flatten()
        .map(|group| group.as_str().len())
        .sum();
    runtime.grow(size)?;
    runtime.array(found.iter().map(group).collect())
}

fn whole(found: &Captures<'_, str>) -> (usize, usize) {
    found.get(0).map_or((0, 0), |all| (all.start(), all.end()))
}

/// The expression that a value is, compiled from a string if necessary.
fn regex_argument(runtime: &Runtime, given: &Value) -> Result<Rc<Regex>, Error> {
    match given {
        Value::Regex(regex) => Ok(Rc::clone(regex)),
        Value::Undefined => runtime.regexes.get("", "", runtime),
        _ => runtime.regexes.get(&to_text(given, runtime)?, "", runtime),
    }
}

pub(super) fn match_(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let regex = regex_argument(runtime, argument(arguments, 0))?;
    if !regex.is_global() {
        return exec(runtime, &regex, this);
    }
    let all = regex.find_all(text(this), runtime)?;
    if all.is_empty() {
        return Ok(Value::Null);
    }
    let pieces: Vec<Value> = all
        .iter()
        .filter_map(|found| found.get(0))
        .map(|piece| Value::from(piece.as_str()))
        .collect();
    runtime.grow(text(this).len())?;
    runtime.array(pieces)
}

pub(super) fn match_all(
    runtime: &Runtime,
    this: &Value,
    arguments: &[Value],
) -> Result<Value, Error> {
    let regex = regex_argument(runtime, argument(arguments, 0))?;
    require_global(&regex, "matchAll")?;
    let matches = regex.find_all(text(this), runtime)?;
    let groups: Result<Vec<Value>, Error> =
        matches.iter().map(|found| groups(runtime, found)).collect();
    runtime.array(groups?)
}

pub(super) fn search(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let regex = regex_argument(runtime, argument(arguments, 0))?;
    let found = regex.find_at(text(this), 0, runtime)?;
    Ok(found.map_or_else(
        || Value::from(-1.0),
        |found| Value::from(utf16::unit_of(text(this), whole(&found).0)),
    ))
}

/// `replace` and `replaceAll`, with a string or an expression.
pub(crate) fn replace(
    runtime: &Runtime,
    this: &Value,
    arguments: &[Value],
    all: bool,
) -> Result<Value, Error> {
    let this = text(this);
    let (wanted, replacement) = (argument(arguments, 0), argument(arguments, 1));
    let matches: Vec<Found<'_>> = if let Value::Regex(regex) = wanted {
        if all {
            require_global(regex, "replaceAll")?;
        }
        let found = if regex.is_global() {
            regex.find_all(this, runtime)?
        } else {
            regex.find_at(this, 0, runtime)?.into_iter().collect()
        };
        found
            .iter()
            .map(|found| found_in(this, found, regex))
            .collect()
    } else {
        let wanted = to_text(wanted, runtime)?;
        runtime.spend(this.len() / 16)?;
        let most = if all { usize::MAX } else { 1 };
        let found = |(start, piece): (usize, &str)| Found {
            text: this,
            start,
            end: start + piece.len(),
            groups: Vec::new(),
            names: Vec::new(),
        };
        this.match_indices(&*wanted).take(most).map(found).collect()
    };
    runtime.spend(matches.len())?;
    let callback = match replacement {
        Value::Function(function) => Some(function),
        _ => None,
    };
    let template = legible(replacement, runtime)?;
    let mut out = String::new();
    let mut from = 0;
    for found in &matches {
        out.push_str(&this[from..found.start]);
        if let Some(function) = callback {
            let piece = &this[found.start..found.end];
            let pieces: Vec<Value> = std::iter::once(piece)
                .chain(found.groups.iter().copied())
                .map(Value::from)
                .collect();
            out.push_str(&legible(&function.call(runtime, &pieces)?, runtime)?);
        } else {
            let before = out.len();
            expand(&template, found, &mut out);
            runtime.grow(out.len() - before)?;
        }
        runtime.check_len(out.len())?;
        from = found.end;
    }
    out.push_str(&this[from..]);
    runtime.text(out)
}

/// Fails if the expression would find the first match only, where all are wanted.
fn require_global(regex: &Regex, method: &str) -> Result<(), Error> {
    if regex.is_global() {
        return Ok(());
    }
    let message = format!("`{method}` needs a regular expression with the flag `g`");
    Err(Error::bad_value(message).with_hint(format!("write `r{regex}g`")))
}

fn found_in<'a>(text: &'a str, found: &Captures<'a, str>, regex: &'a Regex) -> Found<'a> {
    let (start, end) = whole(found);
    let group = |index: usize| found.get(index).map_or("", |group| group.as_str());
    Found {
        text,
        start,
        end,
        groups: (1..found.len()).map(group).collect(),
        names: regex.group_names().into_iter().skip(1).collect(),
    }
}

pub(super) fn split(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let subject = text(this);
    runtime.grow(subject.len())?;
    let limit = to_u32(number(runtime, arguments, 1, -1.0)?) as usize;
    let separator = argument(arguments, 0);
    let mut pieces: Vec<Value> = match separator {
        Value::Undefined => vec![Value::from(subject)],
        Value::Regex(regex) => split_by(subject, regex, runtime)?,
        _ => {
            let separator = to_text(separator, runtime)?;
            if separator.is_empty() {
                runtime.characters(subject)?
            } else {
                let pieces = subject.split(&*separator).take(limit);
                let mut list = Vec::new();
                for piece in pieces {
                    runtime.grow(size_of::<Value>())?;
                    list.push(Value::from(piece));
                }
                list
            }
        }
    };
    pieces.truncate(limit);
    runtime.array(pieces)
}

fn split_by(subject: &str, regex: &Regex, runtime: &Runtime) -> Result<Vec<Value>, Error> {
    let mut pieces = Vec::new();
    let (mut start, mut from) = (0, 0);
    if subject.is_empty() {
        let matches = regex.search(subject, 0, runtime)?.is_some();
        return Ok(if matches {
            pieces
        } else {
            vec![Value::from("")]
        });
    }
    while from < subject.len() {
        let Some(found) = regex.search(subject, from, runtime)? else {
            break;
        };
        let (at, end) = whole(&found);
        if at >= subject.len() {
            break;
        }
        if end == start || end == at && at == start {
            from = next_char(subject, from);
            continue;
        }
        pieces.push(Value::from(&subject[start..at]));
        for group in found.iter().skip(1) {
            pieces.push(group.map_or(Value::Undefined, |group| Value::from(group.as_str())));
        }
        runtime.grow(found.len() * size_of::<Value>())?;
        start = end;
        from = if end > at {
            end
        } else {
            next_char(subject, end)
        };
    }
    pieces.push(Value::from(&subject[start..]));
    Ok(pieces)
}
