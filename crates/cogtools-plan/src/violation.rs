//! Violations of the contract, worded so that a model can correct them.

use cogtools_core::{Code, Diagnostic, pointer};
use serde_json::Value;

/// One violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The JSON pointer of the value that is missing or wrong.
    pub(crate) pointer: String,
    /// What is wrong.
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// The value is missing.
    Missing(&'static str),
    /// It is something else.
    Expected(&'static str, &'static str),
    /// It is a string of blanks, or an array without items.
    Empty(&'static str),
}

impl Violation {
    /// The value at `pointer` is missing, which should be `expected`.
    pub(crate) fn missing(pointer: impl Into<String>, expected: &'static str) -> Self {
        Self {
            pointer: pointer.into(),
            kind: Kind::Missing(expected),
        }
    }

    /// The value at `pointer` should be `expected`.
    pub(crate) fn expected(
        pointer: impl Into<String>,
        expected: &'static str,
        found: &Value,
    ) -> Self {
        let found = match found {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        Self {
            pointer: pointer.into(),
            kind: Kind::Expected(expected, found),
        }
    }

    /// The value at `pointer` should be `expected`, but has nothing in it.
    pub(crate) fn empty(pointer: impl Into<String>, expected: &'static str) -> Self {
        Self {
            pointer: pointer.into(),
            kind: Kind::Empty(expected),
        }
    }

    /// The diagnostic to show, with a code that depends on what was checked.
    pub(crate) fn diagnostic(self, code: Code) -> Diagnostic {
        let (message, expected) = match self.kind {
            Kind::Missing(expected) => ("required but missing".to_owned(), expected),
            Kind::Expected(expected, found) => {
                (format!("expected {expected}, got {found}"), expected)
            }
            Kind::Empty(expected) => ("must not be empty".to_owned(), expected),
        };
        let hint = match pointer::segments(&self.pointer).pop() {
            None => format!("send {expected}"),
            Some(index) if index.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("item {index} must be {expected}")
            }
            Some(name) => format!("send {name}: {expected}"),
        };
        Diagnostic::new(code, message)
            .with_pointer(self.pointer)
            .hint(hint)
    }
}
