//! Texts that may be long, and the part that a page shows.

use cogtools_log::{duration, head_and_tail};
use serde_json::Value;

/// The bytes of a message, of code or of a result that are shown; the whole is a link away.
const MAX_TEXT_BYTES: usize = 16 << 10;
/// The bytes of what a model says that are shown, and of all of that on a page.
const MAX_SAID_BYTES: usize = 256 << 10;
pub(crate) const MAX_ALL_SAID_BYTES: usize = 1 << 20;
/// The size up to which a text is not long.
const MAX_SHORT_BYTES: usize = 1500;
const MAX_SHORT_LINES: usize = 16;
/// The characters of a text that a row shows.
const MAX_ROW_CHARS: usize = 200;

/// A text for a page, which may be cut in the middle.
pub(crate) fn text(text: &str) -> String {
    head_and_tail(text, MAX_TEXT_BYTES)
}

/// The part of what a model says that a page shows, which takes its bytes from `room`.
pub(crate) fn said(text: &str, room: &mut usize) -> String {
    let max = MAX_SAID_BYTES.min(*room).max(MAX_TEXT_BYTES);
    *room = room.saturating_sub(text.len().min(max));
    head_and_tail(text, max)
}

/// Returns true if a text takes more than a part of a page.
pub(crate) fn is_long(text: &str) -> bool {
    text.len() > MAX_SHORT_BYTES || text.lines().count() > MAX_SHORT_LINES
}

/// Returns true if [`text`] cuts it.
pub(crate) const fn is_cut(text: &str) -> bool {
    text.len() > MAX_TEXT_BYTES
}

/// A value as a person reads it: a text as it is, anything else as indented JSON.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => format!("{value:#}"),
    }
}

/// The first line of a text, shortened.
pub(crate) fn row(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or("");
    cogtools_program::terminal::truncate(line, MAX_ROW_CHARS).into_owned()
}

/// A duration in words; empty if it is not known.
pub(crate) fn time(ms: Option<u64>) -> String {
    ms.map(duration).unwrap_or_default()
}
