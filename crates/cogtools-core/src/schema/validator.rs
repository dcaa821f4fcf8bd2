//! The validator of arguments.
//!
//! The schema is translated for a JSON Schema validator of draft 7, which is the
//! fastest to build and has the same semantics for all keywords that the translation
//! uses. An external JSON Schema is treated as draft 2020-12. Nothing is ever fetched.

use jsonschema::Draft;
use serde_json::Value;

use super::Schema;
use super::violation::{self, Violation};
use crate::Diagnostic;

/// A compiled schema.
#[derive(Debug)]
pub struct Validator {
    inner: jsonschema::Validator,
}

/// Why a schema cannot be compiled: a pattern is not a regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidSchema {
    /// The JSON pointer of the invalid part of the schema.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl Validator {
    /// A validator for `schema`.
    pub fn new(schema: &Schema) -> Result<Self, InvalidSchema> {
        let draft = if schema.is_recovered() {
            Draft::Draft202012
        } else {
            Draft::Draft7
        };
        Self::of_draft(&schema.to_json_schema(), draft)
    }

    fn of_draft(schema: &Value, draft: Draft) -> Result<Self, InvalidSchema> {
        jsonschema::options()
            .with_draft(draft)
            .should_validate_formats(true)
            .offline()
            .build(schema)
            .map(|inner| Self { inner })
            .map_err(|error| InvalidSchema {
                pointer: error.instance_path().to_string(),
                message: match error.instance().as_str() {
                    Some(pattern) => format!("`{pattern}` is not a regular expression of ECMA-262"),
                    None => error.to_string(),
                },
            })
    }

    /// Whether `value` is valid.
    pub fn accepts(&self, value: &Value) -> bool {
        self.inner.is_valid(value)
    }

    /// The violations of `schema` by `value`, in the order of its properties.
    pub fn violations(&self, schema: &Schema, value: &Value) -> Vec<Violation> {
        if self.inner.is_valid(value) {
            return Vec::new();
        }
        let mut found: Vec<Violation> = self
            .inner
            .iter_errors(value)
            .flat_map(|error| violation::from_error(schema, &error))
            .take(Diagnostic::MAX_SHOWN + 1)
            .collect();
        let properties = schema
            .as_object()
            .get("properties")
            .and_then(Value::as_object);
        let rank = |violation: &Violation| {
            let first = violation.pointer.split('/').nth(1).unwrap_or_default();
            let position = properties.and_then(|all| all.keys().position(|name| name == first));
            position.unwrap_or(usize::MAX)
        };
        found.sort_by_key(rank);
        found.dedup();
        found
    }
}
