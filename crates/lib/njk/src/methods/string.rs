//! The methods of strings.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::error::Error;
use crate::lexer::is_space;
use crate::methods::pattern;
use crate::native::{Native, argument, number, string};
use crate::runtime::Runtime;
use crate::value::number::{clamp, of, relative, to_integer};
use crate::value::text::{legible, to_text};
use crate::value::{Value, utf16};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "at" => at,
        "charAt" => |runtime, this, arguments| {
            Ok(unit(runtime, this, arguments)?.unwrap_or_else(|| Value::from("")))
        },
        "charCodeAt" => code_at,
        "codePointAt" => code_point_at,
        "concat" => concat,
        "endsWith" => ends_with,
        "includes" => |runtime, this, arguments| {
            plain(runtime, arguments)?;
            Ok(Value::from(index_of(runtime, this, arguments)?.is_some()))
        },
        "indexOf" => |runtime, this, arguments| {
            Ok(index_of(runtime, this, arguments)?.map_or_else(|| Value::from(-1.0), Value::from))
        },
        "lastIndexOf" => last_index_of,
        "localeCompare" => compare,
        "match" => pattern::match_,
        "matchAll" => pattern::match_all,
        "normalize" | "toString" | "valueOf" => |_, this, _| Ok(Value::from(text(this))),
        "padEnd" => |runtime, this, arguments| pad(runtime, this, arguments, false),
        "padStart" => |runtime, this, arguments| pad(runtime, this, arguments, true),
        "repeat" => repeat,
        "replace" => |runtime, this, arguments| pattern::replace(runtime, this, arguments, false),
        "replaceAll" => |runtime, this, arguments| pattern::replace(runtime, this, arguments, true),
        "search" => pattern::search,
        "slice" => slice,
        "split" => pattern::split,
        "startsWith" => starts_with,
        "substr" => substr,
        "substring" => substring,
        "toLowerCase" | "toLocaleLowerCase" => {
            |runtime, this, _| runtime.text(text(this).to_lowercase())
        }
        "toUpperCase" | "toLocaleUpperCase" => {
            |runtime, this, _| runtime.text(text(this).to_uppercase())
        }
        "trim" => |runtime, this, _| runtime.text(text(this).trim_matches(is_space).to_owned()),
        "trimStart" | "trimLeft" => {
            |runtime, this, _| runtime.text(text(this).trim_start_matches(is_space).to_owned())
        }
        "trimEnd" | "trimRight" => {
            |runtime, this, _| runtime.text(text(this).trim_end_matches(is_space).to_owned())
        }
        _ => return None,
    })
}

/// The text of the string on which a method is called.
pub(super) fn text(this: &Value) -> &str {
    this.as_text().unwrap_or_default()
}

fn part(runtime: &Runtime, this: &str, start: usize, end: usize) -> Result<Value, Error> {
    runtime.spend(this.len() / 64)?;
    runtime.text(utf16::slice(this, start, end).into_owned())
}

fn unit(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Option<Value>, Error> {
    let index = to_integer(number(runtime, arguments, 0, 0.0)?);
    let len = utf16::len(text(this));
    runtime.spend(text(this).len() / 64)?;
    if index < 0.0 || index >= of(len) {
        return Ok(None);
    }
    Ok(utf16::at(text(this), clamp(index, len)).map(Value::from))
}

fn at(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let index = to_integer(number(runtime, arguments, 0, 0.0)?);
    let len = of(utf16::len(text(this)));
    let index = if index < 0.0 { index + len } else { index };
    Ok(unit(runtime, this, &[Value::from(index)])?.unwrap_or_default())
}

fn code_at(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let index = to_integer(number(runtime, arguments, 0, 0.0)?);
    let this = text(this);
    runtime.spend(this.len() / 64)?;
    let len = utf16::len(this);
    if index < 0.0 || index >= of(len) {
        return Ok(Value::from(f64::NAN));
    }
    let code = this.encode_utf16().nth(clamp(index, len));
    Ok(Value::from(code.map_or(f64::NAN, f64::from)))
}

/// The whole character at an index, undefined where there is none.
fn code_point_at(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let index = to_integer(number(runtime, arguments, 0, 0.0)?);
    let this = text(this);
    runtime.spend(this.len() / 64)?;
    if index < 0.0 {
        return Ok(Value::Undefined);
    }
    let units = this.encode_utf16().skip(clamp(index, usize::MAX >> 12));
    let code = char::decode_utf16(units.take(2)).next();
    Ok(code.map_or(Value::Undefined, |code| {
        let code = code.map_or_else(|half| u32::from(half.unpaired_surrogate()), u32::from);
        Value::from(f64::from(code))
    }))
}

fn concat(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let mut joined = text(this).to_owned();
    for piece in arguments {
        let piece = legible(piece, runtime)?;
        runtime.check_len(joined.len() + piece.len())?;
        joined.push_str(&piece);
    }
    runtime.text(joined)
}

/// The string to look for, which cannot be a regular expression.
fn plain<'a>(runtime: &Runtime, arguments: &'a [Value]) -> Result<Cow<'a, str>, Error> {
    let wanted = argument(arguments, 0);
    if let Value::Regex(regex) = wanted {
        let error = Error::bad_value("expected a string, not a regular expression");
        return Err(error.with_hint(format!("`r{regex}.test(text)` looks for one")));
    }
    to_text(wanted, runtime)
}

