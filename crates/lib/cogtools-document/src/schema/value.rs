//! Checks of the values of single keywords.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use jsonschema::{Draft, ValidationOptions};
use serde_json::{Map, Value, json};

use crate::schema::Schema;
use crate::schema::error::SchemaErrorKind;
use crate::schema::expand::{self, Expander};
use crate::schema::keyword::{self, KeywordKind};
use crate::schema::pattern::{self, Backtracking, Spent};
use crate::schema::violation::{self, Violation};
use crate::suggest::did_you_mean;
use crate::yaml::{Entry, Node};
use crate::{Actual, Diagnostic, Expected};

impl Expander {
    /// Reads a keyword that only restricts the kind of its value.
    pub(super) fn simple(&mut self, entry: &Entry, takes: KeywordKind) -> Value {
        let json = entry.value.to_json();
        if !takes.accepts(&json) {
            self.kind_error(
                entry,
                match takes {
                    KeywordKind::Text | KeywordKind::Pattern => Expected::String,
                    KeywordKind::Flag => Expected::Bool,
                    KeywordKind::Number => Expected::Number,
                    KeywordKind::Positive => Expected::Positive,
                    KeywordKind::Count => Expected::Count,
                    _ => Expected::Map,
                },
            );
        }
        json
    }

    pub(super) fn names(&mut self, entry: &Entry, schema: &mut Object) {
        let Some(items) = self.non_empty_items(entry, Expected::Names) else {
            return;
        };
        let mut seen = HashSet::new();
        for item in items {
            let keyword = entry.key.clone();
            match item.text() {
                None => self.report(
                    SchemaErrorKind::Kind {
                        keyword,
                        expected: Expected::Names,
                        actual: Actual::Other(item.kind()),
                    },
                    item.span,
                ),
                Some(name) if !seen.insert(name) => {
                    let kind = SchemaErrorKind::Repeated {
                        keyword,
                        value: format!("`{name}`"),
                    };
                    self.report(kind, item.span);
                }
                Some(_) => {}
            }
        }
        schema.insert(entry.key.clone(), entry.value.to_json());
    }

    pub(super) fn non_empty_items<'n>(
        &mut self,
        entry: &'n Entry,
        expected: Expected,
    ) -> Option<&'n [Node]> {
        match entry.value.items() {
            Some([]) => {
                self.report(SchemaErrorKind::Empty(entry.key.clone()), entry.span);
                None
            }
            Some(items) => Some(items),
            None => {
                self.kind_error(entry, expected);
                None
            }
        }
    }

    pub(super) fn kind_error(&mut self, entry: &Entry, expected: Expected) {
        let keyword = entry.key.clone();
        let actual = Actual::of(&entry.value);
        self.report(
            SchemaErrorKind::Kind {
                keyword,
                expected,
                actual,
            },
            entry.value.span,
        );
    }

    pub(super) fn unknown(&mut self, entry: &Entry) {
        if self.is_full() {
            return;
        }
        let keyword = entry.key.clone();
        let fix = match keyword.as_str() {
            _ if entry.is_bare() => Some("put text that contains a comma in quotes".to_owned()),
            "optional" => Some("list the others under `required`".to_owned()),
            word => keyword::suggestion(word).map(str::to_owned),
        };
        let sugar = self.sugar.then_some("optional");
        let known = keyword::KEYWORDS.iter().map(|(name, _)| *name).chain(sugar);
        let fix = fix.or_else(|| did_you_mean(&keyword, known));
        self.report(SchemaErrorKind::Unknown { keyword, fix }, entry.span);
    }
}

type Object = Map<String, Value>;

/// Maximum number of values of a skeleton; a larger one would not help.
const MAX_VALUES: usize = 100;
const MAX_DEPTH: usize = 8;

pub(super) fn object(schema: &Object) -> Option<Object> {
    match value(schema, 0, &mut 0)? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn value(schema: &Object, depth: usize, values: &mut usize) -> Option<Value> {
    *values += 1;
    if depth > MAX_DEPTH || *values > MAX_VALUES || schema.contains_key("$ref") {
        return None;
    }
    if let Some(first) = schema
        .get("enum")
        .and_then(Value::as_array)
        .and_then(|all| all.first())
    {
        return Some(first.clone());
    }
    if let Some(value) = schema.get("default").or_else(|| schema.get("example")) {
        return Some(value.clone());
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => properties(schema, depth, values),
        Some("array") => items(schema, depth, values),
        Some("boolean") => Some(json!(false)),
        Some("integer" | "number") => Some(number(schema)),
        _ => text(schema),
    }
}

fn properties(schema: &Object, depth: usize, values: &mut usize) -> Option<Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let mut result = Object::new();
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        let property = properties
            .and_then(|all| all.get(name))
            .and_then(Value::as_object);
        let inner = match property {
            Some(property) => value(property, depth + 1, values)?,
            None => json!("…"),
        };
        result.insert(name.to_owned(), inner);
    }
    Some(Value::Object(result))
}

fn items(schema: &Object, depth: usize, values: &mut usize) -> Option<Value> {
    let count = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    let items = schema.get("items").and_then(Value::as_object)?;
    match count {
        0 => Some(json!([])),
        1..=8 => (0..count)
            .map(|_| value(items, depth + 1, values))
            .collect(),
        _ => None,
    }
}

fn number(schema: &Object) -> Value {
    let least = schema
        .get("minimum")
        .filter(|least| least.as_f64() > Some(0.0));
    let most = schema
        .get("maximum")
        .filter(|most| most.as_f64() < Some(0.0));
    least.or(most).cloned().unwrap_or_else(|| json!(0))
}

fn text(schema: &Object) -> Option<Value> {
    if schema.contains_key("pattern") || schema.contains_key("format") {
        return None;
    }
    let least = schema
        .get("minLength")
        .and_then(Value::as_u64)
        .unwrap_or(1)
        .max(1);
    match usize::try_from(least) {
        Ok(least @ 1..=64) => Some(Value::String("…".repeat(least))),
        _ => None,
    }
}

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
    /// The message.
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
                .with_format("byte", expand::is_byte)
                .with_format("uuid", expand::is_uuid)
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

    /// Returns true if `value` is valid.
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
