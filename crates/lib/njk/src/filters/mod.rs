//! The filters of Nunjucks. Each follows JavaScript's semantics: unusual values
//! have the same result as in Nunjucks, and values that make it throw are
//! errors.

mod list;
mod select;
mod string;

use std::rc::Rc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

use crate::error::{Error, ErrorKind};
use crate::evaluator::power;
use crate::lexer::is_space;
use crate::methods;
use crate::native::{self, Native, argument, expected, keywords, number, number_or};
use crate::runtime::Runtime;
use crate::value::number::{clamp, parse_float, parse_int};
use crate::value::text::{legible, stringify, to_number, to_text};
use crate::value::{Entries, Value, escape, utf16};

/// All filters, by kind.
const KINDS: [&[(&str, Native)]; 7] = [
    CONVERSIONS,
    OF_HTML,
    list::FILTERS,
    OF_NUMBERS,
    select::FILTERS,
    string::FILTERS,
    OF_URLS,
];

/// The filter of that name.
pub(crate) fn find(name: &str) -> Option<Native> {
    let mut filters = KINDS.into_iter().flatten();
    filters
        .find(|(known, _)| *known == name)
        .map(|(_, filter)| *filter)
}

/// The names of all filters.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KINDS.into_iter().flatten().map(|(name, _)| *name)
}

/// The error for a filter that does not exist.
pub(crate) fn unknown(name: &str) -> Error {
    native::unknown(ErrorKind::UnknownFilter, "filter", name, &mut names())
}

/// The operand of most string filters: undefined, null and false are the empty
/// string; a value without string methods is an error.
fn string(value: &Value) -> Result<&str, Error> {
    match value {
        Value::Undefined | Value::Null | Value::Bool(false) => Ok(""),
        _ => value.as_text().ok_or_else(|| expected("a string", value)),
    }
}

/// The width or count at `index`: `default` where JavaScript's `||` would take it.
fn size(
    runtime: &Runtime,
    arguments: &[Value],
    index: usize,
    default: f64,
) -> Result<usize, Error> {
    let number = number_or(runtime, arguments, index, default)?;
    Ok(clamp(number.ceil(), usize::MAX >> 12))
}

const CONVERSIONS: &[(&str, Native)] = &[
    ("default", default),
    ("d", default),
    ("dump", dump),
    ("length", length),
    ("list", list),
    ("string", |runtime, value, _| {
        if !value.is_present() {
            return Err(Error::bad_value(format!(
                "{} has no string form",
                value.type_name()
            )));
        }
        let text = legible(value, runtime)?.into_owned();
        Ok(value.like(text))
    }),
];

#[allow(
    clippy::unnecessary_wraps,
    reason = "all tests and filters have one signature"
)]
fn default(_: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let missing = if argument(arguments, 1).is_true() {
        !value.is_true()
    } else {
        value.is_undefined()
    };
    Ok(if missing {
        argument(arguments, 0).clone()
    } else {
        value.clone()
    })
}

fn dump(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let indent = match argument(arguments, 0) {
        Value::Number(width) => " ".repeat(clamp(width.value, 10)),
        Value::Text(text) | Value::Safe(text) => utf16::slice(text, 0, 10).into_owned(),
        _ => String::new(),
    };
    let json = stringify(value, &indent, false, runtime)?;
    Ok(json.map_or(Value::Undefined, Value::from))
}

fn length(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    Ok(match value {
        Value::Undefined | Value::Null | Value::Bool(false) => Value::from(0.0),
        Value::Text(text) | Value::Safe(text) => {
            runtime.spend(text.len() / 64)?;
            Value::from(utf16::len(text))
        }
        Value::Array(array) => Value::from(array.len()),
        Value::Dict(dict) => Value::from(dict.entries.len()),
        Value::Special(_) => Value::from(value.entries().len()),
        Value::Bool(true) | Value::Number(_) | Value::Function(_) | Value::Regex(_) => {
            Value::Undefined
        }
    })
}

fn list(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    match value {
        Value::Text(text) | Value::Safe(text) => {
            let characters = runtime.characters(text)?;
            runtime.array(characters)
        }
        Value::Dict(_) | Value::Special(_) => {
            let mut pairs = Vec::new();
            for (key, value) in value.entries() {
                let mut pair = Entries::new();
                pair.insert(Rc::from("key"), Value::from(&*key));
                pair.insert(Rc::from("value"), value);
                pairs.push(runtime.dict(pair)?);
            }
            runtime.array(pairs)
        }
        Value::Array(_) => Ok(value.clone()),
        _ => Err(expected("an array, an object or a string", value)),
    }
}

