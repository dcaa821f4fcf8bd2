//! The validator of arguments.
//!
//! The schema is translated for a JSON Schema validator of draft 7, which is the
//! fastest to build and has the same semantics for all keywords that the translation
//! uses. An external JSON Schema is treated as draft 2020-12. Nothing is ever fetched.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jsonschema::{Draft, ValidationOptions};
use serde_json::Value;

use super::Schema;
use super::format;
use super::pattern::{self, Backtracking, Spent};
use super::violation::{self, Violation};
use crate::Diagnostic;

/// A compiled schema.
#[derive(Debug)]
pub struct Validator {
    inner: jsonschema::Validator,
    /// The time that patterns which backtrack have taken in this validation.
    spent: Spent,
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

impl InvalidSchema {
    /// The first pattern of `schema` that is not a regular expression.
    fn of_pattern(schema: &Value) -> Option<Self> {
        let (pointer, pattern) = pattern::first_invalid(schema)?;
        let message = format!("`{pattern}` is not a regular expression of ECMA-262");
        Some(Self { pointer, message })
    }
}

impl Validator {
    /// A validator for `schema`.
    pub fn new(schema: &Schema) -> Result<Self, InvalidSchema> {
        let options = jsonschema::options()
            .should_validate_formats(true)
            .offline();
        // Draft 2020-12 has `uuid`, and leaves `byte` to those who use it.
        let options = if schema.is_recovered() {
            options.with_draft(Draft::Draft202012)
        } else {
            options
                .with_draft(Draft::Draft7)
                .with_format("byte", format::is_byte)
                .with_format("uuid", format::is_uuid)
        };
        Self::build(schema.validation_schema(), options)
    }

    fn build(mut schema: Value, mut options: ValidationOptions<'_>) -> Result<Self, InvalidSchema> {
        let spent = Spent::default();
        if pattern::any(&schema) {
            if let Some(invalid) = InvalidSchema::of_pattern(&schema) {
                return Err(invalid);
            }
            schema = pattern::replaced(schema);
            let spent = Arc::clone(&spent);
            options = options.with_keyword(pattern::KEYWORD, move |_, pattern, _| {
                let pattern = pattern.as_str().unwrap_or_default();
                Ok(Box::new(Backtracking::new(pattern, &spent)))
            });
        }
        let built = options.build(&schema);
        built.map(|inner| Self { inner, spent }).map_err(|error| {
            // The error can be that of a schema around the pattern.
            InvalidSchema::of_pattern(&schema).unwrap_or_else(|| InvalidSchema {
                pointer: error.instance_path().to_string(),
                message: error.to_string(),
            })
        })
    }

    /// Whether `value` is valid.
    pub fn accepts(&self, value: &Value) -> bool {
        self.spent.store(0, Ordering::Relaxed);
        self.inner.is_valid(value)
    }

    /// The violations of `schema` by `value`, in the order of its properties.
    pub fn violations(&self, schema: &Schema, value: &Value) -> Vec<Violation> {
        if self.accepts(value) {
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
