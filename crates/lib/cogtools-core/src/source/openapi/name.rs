//! Names of tools, and the parameters of operations with the templates of their values.

use serde_json::{Map, Value};

use super::schema::{Direction, Place, follow};
use crate::digest;
use crate::http::percent_encode;

/// The longest name of a tool, and of one that is cut before its hash.
const MAX_NAME: usize = 47;
const CUT_NAME: usize = 38;
/// Headers that the client writes.
const OWN_HEADERS: [&str; 7] = [
    "accept",
    "content-type",
    "authorization",
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
];
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
    let mut plain = wire.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_");
    plain.truncate(48);
    if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        plain.insert(0, '_');
    }
    let mut name = plain.clone();
    let mut number = 1;
    // All arguments are `args`.
    while name == "args" || taken.contains(&name) {
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

/// A parameter of a tool.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) wire: String,
    pub(super) place: &'static str,
    pub(super) schema: Value,
    pub(super) is_required: bool,
    /// The templates of its value, by their names in the request.
    pub(super) parts: Vec<(String, Value)>,
}

/// The way in which a value becomes text.
pub(super) struct Style<'s> {
    pub(super) place: &'static str,
    pub(super) name: Option<&'s str>,
    pub(super) explode: Option<bool>,
}

impl Place<'_> {
    /// The parameters of the path, the query and the headers, in this order. An optional one that
    /// cannot be sent is added to `left_out`, with the reason.
    pub(super) fn parameters(
        &self,
        taken: &mut Vec<String>,
        left_out: &mut Vec<(String, String)>,
    ) -> Result<Vec<Parameter>, String> {
        let mut merged: Vec<&Value> = Vec::new();
        for list in [self.item.get("parameters"), self.value.get("parameters")] {
            for parameter in list.and_then(Value::as_array).into_iter().flatten() {
                let parameter = follow(self.root, parameter)?;
                let key = |it: &Value| (it.get("name").cloned(), it.get("in").cloned());
                merged.retain(|other| key(other) != key(parameter));
                merged.push(parameter);
            }
        }
        let mut parameters = Vec::new();
        for place in ["path", "query", "header", "cookie"] {
            for value in merged.iter().filter(|it| it["in"] == place) {
                let wire = value["name"].as_str().unwrap_or_default();
                let is_required = value["required"] == true;
                let is_header = |name: &str| place == "header" && wire.eq_ignore_ascii_case(name);
                let is_cookie = place == "cookie" || is_header("cookie");
                if is_cookie && is_required {
                    return Err(format!("it needs the cookie `{wire}`"));
                }
                if is_cookie {
                    left_out.push((wire.to_owned(), "a tool sends no cookies".to_owned()));
                    continue;
                }
                if OWN_HEADERS.into_iter().any(is_header) {
                    continue;
                }
                match self.parameter(value, wire, place, taken) {
                    Ok(parameter) => parameters.push(parameter),
                    Err(reason) if is_required || place == "path" => return Err(reason),
                    Err(reason) => left_out.push((wire.to_owned(), reason)),
                }
            }
        }
        Ok(parameters)
    }

    fn parameter(
        &self,
        value: &Value,
        wire: &str,
        place: &'static str,
        taken: &mut Vec<String>,
    ) -> Result<Parameter, String> {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if place == "header" && !wire.chars().all(is_token) {
            return Err(format!("`{wire}` is no name of a header"));
        }
        let own = value.get("schema");
        let content = value["content"].as_object();
        let json = content.and_then(|all| all.iter().find(|(name, _)| is_json(name)));
        if let (None, Some(content), None) = (own, content, json) {
            let names: Vec<&str> = content.keys().map(String::as_str).collect();
            let names = names.join("`, `");
            return Err(format!("`{wire}` has the media type `{names}`"));
        }
        let json = json.filter(|_| own.is_none());
        let schema = own.or(json.and_then(|(_, media)| media.get("schema")));
        let schema = schema.unwrap_or(if json.is_some() { &Value::Null } else { value });
        let mut schema = self.schema(schema, Direction::Request)?;
        if let Some(object) = schema.as_object_mut() {
            for key in ["name", "in", "required", "collectionFormat"] {
                if own.is_none() && json.is_none() {
                    object.shift_remove(key);
                }
            }
            if let Some(text) = value.get("description") {
                object.insert("description".to_owned(), text.clone());
            }
        }
        let name = free(wire, place, taken);
        let parts = if json.is_some() {
            let expression = variable(&name);
            let template = when(&expression, &format!("{expression} | dump"));
            vec![(wire.to_owned(), template)]
        } else {
            let style = Style::of(value, place, own.is_none());
            style.parts(wire, &variable(&name), &schema)?
        };
        Ok(Parameter {
            wire: wire.to_owned(),
            is_required: value["required"] == true || place == "path",
            name,
            place,
            schema,
            parts,
        })
    }
}

/// Returns true if `name` is a media type of JSON.
pub(super) fn is_json(name: &str) -> bool {
    let base = name.split(';').next().unwrap_or_default().trim();
    base.ends_with("/json") || base.ends_with("+json")
}