const OF_NUMBERS: &[(&str, Native)] = &[
    ("abs", |runtime, value, _| {
        Ok(Value::from(to_number(value, runtime)?.abs()))
    }),
    ("float", float),
    ("int", int),
    ("round", round),
];

fn float(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let number = parse_float(&to_text(value, runtime)?);
    Ok(if number.is_nan() {
        argument(arguments, 0).clone()
    } else {
        Value::from(number)
    })
}

/// The one filter besides `sort` that takes its arguments by name.
fn int(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let (positional, named) = keywords(arguments);
    let named = |name: &str| named.and_then(|named| named.get(name)).cloned();
    let default = positional.first().cloned().or_else(|| named("default"));
    let base = positional.get(1).cloned().or_else(|| named("base"));
    let base = match &base {
        Some(base) if !base.is_undefined() => to_number(base, runtime)?,
        _ => 10.0,
    };
    let number = parse_int(&to_text(value, runtime)?, base);
    Ok(if number.is_nan() {
        default.unwrap_or_default()
    } else {
        Value::from(number)
    })
}

fn round(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let number = to_number(value, runtime)?;
    let factor = power(10.0, number_or(runtime, arguments, 0, 0.0)?);
    let scaled = number * factor;
    let rounded = match argument(arguments, 1).as_str() {
        Some("ceil") => scaled.ceil(),
        Some("floor") => scaled.floor(),
        _ => half_up(scaled),
    };
    Ok(Value::from(rounded / factor))
}

/// JavaScript's `Math.round`: halves go up, and what is rounded to zero keeps its sign.
fn half_up(number: f64) -> f64 {
    let floor = number.floor();
    let rounded = if number - floor >= 0.5 {
        floor + 1.0
    } else {
        floor
    };
    rounded.copysign(number)
}

const OF_URLS: &[(&str, Native)] = &[("urlencode", urlencode), ("urlize", urlize)];

/// The characters that JavaScript's `encodeURIComponent` encodes.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

fn encode(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ENCODED)
}

fn urlencode(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    if let Some(text) = value.as_text() {
        runtime.check_len(text.len().saturating_mul(3))?;
        return runtime.text(encode(text).to_string());
    }
    let pairs: Vec<(Value, Value)> = match value {
        Value::Dict(_) => {
            let entries = value.entries().into_iter();
            entries
                .map(|(key, value)| (Value::Text(key), value))
                .collect()
        }
        Value::Array(array) => {
            let part = |item: &Value, index| match item {
                Value::Undefined | Value::Null => Err(expected("a pair", item)),
                _ => methods::member(runtime, item, &Value::from(index)),
            };
            let pair = |item: &Value| Ok((part(item, 0)?, part(item, 1)?));
            array
                .items()
                .iter()
                .map(pair)
                .collect::<Result<_, Error>>()?
        }
        _ => return Ok(Value::from("")),
    };
    let mut out = String::new();
    for (key, value) in pairs {
        if !out.is_empty() {
            out.push('&');
        }
        out.extend(encode(&legible(&key, runtime)?));
        out.push('=');
        out.extend(encode(&legible(&value, runtime)?));
        runtime.check_len(out.len())?;
        runtime.spend(1)?;
    }
    runtime.text(out)
}

fn urlize(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let text = value.as_text().ok_or_else(|| expected("a string", value))?;
    runtime.grow(text.len())?;
    let limit = number(runtime, arguments, 0, f64::INFINITY)?;
    let most = if limit.is_nan() {
        usize::MAX >> 12
    } else {
        clamp(limit, usize::MAX >> 12)
    };
    let nofollow = matches!(argument(arguments, 1), Value::Bool(true));
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(is_space).unwrap_or(rest.len());
        link(&rest[..end], most, nofollow, &mut out);
        let gap = rest[end..]
            .find(|c| !is_space(c))
            .unwrap_or(rest.len() - end);
        out.push_str(&rest[end..end + gap]);
        rest = &rest[end + gap..];
        runtime.spend(1)?;
        runtime.check_len(out.len())?;
    }
    runtime.text(out)
}

