//! The arguments of a call: one object, as JSON or YAML, or as words of a command line.

mod words;

use std::path::Path;

use serde_json::{Map, Value};

use crate::json::{self, JsonError};
use crate::text::{Text, TextError};
use crate::{Code, Diagnostic, Location, yaml};

pub use words::WordError;

/// The arguments of a call, before validation against a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(Map<String, Value>);

/// The syntax of the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// RFC 8259, without duplicate keys.
    Json,
    /// One document of YAML 1.2.
    Yaml,
}

/// Standard input in messages.
const STDIN: &str = "<stdin>";

/// Why bytes are not arguments.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentsError {
    /// Not UTF-8 from this byte on.
    #[error("the arguments are not UTF-8: byte {0} does not begin a character")]
    Encoding(usize),
    /// Not JSON.
    #[error("not valid JSON: {0}")]
    Json(String, Location),
    /// Valid JSON that exceeds a limit.
    #[error("{0}")]
    TooLarge(String, Location),
    /// Not YAML.
    #[error("not valid YAML: {}", .0.message)]
    Yaml(Box<Diagnostic>),
    /// Not an object.
    #[error("the arguments must be one object, not {0}")]
    NotAnObject(&'static str),
}

impl Arguments {
    /// Reads arguments from standard input; only white space counts as `{}`.
    pub fn read(bytes: Vec<u8>, syntax: Syntax) -> Result<Self, ArgumentsError> {
        Self::read_from(STDIN, bytes, syntax)
    }

    /// Reads arguments from the `source` that messages name; only white space counts as `{}`.
    pub fn read_from(source: &str, bytes: Vec<u8>, syntax: Syntax) -> Result<Self, ArgumentsError> {
        let text = match Text::new(source, bytes) {
            Ok(text) => text,
            Err(TextError::Encoding(_, at)) => return Err(ArgumentsError::Encoding(at)),
            // The other errors occur only when reading a file.
            Err(_) => return Err(ArgumentsError::Encoding(0)),
        };
        if text.as_str().trim().is_empty() {
            return Ok(Self::default());
        }
        let value = match syntax {
            Syntax::Json => json::parse_exact(text.as_str())
                .map_err(|error| json_error(&error, source, &text))?,
            Syntax::Yaml => {
                let document = yaml::parse(&text).map_err(|error| {
                    let diagnostic = error.diagnostic(Code::InvalidArgumentsSyntax, &text);
                    ArgumentsError::Yaml(Box::new(diagnostic))
                })?;
                document.to_json()
            }
        };
        match value {
            Value::Object(object) => Ok(Self(object)),
            Value::Null if syntax == Syntax::Yaml => Ok(Self::default()),
            Value::Null => Err(ArgumentsError::NotAnObject("null")),
            Value::Bool(_) => Err(ArgumentsError::NotAnObject("a boolean")),
            Value::Number(_) => Err(ArgumentsError::NotAnObject("a number")),
            Value::String(_) => Err(ArgumentsError::NotAnObject("a string")),
            Value::Array(_) => Err(ArgumentsError::NotAnObject("an array")),
        }
    }

    /// The object.
    pub fn into_object(self) -> Map<String, Value> {
        self.0
    }
}

impl From<Map<String, Value>> for Arguments {
    fn from(object: Map<String, Value>) -> Self {
        Self(object)
    }
}

impl ArgumentsError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, self.to_string());
        match self {
            Self::Encoding(_) => diagnostic.hint("send the arguments as UTF-8"),
            Self::Json(message, location) if let Some(hint) = json_hint(message) => {
                diagnostic.at(location.clone()).hint(hint)
            }
            Self::Json(_, location) => {
                let is_stdin = location.file == Path::new(STDIN);
                let place = if is_stdin { " on standard input" } else { "" };
                let example = r#"{"name": "value"}"#;
                let hint = format!("send one JSON object{place}, such as {example}");
                diagnostic.at(location.clone()).hint(hint)
            }
            Self::TooLarge(_, location) => diagnostic
                .at(location.clone())
                .hint("send less data, or nest it less deeply"),
            Self::Yaml(inner) => {
                let mut diagnostic = diagnostic;
                diagnostic.location.clone_from(&inner.location);
                diagnostic.hints.clone_from(&inner.hints);
                diagnostic.hint("send one YAML mapping on standard input, such as `name: value`")
            }
            Self::NotAnObject(_) => diagnostic
                .hint(r#"send one object with a key per parameter, such as {"name": "value"}"#),
        }
    }
}

fn json_error(JsonError { error, bound }: &JsonError, source: &str, text: &Text) -> ArgumentsError {
    // The parser's column is in bytes; a location's is in characters.
    let line = text
        .as_str()
        .lines()
        .nth(error.line().saturating_sub(1))
        .unwrap_or("");
    let byte = line.floor_char_boundary(error.column().saturating_sub(1));
    let (mut number, mut column) = (error.line().max(1), line[..byte].chars().count() + 1);
    if error.is_eof() {
        // The end of the text is where its last line ends.
        let read = text.as_str().trim_end();
        number = read.lines().count().max(1);
        column = read.lines().next_back().unwrap_or("").chars().count() + 1;
    }
    let location = Location::new(Path::new(source), text.as_str(), number, column, 1);
    if let Some(bound) = bound {
        return ArgumentsError::TooLarge(bound.to_string(), location);
    }
    ArgumentsError::Json(json_message(error), location)
}

/// The hint for JSON as JavaScript or Python write it.
fn json_hint(message: &str) -> Option<&'static str> {
    match message {
        "trailing comma" => Some("remove the comma before the closing bracket"),
        "key must be a string" => Some("write keys and text in double quotes"),
        _ if message.ends_with("64 bits") => Some("put it in quotes to make it a string"),
        _ => None,
    }
}

/// The parser's message without the position that it appends.
fn json_message(error: &serde_json::Error) -> String {
    let full = error.to_string();
    let message = full.rsplit_once(" at line ");
    message
        .map_or(full.as_str(), |(message, _)| message)
        .to_owned()
}
