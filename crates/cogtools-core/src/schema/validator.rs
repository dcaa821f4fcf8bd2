//! The one validator of arguments.
//!
//! The schema is translated and handed to a JSON Schema validator pinned to
//! draft 7, which it builds fastest and which means the same for all words the
//! translation uses; a JSON Schema of somebody else's is taken as one of 2020-12.
//! Nothing is ever fetched.

use jsonschema::Draft;
use serde_json::Value;

use super::Schema;
use super::violation::{self, Violation};
use crate::Diagnostic;

/// A schema made ready to check values.
#[derive(Debug)]
pub struct Validator {
    inner: jsonschema::Validator,
}

/// Why no validator can be made: a pattern that is no regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidSchema {
    /// The JSON pointer, within the schema, of what cannot be used.
    pub pointer: String,
    /// Why.
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
        let options = jsonschema::options().with_draft(draft);
        let built = options
            .should_validate_formats(true)
            .offline()
            .build(schema);
        built
            .map(|inner| Self { inner })
            .map_err(|error| InvalidSchema {
                pointer: error.instance_path().to_string(),
                message: match error.instance().as_str() {
                    Some(pattern) => format!("`{pattern}` is not a regular expression of ECMA-262"),
                    None => error.to_string(),
                },
            })
    }

    /// Whether `value` fits.
    pub fn accepts(&self, value: &Value) -> bool {
        self.inner.is_valid(value)
    }

    /// All that is wrong with `value`, worded after `schema`, in the order of its
    /// properties.
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
