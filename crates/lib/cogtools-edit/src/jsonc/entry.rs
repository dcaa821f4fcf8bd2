//! Looking up one value in a file.

use std::path::Path;

use cogtools_core::Location;
use jsonc_parser::ast::Value as Present;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::parse_to_serde_value;
use serde_json::Value;

use super::document::{Document, options};
use crate::Conflict;

/// The value at `keys` in `text` (of `file`, for messages), and its location; `None`
/// if there is none.
///
/// # Errors
///
/// The file is not valid JSONC.
pub fn entry(
    file: &Path,
    text: &str,
    keys: &[&str],
) -> Result<Option<(Value, Location)>, Vec<Conflict>> {
    let document = Document::parse(file, text)?;
    let Some(mut object) = document.root.as_ref() else {
        return Ok(None);
    };
    let Some((last, above)) = keys.split_last() else {
        return Ok(None);
    };
    let position = |name: &str, object: &'_ jsonc_parser::ast::Object<'_>| {
        let mut properties = object.properties.iter();
        properties.position(|property| property.name.as_str() == name)
    };
    for key in above {
        let found = position(key, object).and_then(|at| object.properties.get(at));
        match found.map(|property| &property.value) {
            Some(Present::Object(inner)) => object = inner,
            // The merge reports the conflict.
            _ => return Ok(None),
        }
    }
    let found = position(last, object).and_then(|at| object.properties.get(at));
    Ok(found.map(|property| {
        let range = property.value.range();
        let written = document.text.get(range.start..range.end).unwrap_or("");
        let value = parse_to_serde_value::<Value>(written, &options());
        (value.unwrap_or_default(), document.location(range))
    }))
}
