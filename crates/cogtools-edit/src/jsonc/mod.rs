//! Merging values into JSON with comments, by insertion only.
//!
//! No byte of the file is changed or removed, so comments, order, trailing
//! commas and odd spacing stay as they are. A value that is there already is
//! never replaced: where it is another one than ours, its owner must decide. The
//! parser's own editor lays files out anew (decision 0025).

mod document;
mod entry;
mod layout;
mod merge;
mod read;

pub use entry::entry;
pub use merge::{Insertion, insertions};
pub use read::{mend, read};

use std::path::Path;

use serde_json::{Map, Value};

use crate::Refusal;

/// `text` (of `file`, for messages) with everything in `wanted` that is missing
/// there. Objects are merged key by key; `text` itself when nothing is missing.
///
/// # Errors
///
/// Everything in the file that stands in the way.
pub fn merge(file: &Path, text: &str, wanted: &Map<String, Value>) -> Result<String, Vec<Refusal>> {
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
