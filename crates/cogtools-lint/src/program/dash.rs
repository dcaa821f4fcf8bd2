//! Whether a word of a command line can begin with `-`, and be taken for an option.

use cogtools_core::schema::Schema;
use serde_json::Value;

use crate::automaton::{Automaton, no_common_text};

/// Filters that keep the first character.
const NEUTRAL: [&str; 4] = ["lower", "string", "trim", "upper"];

/// Whether the template `word` can begin with `-`, as far as that is certain: it begins with
/// an argument that the schema lets begin so.
pub(crate) fn can_begin_with_dash(word: &str, schema: &Schema) -> bool {
    let Some(inner) = word
        .trim_start()
        .strip_prefix("{{")
        .and_then(|rest| rest.split_once("}}"))
    else {
        return false;
    };
    let mut parts = inner.0.trim_matches('-').split('|').map(str::trim);
    let Some(path) = parts.next() else {
        return false;
    };
    if !parts.all(|filter| NEUTRAL.contains(&filter) || filter.starts_with("default(")) {
        return false;
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    if path.is_empty() || !path.chars().all(is_name) {
        return false;
    }
    let Some(mut found) = schema.at(path.split('.')) else {
        return false;
    };
    if found.get("type").is_some_and(|kind| kind == "array") {
        let Some(items) = found.get("items").and_then(Value::as_object) else {
            return false;
        };
        found = items;
    }
    if let Some(values) = found.get("enum").and_then(Value::as_array) {
        let mut texts = values.iter().filter_map(Value::as_str);
        return texts.any(|text| text.starts_with('-'));
    }
    let is_unknown = ["allOf", "anyOf", "oneOf", "not", "$ref"]
        .iter()
        .any(|keyword| found.contains_key(*keyword));
    if is_unknown || found.get("type").is_none_or(|kind| kind != "string") {
        return false;
    }
    if found
        .get("format")
        .is_some_and(|format| format != "password")
    {
        return false;
    }
    let Some(pattern) = found.get("pattern").and_then(Value::as_str) else {
        return true;
    };
    let both = [Automaton::of(pattern), Automaton::of("^-")];
    let both: Option<Vec<Automaton>> = both.into_iter().collect();
    both.is_some_and(|both| !no_common_text(&both, 0, None))
}
