//! What is on one line: plain and quoted scalars, and what may follow them.

use crate::text::Span;
use crate::yaml::node::{Data, Node};
use crate::yaml::scalar;

/// Whether a plain scalar can begin with `first`, whatever follows.
const fn begins_plain(first: u8) -> bool {
    first.is_ascii_alphanumeric()
        || matches!(first, b'_' | b'$' | b'/' | b'.' | b'(' | b'+')
        || first >= 0x80
}

/// Whether a key can have `byte`.
const fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.' | b'/')
}

/// The end of the line at `at`: its break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end)
}

/// The first place from `at` on that has no blank.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    at + rest.iter().take_while(|byte| **byte == b' ').count()
}

/// Whether the line has nothing more from `at` on but a comment after a blank.
pub(super) fn is_rest_empty(text: &str, at: usize) -> bool {
    let next = skip_blanks(text, at);
    match text.as_bytes().get(next) {
        None | Some(b'\n') => true,
        Some(b'#') => next > at,
        _ => false,
    }
}

/// The key at `at` and the place after its colon, if there is one.
pub(super) fn key(text: &str, at: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    if !bytes.get(at).is_some_and(|first| begins_plain(*first)) {
        return None;
    }
    let length = bytes[at..]
        .iter()
        .take_while(|byte| is_of_key(**byte))
        .count();
    let end = at + length;
    let is_key = length > 0
        && bytes.get(end) == Some(&b':')
        && matches!(bytes.get(end + 1), Some(b' ' | b'\n'));
    let key = &text[at..end];
    (is_key && is_string(key)).then_some((key, end + 1))
}

/// Whether a plain scalar is a string.
fn is_string(text: &str) -> bool {
    matches!(scalar::resolve(text), Ok(Data::Text { .. }))
}

/// The plain scalar at `at` in a block, to the end of the line or to a comment.
pub(super) fn plain(text: &str, at: usize) -> Option<(Node, usize)> {
    let line = &text[at..line_end(text, at)];
    if !line.bytes().next().is_some_and(begins_plain) && !is_negative(line) {
        return None;
    }
    let comment = line.find(" #").unwrap_or(line.len());
    let scalar = line[..comment].trim_end_matches(' ');
    if scalar.contains(": ") || scalar.ends_with(':') {
        return None;
    }
    node(scalar, at)
}

/// The plain scalar at `at` in a flow collection.
pub(super) fn plain_in_flow(text: &str, at: usize) -> Option<(Node, usize)> {
    let is_inside = |byte: &u8| {
        is_of_key(*byte)
            || matches!(
                *byte,
                b' ' | b'(' | b')' | b'+' | b'=' | b'^' | b'<' | b'>' | b';'
            )
            || *byte >= 0x80
    };
    let bytes = &text.as_bytes()[at..];
    let line = &text[at..];
    if !bytes.first().is_some_and(|first| begins_plain(*first)) && !is_negative(line) {
        return None;
    }
    let length = bytes.iter().take_while(|byte| is_inside(byte)).count();
    node(line[..length].trim_end_matches(' '), at)
}

/// The text before the closing quote, and the length of what stands for it. Only the escapes that
/// people write are known.
fn double_quoted(inner: &str) -> Option<(String, usize)> {
    let (mut scalar, mut copied) = (String::new(), 0);
    let mut at = 0;
    loop {
        at += inner[at..].find(['"', '\\'])?;
        scalar.push_str(&inner[copied..at]);
        if inner[at..].starts_with('"') {
            return Some((scalar, at));
        }
        scalar.push(match inner.as_bytes().get(at + 1)? {
            b'\\' => '\\',
            b'"' => '"',
            b'/' => '/',
            b'n' => '\n',
            b't' => '\t',
            _ => return None,
        });
        at += 2;
        copied = at;
    }
}

/// Whether a number with its sign is at the beginning.
fn is_negative(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.first() == Some(&b'-') && bytes.get(1).is_some_and(u8::is_ascii_digit)
}

fn node(scalar: &str, at: usize) -> Option<(Node, usize)> {
    let data = scalar::resolve(scalar).ok()?;
    let end = at + scalar.len();
    let span = Span { start: at, end };
    Some((Node { data, span }, end))
}

/// The quoted scalar at `at`, on one line.
pub(super) fn quoted(text: &str, at: usize) -> Option<(Node, usize)> {
    let inner = &text[at + 1..line_end(text, at)];
    let (scalar, length) = if text[at..].starts_with('"') {
        double_quoted(inner)?
    } else {
        let length = inner.find('\'')?;
        // Two quotes stand for one.
        let is_escape = inner[length + 1..].starts_with('\'');
        (!is_escape).then(|| (inner[..length].to_owned(), length))?
    };
    let end = at + length + 2;
    let data = Data::Text {
        text: scalar,
        block: None,
    };
    let span = Span { start: at, end };
    Some((Node { data, span }, end))
}