fn starts_with(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let from = number(runtime, arguments, 1, 0.0)?;
    let this = text(this);
    let rest = &this[utf16::byte_of(this, clamp(from, utf16::len(this)))..];
    let wanted = plain(runtime, arguments)?;
    Ok(Value::from(rest.starts_with(&*wanted)))
}

fn ends_with(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let end = number(runtime, arguments, 1, f64::INFINITY)?;
    let this = text(this);
    let head = &this[..utf16::byte_of(this, clamp(end, utf16::len(this)))];
    let wanted = plain(runtime, arguments)?;
    Ok(Value::from(head.ends_with(&*wanted)))
}

fn index_of(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Option<usize>, Error> {
    let this = text(this);
    runtime.spend(this.len() / 16)?;
    let unit = clamp(number(runtime, arguments, 1, 0.0)?, utf16::len(this));
    let from = utf16::byte_of(this, unit);
    let wanted = to_text(argument(arguments, 0), runtime)?;
    let found = this[from..].find(&*wanted);
    Ok(found.map(|at| utf16::unit_of(this, from + at)))
}

fn last_index_of(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let this = text(this);
    runtime.spend(this.len() / 16)?;
    let position = number(runtime, arguments, 1, f64::INFINITY)?;
    let unit = if position.is_nan() {
        f64::INFINITY
    } else {
        position
    };
    let wanted = to_text(argument(arguments, 0), runtime)?;
    let last = utf16::byte_of(this, clamp(unit, utf16::len(this)));
    let mut end = (last + wanted.len()).min(this.len());
    while !this.is_char_boundary(end) {
        end -= 1;
    }
    let found = this[..end].rfind(&*wanted);
    Ok(found.map_or_else(
        || Value::from(-1.0),
        |at| Value::from(utf16::unit_of(this, at)),
    ))
}

fn pad(runtime: &Runtime, this: &Value, arguments: &[Value], start: bool) -> Result<Value, Error> {
    let this = text(this);
    let len = utf16::len(this);
    let wanted = clamp(number(runtime, arguments, 0, 0.0)?, usize::MAX >> 12);
    let filler = string(runtime, arguments, 1, " ")?;
    if wanted <= len || filler.is_empty() {
        return Ok(Value::from(this));
    }
    let missing = wanted - len;
    runtime.string(this.len().saturating_add(missing))?;
    let times = missing / utf16::len(&filler) + 1;
    runtime.check_len(filler.len().saturating_mul(times))?;
    let repeated = filler.repeat(times);
    let padding = utf16::slice(&repeated, 0, missing);
    Ok(Value::from(if start {
        format!("{padding}{this}")
    } else {
        format!("{this}{padding}")
    }))
}

fn repeat(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let times = to_integer(number(runtime, arguments, 0, 0.0)?);
    if times < 0.0 || times.is_infinite() {
        return Err(Error::bad_value("a string cannot be repeated that often"));
    }
    let times = clamp(times, usize::MAX >> 12);
    let this = text(this);
    runtime.string(this.len().saturating_mul(times))?;
    Ok(Value::from(if this.is_empty() {
        String::new()
    } else {
        this.repeat(times)
    }))
}

fn slice(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let len = utf16::len(text(this));
    let start = relative(number(runtime, arguments, 0, 0.0)?, len);
    let end = relative(number(runtime, arguments, 1, f64::INFINITY)?, len);
    part(runtime, text(this), start, end)
}

fn substring(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let len = utf16::len(text(this));
    let start = clamp(number(runtime, arguments, 0, 0.0)?, len);
    let end = clamp(number(runtime, arguments, 1, f64::INFINITY)?, len);
    part(runtime, text(this), start.min(end), start.max(end))
}

fn substr(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let len = utf16::len(text(this));
    let start = relative(number(runtime, arguments, 0, 0.0)?, len);
    let count = clamp(number(runtime, arguments, 1, f64::INFINITY)?, len - start);
    part(runtime, text(this), start, start + count)
}

/// The characters before the letters, in order.
const FIRST: &str = "\t\n\u{b}\u{c}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

pub(super) fn compare(
    runtime: &Runtime,
    this: &Value,
    arguments: &[Value],
) -> Result<Value, Error> {
    let other = to_text(argument(arguments, 0), runtime)?;
    let (left, right) = (text(this), &*other);
    runtime.spend(left.len().min(right.len()))?;
    Ok(Value::from(f64::from(order(left, right) as i32)))
}

fn order(left: &str, right: &str) -> Ordering {
    let letters = letters(left).cmp(letters(right));
    letters.then_with(|| cases(left).cmp(cases(right)))
}

/// Characters that the order ignores.
fn is_ignored(c: char) -> bool {
    c.is_ascii_control() && !FIRST.contains(c)
}

fn letters(text: &str) -> impl Iterator<Item = (usize, char)> {
    let shown = text.chars().filter(|c| !is_ignored(*c));
    shown.flat_map(char::to_lowercase).map(|c| {
        let position = if c.is_ascii() { FIRST.find(c) } else { None };
        (position.unwrap_or(FIRST.len()), c)
    })
}

/// Returns true if each character is an upper-case letter.
fn cases(text: &str) -> impl Iterator<Item = bool> {
    let shown = text.chars().filter(|c| !is_ignored(*c));
    shown.map(char::is_uppercase)
}
