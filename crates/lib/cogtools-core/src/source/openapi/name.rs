//! Names of tools and parameters, and templates of values.

use serde_json::{Value, json};

use crate::digest;

/// The longest name of a tool, and of one that is cut before its hash.
const MAX_NAME: usize = 47;
const CUT_NAME: usize = 38;
/// Words that cannot be variables of templates.
const WORDS: [&str; 11] = [
    "and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "null",
];

/// Returns `text` as the name of a tool; a long one is cut, with a hash.
pub(super) fn name(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        };
        if c != '_' || !name.ends_with('_') {
            name.push(c);
        }
    }
    let mut name = name.trim_end_matches('_').to_owned();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    if name.len() > MAX_NAME {
        let hash = digest::bytes(text.as_bytes()).to_string();
        name.truncate(CUT_NAME);
        name = format!("{name}_{}", &hash[hash.len() - 8..]);
    }
    name
}

/// Returns a name for a parameter that no other has.
pub(super) fn free(wire: &str, place: &str, taken: &mut Vec<String>) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let plain: String = wire
        .chars()
        .map(|c| if is_valid(c) { c } else { '_' })
        .take(56)
        .collect();
    let plain = if plain.is_empty() {
        "_".to_owned()
    } else {
        plain
    };
    let mut name = plain.clone();
    let mut number = 1;
    while taken.contains(&name) {
        name = if number == 1 {
            format!("{plain}_{place}")
        } else {
            format!("{plain}_{place}_{number}")
        };
        number += 1;
    }
    taken.push(name.clone());
    name
}

/// Returns the expression of the argument `name`.
pub(super) fn variable(name: &str) -> String {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !WORDS.contains(&name);
    if is_word {
        name.to_owned()
    } else {
        format!("args[\"{name}\"]")
    }
}

/// Returns the template of a parameter in its style.
pub(super) fn styled(name: &str, parameter: &Value, place: &str, schema: &Value) -> Value {
    let expression = variable(name);
    let text = |key: &str| parameter.get(key).and_then(Value::as_str);
    let style = text("style").or(text("collectionFormat"));
    let explode = parameter.get("explode").and_then(Value::as_bool);
    let is_array = schema.get("type") == Some(&json!("array"));
    let is_swagger = parameter.get("schema").is_none() && parameter.get("content").is_none();
    let separator = match (place, style, explode) {
        _ if !is_array => None,
        ("query", Some("spaceDelimited" | "ssv"), _) => Some(" "),
        ("query", Some("pipeDelimited" | "pipes"), _) => Some("|"),
        (_, Some("tsv"), _) => Some("\\t"),
        ("query", Some("multi"), _) => None,
        ("query", Some("form") | None, None | Some(true)) if !is_swagger => None,
        _ => Some(","),
    };
    match separator {
        Some(separator) => format!(
            "{{{{ {expression} | join(\"{separator}\") if {expression} is defined else none }}}}"
        )
        .into(),
        None => format!("{{{{ {expression} }}}}").into(),
    }
}

/// Returns a value as a constant; a text with braces is no template.
pub(super) fn constant(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains('{') => {
            format!("{{{{ {} }}}}", Value::from(text.clone())).into()
        }
        value => value.clone(),
    }
}