/// Returns the template of `value` if the argument `expression` is there.
fn when(expression: &str, value: &str) -> Value {
    format!("{{{{ {value} if {expression} is defined else none }}}}").into()
}

impl<'s> Style<'s> {
    /// The style of a parameter; `is_swagger` if it is one of Swagger 2.
    pub(super) fn of(value: &'s Value, place: &'static str, is_swagger: bool) -> Self {
        let (name, explode) = match value["collectionFormat"].as_str() {
            _ if !is_swagger => (value["style"].as_str(), value["explode"].as_bool()),
            Some("multi") => (None, Some(true)),
            Some("ssv") => (Some("spaceDelimited"), Some(false)),
            Some("pipes") => (Some("pipeDelimited"), Some(false)),
            Some("tsv") => (Some("tabDelimited"), Some(false)),
            _ => (None, Some(false)),
        };
        Self {
            place,
            name,
            explode,
        }
    }

    /// Returns the templates of `expression` by their names in the request.
    pub(super) fn parts(
        &self,
        wire: &str,
        expression: &str,
        schema: &Value,
    ) -> Result<Vec<(String, Value)>, String> {
        let is_array = is_of(schema, "array");
        let is_object = is_of(schema, "object") || schema.get("properties").is_some();
        let is_field = matches!(self.place, "query" | "form");
        let default = if is_field { "form" } else { "simple" };
        let style = self.name.unwrap_or(default);
        let explode = self.explode.unwrap_or(style == "form");
        let plain = format!("{{{{ {expression} }}}}");
        let one = |template: Value| Ok(vec![(wire.to_owned(), template)]);
        let unsupported = || {
            let explode = if explode { " and `explode`" } else { "" };
            Err(format!(
                "`{wire}` has the style `{style}`{explode}, which cannot be sent"
            ))
        };
        let listed = if is_object {
            format!("{expression} | dictsort")
        } else {
            expression.to_owned()
        };
        let joined =
            |separator: &str| when(expression, &format!("{listed} | join(\"{separator}\")"));
        let mark = match (self.place, style) {
            ("path", "label") => ".".to_owned(),
            ("path", "matrix") => format!(";{}=", percent_encode(wire)),
            _ => String::new(),
        };
        match (self.place, style) {
            (_, "deepObject") if is_field => {
                Ok(deep(wire, expression, schema, is_array || is_object))
            }
            _ if !is_array && !is_object => one(format!("{mark}{plain}").into()),
            ("query" | "form" | "multipart", _) if is_array && explode => one(plain.into()),
            (_, "form") if explode && is_field => match properties(schema) {
                Some(properties) => {
                    let part = |name: &String| {
                        let own = format!("{expression}[{}]", Value::from(name.as_str()));
                        (name.clone(), format!("{{{{ {own} }}}}").into())
                    };
                    Ok(properties.keys().map(part).collect())
                }
                None => unsupported(),
            },
            ("path", "label") if is_array && explode => {
                one(format!(".{{{{ {expression} | join(\".\") }}}}").into())
            }
            (_, "spaceDelimited") if is_array => one(joined(" ")),
            (_, "pipeDelimited") if is_array => one(joined("|")),
            (_, "tabDelimited") if is_array => one(joined("\\t")),
            (_, "spaceDelimited" | "pipeDelimited" | "deepObject") => unsupported(),
            (_, "matrix") if explode => unsupported(),
            _ if is_object && explode => unsupported(),
            // Each item is encoded, and the commas between them are not.
            ("path", _) => one(format!("{mark}{{{{ [{listed}] }}}}").into()),
            ("header" | "multipart", _) => one(joined(",")),
            _ => one(when(expression, &format!("[{listed}]"))),
        }
    }
}

/// Returns true if a schema is of this type, or of this type or null.
pub(super) fn is_of(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter(|it| *it != "null");
            kinds.next().is_some_and(|it| it == kind) && kinds.next().is_none()
        }
        own => own.is_some_and(|it| it == kind),
    }
}

/// Returns the templates of a value whose lists and maps are in brackets, as in `filter[a]=1`. If
/// its type is not known, it may have none.
fn deep(wire: &str, expression: &str, schema: &Value, is_known: bool) -> Vec<(String, Value)> {
    let brackets = format!("{wire}[]");
    if is_known {
        return vec![(brackets, format!("{{{{ {expression} }}}}").into())];
    }
    if schema.get("type").is_some() {
        return vec![(wire.to_owned(), format!("{{{{ {expression} }}}}").into())];
    }
    let template = |test: &str| format!("{{{{ {expression} if {test} else none }}}}").into();
    let nested = format!(
        "{expression} is mapping or {expression} is iterable and {expression} is not string"
    );
    vec![
        (brackets, template(&nested)),
        (wire.to_owned(), template(&format!("not ({nested})"))),
    ]
}

/// Returns the properties of an object that has no others.
fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    let properties = schema.get("properties")?.as_object()?;
    let is_open = ["additionalProperties", "anyOf", "oneOf", "allOf"].iter();
    let mut is_open = is_open.filter_map(|key| schema.get(key));
    (!properties.is_empty() && is_open.all(|it| *it == Value::Bool(false))).then_some(properties)
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