/// Appends `word`, as a link if it looks like an address.
fn link(word: &str, most: usize, nofollow: bool, out: &mut String) {
    let address = bare(word);
    let shown = utf16::slice(address, 0, most);
    let rel = if nofollow { " rel=\"nofollow\"" } else { "" };
    let scheme = if address.starts_with("http://") || address.starts_with("https://") {
        ""
    } else if address.starts_with("www.") {
        "http://"
    } else if is_mail(address) {
        out.extend(["<a href=\"mailto:", address, "\">", address, "</a>"]);
        return;
    } else if has_domain(address) {
        "http://"
    } else {
        out.push_str(word);
        return;
    };
    out.extend([
        "<a href=\"",
        scheme,
        address,
        "\"",
        rel,
        ">",
        &shown,
        "</a>",
    ]);
}

/// A word without an opening bracket before it and punctuation after it.
fn bare(word: &str) -> &str {
    let head = ["(", "<", "&lt;"]
        .iter()
        .find_map(|mark| word.strip_prefix(mark));
    let word = head.unwrap_or(word);
    let tail = ["&gt;", ".", ",", ")"]
        .iter()
        .find_map(|mark| word.strip_suffix(mark));
    tail.unwrap_or(word)
}

fn is_mail(address: &str) -> bool {
    let Some((user, host)) = address.split_once('@') else {
        return false;
    };
    let user_char = |c: char| c.is_ascii_alphanumeric() || "_.!#$%&'*+-/=?^`{|}~".contains(c);
    let host_char = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !user.is_empty()
        && user.chars().all(user_char)
        && host.contains('.')
        && host
            .split('.')
            .all(|part| !part.is_empty() && part.chars().all(host_char))
}

/// Returns true if the word contains a well-known top-level domain that ends there,
/// or is followed by a port or a path.
fn has_domain(address: &str) -> bool {
    [".org", ".net", ".com"].iter().any(|ending| {
        address.match_indices(ending).any(|(at, _)| {
            let after = &address[at + ending.len()..];
            after.is_empty() || after.starts_with([':', '/'])
        })
    })
}

const OF_HTML: &[(&str, Native)] = &[
    ("escape", escaped),
    ("e", escaped),
    ("forceescape", |runtime, value, _| {
        force_escape(runtime, value)
    }),
    ("nl2br", nl2br),
    ("safe", |runtime, value, _| match value {
        Value::Safe(_) => Ok(value.clone()),
        Value::Undefined | Value::Null => Ok(Value::safe("")),
        _ => Ok(Value::safe(&*legible(value, runtime)?)),
    }),
    ("striptags", striptags),
];

fn escaped(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    match value {
        Value::Safe(_) => Ok(value.clone()),
        _ => force_escape(runtime, value),
    }
}

fn force_escape(runtime: &Runtime, value: &Value) -> Result<Value, Error> {
    if !value.is_present() {
        return Ok(Value::safe(""));
    }
    let text = legible(value, runtime)?;
    runtime.string(text.len())?;
    let text = escape(&text);
    runtime.string(text.len())?;
    Ok(Value::safe(text))
}

fn nl2br(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    if !value.is_present() {
        return Ok(Value::from(""));
    }
    let text = value.as_text().ok_or_else(|| expected("a string", value))?;
    let breaks = text.matches('\n').count().saturating_mul(6);
    runtime.string(text.len().saturating_add(breaks))?;
    let text = text.replace("\r\n", "\n").replace('\n', "<br />\n");
    Ok(value.like(text))
}

fn striptags(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let text = string(value)?;
    runtime.grow(text.len())?;
    let stripped = strip(text);
    let trimmed = stripped.trim_matches(is_space);
    let text = if argument(arguments, 0).is_true() {
        keep_lines(trimmed)
    } else {
        words(trimmed, is_space)
    };
    runtime.string(text.len())?;
    Ok(value.like(text))
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

/// The words of a text, with one space between two.
fn words(text: &str, is_gap: fn(char) -> bool) -> String {
    let words: Vec<&str> = text.split(is_gap).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Trims lines and reduces consecutive empty lines to one.
fn keep_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines = text.split('\n').map(|line| words(line, |c| c == ' '));
    let mut joined = lines.collect::<Vec<_>>().join("\n");
    while joined.contains("\n\n\n") {
        joined = joined.replace("\n\n\n", "\n\n");
    }
    joined
}
