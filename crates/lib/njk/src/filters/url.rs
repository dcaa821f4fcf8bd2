//! Filters for URLs: `urlencode` and `urlize`.

use minijinja::value::Value;

use super::expected;
use crate::error::Error;
use crate::lexer::is_space;
use crate::methods;
use crate::native::{Native, argument};
use crate::runtime::Runtime;
use crate::value::number::{clamp, count};
use crate::value::text::{to_number, to_text};
use crate::value::{View, as_text, utf16, view};

pub(super) const FILTERS: &[(&str, Native)] = &[("urlencode", urlencode), ("urlize", urlize)];

fn hex(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).map_or('0', |digit| digit.to_ascii_uppercase())
}

/// JavaScript's `encodeURIComponent`.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => out.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => {
                out.push(char::from(byte));
            }
            _ => out.extend(['%', hex(byte >> 4), hex(byte & 15)]),
        }
    }
    out
}

fn urlencode(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    if let Some(text) = as_text(value) {
        runtime.check_len(text.len().saturating_mul(3))?;
        return runtime.text(encode(text));
    }
    let pairs: Vec<(Value, Value)> = match view(value) {
        View::Dict(dict) => {
            let entries = dict.entries().iter();
            entries
                .map(|(key, value)| (Value::from(&**key), value.clone()))
                .collect()
        }
        View::Array(array) => {
            let part = |item: &Value, index| match view(item) {
                View::Undefined | View::Null => Err(expected("a pair", item)),
                _ => methods::member(runtime, item, &count(index)),
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
        out.push_str(&encode(&to_text(&key, runtime)?));
        out.push('=');
        out.push_str(&encode(&to_text(&value, runtime)?));
        runtime.check_len(out.len())?;
        runtime.spend(1)?;
    }
    runtime.text(out)
}

fn urlize(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let text = as_text(value).ok_or_else(|| expected("a string", value))?;
    runtime.grow(text.len())?;
    let limit = match argument(arguments, 0) {
        missing if missing.is_undefined() => f64::INFINITY,
        limit => to_number(limit, runtime)?,
    };
    let most = if limit.is_nan() {
        usize::MAX >> 12
    } else {
        clamp(limit, usize::MAX >> 12)
    };
    let nofollow = matches!(view(argument(arguments, 1)), View::Bool(true));
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
