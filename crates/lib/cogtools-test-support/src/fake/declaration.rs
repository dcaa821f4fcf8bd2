//! The API's rules for function declarations.

use std::collections::BTreeSet;

use serde_json::Value;

use super::field::{field, snake};
use super::message::unknown;
use super::schema;

/// The maximum number of functions in one request.
const MAX_FUNCTIONS: usize = 512;

const FIELDS: [&str; 8] = [
    "name",
    "description",
    "parameters",
    "parametersJsonSchema",
    "response",
    "responseJsonSchema",
    "behavior",
    "strict",
];

/// Checks the declarations of a request.
pub(super) fn check(declarations: &[&Value], complaints: &mut Vec<String>) {
    if declarations.len() > MAX_FUNCTIONS {
        complaints.push(format!(
            "at most {MAX_FUNCTIONS} function declarations are supported"
        ));
    }
    let mut names = BTreeSet::new();
    for (index, declaration) in declarations.iter().enumerate() {
        let at = format!("tools[0].function_declarations[{index}]");
        one(declaration, &at, complaints);
        if !names.insert(declaration["name"].to_string()) {
            complaints.push(format!(
                "Duplicate function declaration found: {}",
                declaration["name"]
            ));
        }
    }
}

/// Explains why the API refuses the `parameters` of these declarations, which Gemini CLI reads.
pub fn gemini_complaints(declared: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    for declaration in declared.as_array().into_iter().flatten() {
        let mut declaration = declaration.clone();
        if let Some(fields) = declaration.as_object_mut() {
            fields.shift_remove("parametersJsonSchema");
        }
        one(
            &declaration,
            &declaration["name"].to_string(),
            &mut complaints,
        );
    }
    complaints
}

fn one(declaration: &Value, at: &str, complaints: &mut Vec<String>) {
    if !is_name(declaration["name"].as_str().unwrap_or_default(), ".:-") {
        complaints.push(format!(
            "Invalid value at '{at}.name': must start with a letter or an underscore, \
             then letters, digits, underscores, dots, colons and dashes, at most 64"
        ));
    }
    for name in declaration
        .as_object()
        .into_iter()
        .flat_map(|map| map.keys())
    {
        if !FIELDS
            .iter()
            .any(|camel| name == camel || *name == snake(camel))
        {
            complaints.push(unknown(name, at));
        }
    }
    let plain = &declaration["parameters"];
    let json = field(declaration, "parametersJsonSchema");
    if !plain.is_null() && !json.is_null() {
        complaints.push(format!(
            "{at}: only one of parameters and parameters_json_schema may be set"
        ));
    }
    if !plain.is_null() {
        schema::check(plain, &format!("{at}.parameters"), complaints);
    }
    if !json.is_null() {
        let at = format!("{at}.parameters_json_schema");
        match json.as_object() {
            Some(map) => required(map, &at, complaints),
            None => complaints.push(format!("{at}: not a schema")),
        }
    }
}

/// JSON Schema is not restricted, but required properties must exist, and parameters
/// must have names.
fn required(schema: &serde_json::Map<String, Value>, at: &str, complaints: &mut Vec<String>) {
    let mut found = Vec::new();
    schema::properties(schema, at, &mut found);
    let is_restricted =
        |text: &String| text.contains(".required[") || text.ends_with("invalid parameter name");
    complaints.extend(found.into_iter().filter(is_restricted));
}

/// Returns true if `name` is an identifier of at most 64 characters, with the characters of `more`
/// allowed after the first.
pub(super) fn is_name(name: &str, more: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.len() <= 64
        && name.starts_with(first)
        && name
            .chars()
            .all(|c| first(c) || c.is_ascii_digit() || more.contains(c))
}
