//! Whether a word of a command line can begin with `-`, and be taken for an option.

use cogtools_core::schema::Schema;
use serde_json::{Map, Value};

use crate::automaton::{Automaton, no_common_text};

/// Filters that keep the first character.
const NEUTRAL: [&str; 4] = ["lower", "string", "trim", "upper"];

/// Deeper schemas are not examined.
const MAX_DEPTH: usize = 8;

/// Whether the template `word` can begin with `-`, as far as that is certain: it begins with
/// an argument that the schema lets begin so.
pub(crate) fn can_begin_with_dash(word: &str, schema: &Schema) -> bool {
    // `{% if a %}{{ a }}{% endif %}`
    let word = match word.trim_start().strip_prefix("{%") {
        Some(rest) => rest.split_once("%}").map_or("", |(_, rest)| rest),
        None => word,
    };
    let Some(inner) = word
        .trim_start()
        .strip_prefix("{{")
        .and_then(|rest| rest.split_once("}}"))
    else {
        return false;
    };
    can_expression(inner.0.trim_matches('-').trim(), schema)
}

/// Whether the value of an expression can begin with `-`.
fn can_expression(expression: &str, schema: &Schema) -> bool {
    // `a or b`, and `a if b else c`: the first value can be it.
    let first = expression.split(" or ").next().unwrap_or_default();
    let first = first.split(" if ").next().unwrap_or_default();
    let mut parts = first.split('|').map(str::trim);
    let Some(path) = parts.next() else {
        return false;
    };
    let keeps = |filter: &str| {
        NEUTRAL.contains(&filter)
            || filter.starts_with("default(")
            || filter.starts_with("d(")
            || (["replace(", "truncate(", "indent("]
                .iter()
                .any(|it| filter.starts_with(it))
                && !filter.contains('-'))
    };
    if !parts.all(keeps) {
        return false;
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let (path, is_item) = match path.split_once('[') {
        Some((path, rest)) => (path, rest.trim_end_matches(']').parse::<u32>().is_ok()),
        None => (path, true),
    };
    if path.is_empty() || !is_item || !path.chars().all(is_name) {
        return false;
    }
    schema
        .at(path.split('.'))
        .is_some_and(|found| can_value(found, 0))
}

/// Whether a text of this schema can begin with `-`.
fn can_value(found: &Map<String, Value>, depth: usize) -> bool {
    let kind = found.get("type").and_then(Value::as_str);
    if kind == Some("array") {
        let items = found.get("items").and_then(Value::as_object);
        return depth < MAX_DEPTH && items.is_some_and(|items| can_value(items, depth + 1));
    }
    if let Some(values) = found.get("enum").and_then(Value::as_array) {
        let mut texts = values.iter().filter_map(Value::as_str);
        return texts.any(|text| text.starts_with('-'));
    }
    if ["allOf", "not", "$ref"]
        .iter()
        .any(|it| found.contains_key(*it))
    {
        return false;
    }
    let branches = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|it| found.get(*it)?.as_array());
    let mut branches = branches.flatten().filter_map(Value::as_object).peekable();
    if branches.peek().is_some() {
        return depth < MAX_DEPTH && branches.any(|branch| can_value(branch, depth + 1));
    }
    let is_formatted = found
        .get("format")
        .is_some_and(|format| format != "password");
    if kind != Some("string") || is_formatted {
        return false;
    }
    let Some(pattern) = found.get("pattern").and_then(Value::as_str) else {
        return true;
    };
    let both = [Automaton::of(pattern), Automaton::of("^-")];
    let both: Option<Vec<Automaton>> = both.into_iter().collect();
    both.is_some_and(|both| !no_common_text(&both, 0, None))
}
