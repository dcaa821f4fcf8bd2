//! Strings by UTF-16 units, as JavaScript counts, slices and searches them. A
//! lone surrogate cannot be part of a Rust string; it becomes U+FFFD.

use std::borrow::Cow;

/// The number of units in `text`.
pub(crate) fn len(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.encode_utf16().count()
    }
}

/// The units from `start` up to `end`.
pub(crate) fn slice(text: &str, start: usize, end: usize) -> Cow<'_, str> {
    if text.is_ascii() {
        let end = end.min(text.len());
        return Cow::Borrowed(text.get(start.min(end)..end).unwrap_or_default());
    }
    if end <= start {
        return Cow::Borrowed("");
    }
    let units: Vec<u16> = text.encode_utf16().skip(start).take(end - start).collect();
    Cow::Owned(String::from_utf16_lossy(&units))
}

/// The unit at `index`, as a string.
pub(crate) fn at(text: &str, index: usize) -> Option<Cow<'_, str>> {
    (index < len(text)).then(|| slice(text, index, index + 1))
}

/// Every character as a separate string: units, except that surrogate pairs
/// stay whole.
pub(crate) fn characters(text: &str) -> impl Iterator<Item = String> {
    text.chars().map(String::from)
}

/// The unit at the byte `offset`.
pub(crate) fn unit_of(text: &str, offset: usize) -> usize {
    len(text.get(..offset).unwrap_or(text))
}

/// The byte at which the unit `unit` begins, or the end.
pub(crate) fn byte_of(text: &str, unit: usize) -> usize {
    if text.is_ascii() {
        return unit.min(text.len());
    }
    let mut units = 0;
    for (offset, c) in text.char_indices() {
        if units >= unit {
            return offset;
        }
        units += c.len_utf16();
    }
    text.len()
}
