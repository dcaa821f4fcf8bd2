//! Arguments as words of a command line: `key=value`, typed by the tool's schema.
//!
//! A person types `days=3`, and the schema says that 3 is a number. A value that is not
//! of its type stays a string, so that the validator reports it as for any other call.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::{Map, Value};

use super::{Arguments, ArgumentsError, Syntax, json_message};
use crate::pointer::child;
use crate::schema::Schema;
use crate::{Code, Diagnostic, json};

/// Why a word is not an argument.
#[derive(Debug, thiserror::Error)]
pub enum WordError {
    /// It has no key: the word, or several in a row, and the argument that was probably meant.
    #[error("`{0}` is not KEY=VALUE")]
    NoKey(String, Option<String>),
    /// The value after `:=` is not JSON: the argument, the reason.
    #[error("not valid JSON: {1}")]
    Json(String, String),
    /// Another word has set this argument, or a part of it.
    #[error("set more than once")]
    Repeated(String),
    /// It begins like a JSON object, and is none.
    #[error("{0}")]
    Object(Box<ArgumentsError>, String),
}

/// A word with a key.
struct Assignment<'w> {
    key: &'w str,
    value: &'w str,
    /// True if the value is JSON, whatever the schema says.
    is_json: bool,
}

impl Arguments {
    /// Reads `words`, each of them `KEY=VALUE` with the type from `schema`, `KEY:=JSON`,
    /// or a JSON object. Dots in a key lead into objects, and a repeated key of an array
    /// adds an item. Returns the errors of all words.
    pub fn from_words(words: &[String], schema: &Schema) -> Result<Self, Vec<WordError>> {
        let mut arguments = Map::new();
        let mut errors = Vec::new();
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            let error = add(word, schema, &mut arguments).err();
            rest = after;
            if matches!(error, Some(WordError::NoKey(..))) && file_of(word).is_none() {
                let start = words.len() - after.len() - 1;
                let length = after.iter().take_while(|word| has_no_key(word)).count();
                rest = &after[length..];
                errors.push(without_key(words, start..=start + length, schema));
            } else {
                errors.extend(error);
            }
        }
        if errors.is_empty() {
            Ok(Self(arguments))
        } else {
            Err(errors)
        }
    }
}

impl WordError {
    /// The diagnostic to show for a call of `tool`.
    pub fn diagnostic(&self, tool: &str) -> Diagnostic {
        let error = |code| Diagnostic::new(code, self.to_string()).with_subject(tool);
        match self {
            Self::NoKey(word, None) if let Some(file) = file_of(word) => {
                let yaml = Path::new(file).extension().is_some_and(|it| it != "json");
                let option = if yaml { " --yaml" } else { "" };
                let line = format!("cogtools-call{option} {tool} < {file}");
                error(Code::Usage).hint(format!("arguments in a file are read by {line}"))
            }
            Self::NoKey(_, Some(meant)) => {
                error(Code::Usage).hint(format!("write it as one word: {meant}"))
            }
            Self::NoKey(word, None) => error(Code::Usage)
                .hint(format!(
                    "write the parameter's name before it: NAME={}",
                    word.trim_start_matches([':', '='])
                ))
                .hint("KEY:=JSON passes any value, and a word in braces is a JSON object"),
            Self::Json(pointer, _) => error(Code::InvalidArgumentsSyntax)
                .with_pointer(pointer.clone())
                .hint("write JSON after `:=`, or `=` for a plain value"),
            Self::Repeated(pointer) => error(Code::Usage)
                .with_pointer(pointer.clone())
                .hint("only a parameter that is an array takes several values"),
            Self::Object(inner, word) => {
                let mut diagnostic = inner.diagnostic().with_subject(tool);
                // The location would be one in standard input.
                diagnostic.location = None;
                // Quotes that reached us were not taken by the shell.
                if word.contains(['"', '\'']) {
                    return diagnostic.hint("cogtools json repairs such text");
                }
                diagnostic.hints =
                    vec!["quote the object for the shell: '{\"name\": \"value\"}'".into()];
                diagnostic
            }
        }
    }
}

fn has_no_key(word: &str) -> bool {
    !word.starts_with('{') && file_of(word).is_none() && Assignment::parse(word).is_err()
}

/// The error for the words in `range`, which have no keys: the rest of a value with blanks, an
/// argument that was written with blanks or a colon, or a value without its name.
fn without_key(words: &[String], range: RangeInclusive<usize>, schema: &Schema) -> WordError {
    let run = words[range.clone()].join(" ");
    let before = range.start().checked_sub(1).map(|index| &words[index]);
    let before = before.filter(|word| !word.starts_with('{'));
    let is_parameter = |name: &str| schema.declared_at(&schema.path_of(name)).is_some();
    let separated = run.split_once(['=', ':']);
    let separated = separated.map(|(name, value)| (name.trim(), value.trim()));
    let meant = match (separated, before) {
        (Some((name, "")), _) if is_parameter(name) => Some(format!("{name}=VALUE")),
        (Some((name, value)), _) if is_parameter(name) => Some(format!("{name}={value}")),
        (_, Some(before)) if before.ends_with('=') => Some(format!("{before}{run}")),
        (_, Some(before)) => Some(format!("{before} {run}")),
        (_, None) => schema.required().next().map(|name| format!("{name}={run}")),
    };
    WordError::NoKey(run, meant.and_then(|meant| quote(&meant)))
}

