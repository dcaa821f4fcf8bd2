//! Merging values into JSON with comments, by insertion only.
//!
//! No byte of the file is changed or removed, so comments, order, trailing
//! commas and unusual spacing are preserved. An existing value is never replaced:
//! if it differs from ours, its owner must decide. The parser's own editor reformats
//! files (decision 0025).

mod document;
mod entry;
mod layout;
mod merge;
mod read;

pub use entry::entry;
pub use merge::{Insertion, insertions};
pub use read::{Dialect, read, read_as, repair};

use std::path::Path;

use serde_json::{Map, Value};

use crate::Conflict;

/// `text` (of `file`, for messages) with everything in `wanted` that it lacks; `text`
/// itself if nothing is missing. Objects are merged key by key.
///
/// # Errors
///
/// All conflicts in the file.
pub fn merge(
    file: &Path,
    text: &str,
    wanted: &Map<String, Value>,
) -> Result<String, Vec<Conflict>> {
    let mut merged = String::with_capacity(text.len() + 256);
    let mut copied = 0;
    for insertion in insertions(file, text, wanted)? {
        merged.push_str(&text[copied..insertion.at]);
        merged.push_str(&insertion.text);
        copied = insertion.at;
    }
    merged.push_str(&text[copied..]);
    Ok(merged)
}
