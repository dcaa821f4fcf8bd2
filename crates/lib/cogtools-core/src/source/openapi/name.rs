//! Names of tools and parameters, and templates of values.

use serde_json::{Value, json};

use crate::digest;
use crate::http::percent_encode;

/// The longest name of a tool, and of one that is cut before its hash.
const MAX_NAME: usize = 47;
const CUT_NAME: usize = 38;
/// Words that cannot be variables of templates.
const WORDS: [&str; 11] = [
    "and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "null",
];

/// Returns `text` as the name of a tool; a long one is cut, with a hash.
pub fn name(text: &str) -> String {
    let mut name = plain(text);
    if name.len() > MAX_NAME {
        let hash = digest::bytes(text.as_bytes()).to_string();
        name.truncate(CUT_NAME);
        name = format!("{name}_{}", &hash[hash.len() - 8..]);
    }
    name
}

/// Returns true if `name` may be the name of a tool with this prefix.
pub(super) fn may_begin_with(name: &str, prefix: &str) -> bool {
    let mut begin = plain(prefix);
    begin.truncate(CUT_NAME);
    prefix.is_empty() || name.starts_with(&begin)
}

/// Returns `text` with the characters of names.
fn plain(text: &str) -> String {
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
    name
}

/// Returns a name for a parameter that no other has, and that every host accepts: a word.
pub(super) fn free(wire: &str, place: &str, taken: &mut Vec<String>) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut plain: String = wire
        .chars()
        .map(|c| if is_valid(c) { c } else { '_' })
        .take(48)
        .collect();
    if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        plain.insert(0, '_');
    }
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
pub fn variable(name: &str) -> String {
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
        ("path", Some("label"), Some(true)) => Some("."),
        ("query", Some("spaceDelimited" | "ssv"), _) => Some(" "),
        ("query", Some("pipeDelimited" | "pipes"), _) => Some("|"),
        (_, Some("tsv"), _) => Some("\\t"),
        ("query", Some("multi"), _) => None,
        ("query", Some("form") | None, None | Some(true)) if !is_swagger => None,
        _ => Some(","),
    };
    let mark = match (place, style) {
        ("path", Some("label")) => ".".to_owned(),
        ("path", Some("matrix")) => {
            format!(";{}=", text("name").map(percent_encode).unwrap_or_default())
        }
        _ => String::new(),
    };
    match separator {
        Some(separator) => format!(
            "{mark}{{{{ {expression} | join(\"{separator}\") if {expression} is defined else none }}}}"
        )
        .into(),
        None => format!("{mark}{{{{ {expression} }}}}").into(),
    }
}

/// Returns the parts on the wire of the argument `name`, each with its template: one, or one for
/// each property of an object whose style spreads it.
pub(super) fn parts(
    wire: &str,
    name: &str,
    schema: &Value,
    spread: Option<Spread>,
    template: Value,
) -> Vec<(String, Value)> {
    let Some(spread) = spread else {
        return vec![(wire.to_owned(), template)];
    };
    let mut parts = Vec::new();
    add_parts(&mut parts, wire, &variable(name), schema, spread);
    parts
}

/// The way in which the properties of an object become parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// Each by its own name, as `a=1&b=2`.
    Form,
    /// Each in brackets, as `filter[a]=1`.
    Deep,
}

impl Spread {
    /// The way of a parameter, or of a field of a form, with this style.
    pub(super) fn of(style: Option<&str>, explode: Option<bool>, schema: &Value) -> Option<Self> {
        let is_object = properties(schema).is_some() || alternative(schema).is_some();
        let is_array = schema.get("type") == Some(&json!("array"));
        match style {
            Some("deepObject") if is_object || is_array => Some(Self::Deep),
            None | Some("form") if properties(schema).is_some() && explode != Some(false) => {
                Some(Self::Form)
            }
            _ => None,
        }
    }
}

fn properties(schema: &Value) -> Option<&serde_json::Map<String, Value>> {
    let properties = schema.get("properties")?.as_object()?;
    let is_open = ["additionalProperties", "anyOf", "oneOf", "allOf"].iter();
    let mut is_open = is_open.filter_map(|key| schema.get(key));
    (!properties.is_empty() && is_open.all(|it| *it == Value::Bool(false))).then_some(properties)
}

/// Returns the object among the alternatives of a schema.
fn alternative(schema: &Value) -> Option<&Value> {
    let mut keys = ["anyOf", "oneOf"].into_iter();
    let all = keys.find_map(|key| schema.get(key)?.as_array())?;
    all.iter().find(|it| properties(it).is_some())
}

fn add_parts(
    parts: &mut Vec<(String, Value)>,
    wire: &str,
    expression: &str,
    schema: &Value,
    spread: Spread,
) {
    if let Some(object) = alternative(schema).filter(|_| spread == Spread::Deep) {
        let template = format!("{{{{ {expression} if {expression} is not mapping else none }}}}");
        parts.push((wire.to_owned(), template.into()));
        return add_parts(parts, wire, expression, object, spread);
    }
    if let Some(properties) = properties(schema) {
        for (name, schema) in properties {
            let own = format!("{expression}[{}]", Value::from(name.as_str()));
            match spread {
                Spread::Form => parts.push((name.clone(), format!("{{{{ {own} }}}}").into())),
                Spread::Deep => {
                    add_parts(parts, &format!("{wire}[{name}]"), &own, schema, spread);
                }
            }
        }
        return;
    }
    let is_array = schema.get("type") == Some(&json!("array"));
    let mark = if is_array { "[]" } else { "" };
    parts.push((
        format!("{wire}{mark}"),
        format!("{{{{ {expression} }}}}").into(),
    ));
}

/// Returns a value as a constant; a text with braces is no template.
pub fn constant(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains('{') => {
            format!("{{{{ {} }}}}", Value::from(text.clone())).into()
        }
        value => value.clone(),
    }
}