/// Quotes `word` for the shell if that is needed; the first `=` needs it not.
fn quote(word: &str) -> Option<String> {
    let is_bare = shlex::try_quote(&word.replacen('=', "", 1)).is_ok_and(|it| !it.contains('\''));
    if is_bare {
        return Some(word.to_owned());
    }
    shlex::try_quote(word).map(Cow::into_owned).ok()
}

/// The file that `word` names: `@FILE`, or a name that ends as one.
fn file_of(word: &str) -> Option<&str> {
    let is_file = [".json", ".yaml", ".yml"]
        .iter()
        .any(|end| word.ends_with(end));
    let named = word.strip_prefix('@').filter(|file| !file.is_empty());
    named.or_else(|| is_file.then_some(word))
}

/// Adds the argument in `word`.
fn add(word: &str, schema: &Schema, arguments: &mut Map<String, Value>) -> Result<(), WordError> {
    if word.starts_with('{') {
        let object = Arguments::read(word.as_bytes().to_vec(), Syntax::Json);
        let object = object
            .map_err(|error| WordError::Object(Box::new(error), word.to_owned()))?
            .into_object();
        return object.into_iter().try_for_each(|(name, value)| {
            let path = [name];
            insert(arguments, &path, value, false)
        });
    }
    let assignment = Assignment::parse(word)?;
    let path = schema.path_of(assignment.key);
    let declared = schema.declared_at(&path);
    if assignment.is_json {
        let value = json::parse_exact(assignment.value).map_err(|error| {
            let reason = match &error.bound {
                Some(bound) => bound.to_string(),
                None => json_message(&error.error),
            };
            WordError::Json(pointer(&path), reason)
        })?;
        return insert(arguments, &path, value, false);
    }
    let types = declared
        .map(|declared| schema.types_of(declared))
        .unwrap_or_default();
    let is_array = types.contains("array") && !types.contains("string");
    let parsed = json::parse_exact(assignment.value).ok();
    match parsed {
        Some(Value::Array(items)) if is_array => insert(arguments, &path, items.into(), true),
        _ if is_array => {
            let item = declared.and_then(|declared| declared.get("items")?.as_object());
            let item = typed(assignment.value, item, schema);
            insert(arguments, &path, vec![item].into(), true)
        }
        _ => {
            let value = typed(assignment.value, declared, schema);
            insert(arguments, &path, value, false)
        }
    }
}

impl<'w> Assignment<'w> {
    fn parse(word: &'w str) -> Result<Self, WordError> {
        let parts = word.split_once('=');
        let (key, value) = parts.ok_or_else(|| WordError::NoKey(word.to_owned(), None))?;
        let json_key = key.strip_suffix(':');
        let key = json_key.unwrap_or(key);
        if key.is_empty() {
            return Err(WordError::NoKey(word.to_owned(), None));
        }
        Ok(Self {
            key,
            value,
            is_json: json_key.is_some(),
        })
    }
}

/// The value that `text` means where `declared` is the schema: text for strings, JSON
/// where that has one of the declared types, or else text again.
fn typed(text: &str, declared: Option<&Map<String, Value>>, schema: &Schema) -> Value {
    let string = || Value::String(text.to_owned());
    let Some(declared) = declared else {
        return string();
    };
    let listed = declared.get("enum").and_then(Value::as_array);
    if listed.is_some_and(|values| values.iter().any(|value| value.as_str() == Some(text))) {
        return string();
    }
    let types = schema.types_of(declared);
    match json::parse_exact(text) {
        Ok(value) if !value.is_string() && has_type(&value, &types) => value,
        _ => string(),
    }
}

/// Returns true if `value` has one of `types`; without any, it may have each.
fn has_type(value: &Value, types: &BTreeSet<&str>) -> bool {
    if types.is_empty() {
        return true;
    }
    let names: &[&str] = match value {
        Value::Null => &["null"],
        Value::Bool(_) => &["boolean"],
        // Which numbers are integers is up to the validator.
        Value::Number(_) => &["number", "integer"],
        Value::String(_) => &["string"],
        Value::Array(_) => &["array"],
        Value::Object(_) => &["object"],
    };
    names.iter().any(|name| types.contains(name))
}

/// Puts `value` at `path`; with `extend`, an array's items are added to those there.
fn insert(
    arguments: &mut Map<String, Value>,
    path: &[String],
    value: Value,
    extend: bool,
) -> Result<(), WordError> {
    let Some((last, outer)) = path.split_last() else {
        return Ok(());
    };
    let repeated = || WordError::Repeated(pointer(path));
    let mut object = arguments;
    for name in outer {
        let inner = object
            .entry(name.clone())
            .or_insert_with(|| Map::new().into());
        object = inner.as_object_mut().ok_or_else(repeated)?;
    }
    match (object.get_mut(last), value) {
        (None, value) => drop(object.insert(last.clone(), value)),
        (Some(Value::Array(items)), Value::Array(more)) if extend => items.extend(more),
        (Some(_), _) => return Err(repeated()),
    }
    Ok(())
}

fn pointer(path: &[String]) -> String {
    path.iter()
        .fold(String::new(), |pointer, name| child(&pointer, name))
}

#[cfg(test)]
mod tests;
