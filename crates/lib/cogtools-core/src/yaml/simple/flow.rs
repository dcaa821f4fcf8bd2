//! Flow collections on one line.

use super::MAX_DEPTH;
use super::line::{key, plain_in_flow, quoted, skip_blanks};
use crate::text::Span;
use crate::yaml::node::{Data, Entry, Node};

/// The largest mapping: keys are compared with each other.
const MAX_ENTRIES: usize = 64;

/// Whether `key` is not in `entries` yet, and these are few.
pub(super) fn is_new_key(key: &str, entries: &[Entry]) -> bool {
    entries.len() < MAX_ENTRIES && entries.iter().all(|entry| entry.key != key)
}

/// The value at `at`, and where it ends.
pub(super) fn value(text: &str, at: usize, depth: usize) -> Option<(Node, usize)> {
    if depth > MAX_DEPTH {
        return None;
    }
    match text.as_bytes().get(at)? {
        b'[' => list(text, at, depth),
        b'{' => map(text, at, depth),
        b'"' | b'\'' => quoted(text, at),
        _ => plain_in_flow(text, at),
    }
}

fn list(text: &str, start: usize, depth: usize) -> Option<(Node, usize)> {
    let mut items = Vec::new();
    let mut at = skip_blanks(text, start + 1);
    if text.as_bytes().get(at) == Some(&b']') {
        return Some((node(Data::List(items), start, at + 1), at + 1));
    }
    loop {
        let (item, end) = value(text, at, depth + 1)?;
        items.push(item);
        at = skip_blanks(text, end);
        match text.as_bytes().get(at)? {
            b',' => at = skip_blanks(text, at + 1),
            b']' => return Some((node(Data::List(items), start, at + 1), at + 1)),
            _ => return None,
        }
    }
}

fn map(text: &str, start: usize, depth: usize) -> Option<(Node, usize)> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut at = skip_blanks(text, start + 1);
    if text.as_bytes().get(at) == Some(&b'}') {
        return Some((node(Data::Map(entries), start, at + 1), at + 1));
    }
    loop {
        let (key, colon) = key(text, at)?;
        if !is_new_key(key, &entries) {
            return None;
        }
        let span = Span {
            start: at,
            end: at + key.len(),
        };
        let (value, end) = value(text, skip_blanks(text, colon), depth + 1)?;
        entries.push(Entry {
            key: key.to_owned(),
            span,
            value,
        });
        at = skip_blanks(text, end);
        match text.as_bytes().get(at)? {
            b',' => at = skip_blanks(text, at + 1),
            b'}' => return Some((node(Data::Map(entries), start, at + 1), at + 1)),
            _ => return None,
        }
    }
}

const fn node(data: Data, start: usize, end: usize) -> Node {
    Node {
        data,
        span: Span { start, end },
    }
}
