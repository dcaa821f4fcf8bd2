//! Checks of the values of single keywords.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use jsonschema::{Draft, ValidationOptions};
use serde_json::{Map, Value, json};

use crate::schema::error::SchemaErrorKind;
use crate::schema::expand::{self, Expander};
use crate::schema::keyword::{self, KeywordKind, LISTS};
use crate::schema::pattern::{self, Backtracking, Spent};
use crate::schema::violation::{self, Violation};
use crate::schema::{Object, Schema, required};
use crate::suggest::Suggestion;
use crate::yaml::{Entry, Node};
use crate::{Actual, Code, Diagnostic, Expected, Hint};

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
                    SchemaErrorKind::Kind(keyword, Expected::Names, Actual::Other(item.kind())),
                    item.span,
                ),
                Some(name) if !seen.insert(name) => {
                    let kind = SchemaErrorKind::Repeated(keyword, format!("`{name}`"));
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
        let actual = Actual::of(&entry.value);
        let kind = SchemaErrorKind::Kind(entry.key.clone(), expected, actual);
        self.report(kind, entry.value.span);
    }

    pub(super) fn unknown(&mut self, entry: &Entry) {
        if self.is_full() {
            return;
        }
        let keyword = entry.key.clone();
        let fix = match keyword.as_str() {
            _ if entry.is_bare() => Some("put text that contains a comma in quotes".into()),
            "optional" => Some("list the others under `required`".into()),
            word => keyword::suggestion(word).map(Hint::from),
        };
        let sugar = self.sugar.then_some("optional");
        let known = keyword::KEYWORDS.iter().map(|(name, _)| *name).chain(sugar);
        let fix = fix.or_else(|| Suggestion::of(&keyword, known).map(Hint::from));
        self.report(SchemaErrorKind::Unknown(keyword, fix), entry.span);
    }
}

/// Maximum number of values of a skeleton; a larger one would not help.
const MAX_VALUES: usize = 100;
const MAX_DEPTH: usize = 8;

impl Schema {
    /// A validator for arguments.
    pub fn validator(&self) -> Result<Validator, InvalidSchema> {
        let options = jsonschema::options()
            .should_validate_formats(true)
            .offline();
        // Draft 2020-12 has `uuid`, and leaves `byte` to those who use it.
        let options = if self.is_recovered() {
            options.with_draft(Draft::Draft202012)
        } else {
            options
                .with_draft(Draft::Draft7)
                .with_format("byte", expand::is_byte)
                .with_format("uuid", expand::is_uuid)
        };
        Validator::build(self.validation_schema(), options)
    }

    /// The smallest valid arguments, with placeholders for text; `None` when they cannot
    /// be generated.
    pub fn skeleton(&self) -> Option<Map<String, Value>> {
        match value(&self.object, 0, &mut 0)? {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }
}

fn value(schema: &Object, depth: usize, values: &mut usize) -> Option<Value> {
    *values += 1;
    if depth > MAX_DEPTH || *values > MAX_VALUES || schema.contains_key("$ref") {
        return None;
    }
    if let Some(first) = schema.get("enum").and_then(|all| all.get(0)) {
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
    let mut result = Object::new();
    for name in required(schema) {
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
    let least = schema.get("minLength").and_then(Value::as_u64);
    let least = least.unwrap_or(1).max(1);
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
    /// Makes the diagnostic, with the place in the schema.
    pub fn diagnostic(self) -> Diagnostic {
        Diagnostic::new(Code::InvalidTool, self.message).with_pointer(self.pointer)
    }

    /// The first pattern of `schema` that is not a regular expression.
    fn of_pattern(schema: &mut Value) -> Option<Self> {
        let (pointer, pattern) = pattern::first_invalid(schema)?;
        let message = format!("`{pattern}` is not a regular expression of ECMA-262");
        Some(Self { pointer, message })
    }
}

/// The number of schemas that one value is checked against. References can make it exponential in
/// the size of a schema, and a validation cannot be ended.
#[derive(Default)]
struct Steps<'s> {
    /// The schemas with a name: an anchor, or an identifier.
    named: HashMap<&'s str, &'s Value>,
    /// The steps of schemas, by their addresses.
    counted: HashMap<usize, usize>,
}

impl<'s> Steps<'s> {
    /// About a second of validation.
    const MAX: usize = 100_000;
    /// The longest way through references.
    const MAX_DEPTH: usize = 256;

    /// Counts the steps of the part of `root` that has the most.
    fn of(root: &'s Value) -> usize {
        let (mut steps, mut all, mut at) = (Self::default(), vec![root], 0);
        let mut has_references = false;
        while let Some(value) = all.get(at).copied() {
            at += 1;
            match value {
                Value::Array(items) => all.extend(items),
                Value::Object(object) => {
                    all.extend(object.values());
                    has_references |= object.contains_key("$ref");
                    let names = ["$id", "$anchor", "$dynamicAnchor"];
                    let names = names.iter().filter_map(|key| object.get(*key)?.as_str());
                    steps.named.extend(names.map(|name| (name, value)));
                }
                _ => {}
            }
        }
        has_references |= !steps.named.is_empty();
        if !has_references {
            return 0;
        }
        let counts = all.iter().map(|value| steps.count(value, root, 0));
        counts.max().unwrap_or_default()
    }

    fn count(&mut self, schema: &'s Value, root: &'s Value, depth: usize) -> usize {
        let Some(object) = schema.as_object() else {
            return 1;
        };
        if depth > Self::MAX_DEPTH {
            return usize::MAX;
        }
        let address = std::ptr::from_ref(schema).addr();
        if let Some(count) = self.counted.get(&address) {
            return *count;
        }
        // One that contains itself is counted once.
        self.counted.insert(address, 0);
        let lists = LISTS.iter().filter_map(|key| object.get(*key)?.as_array());
        let lists = lists.flatten();
        let single = ["not", "if", "then", "else"].into_iter();
        let single = single.filter_map(|key| object.get(key));
        let maps = ["dependentSchemas", "dependencies"].into_iter();
        let maps = maps.filter_map(|key| object.get(key)?.as_object());
        let mut parts: Vec<&'s Value> = lists.chain(single).collect();
        parts.extend(maps.flat_map(Map::values));
        for key in ["$ref", "$dynamicRef"] {
            let reference = object.get(key).and_then(Value::as_str);
            parts.extend(reference.and_then(|it| self.target(it, root)));
        }
        let counts = parts
            .into_iter()
            .map(|part| self.count(part, root, depth + 1));
        let count = counts.fold(1, usize::saturating_add);
        self.counted.insert(address, count);
        count
    }

    /// Returns the schema that `reference` names.
    fn target(&self, reference: &str, root: &'s Value) -> Option<&'s Value> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = match base {
            "" => root,
            name => self.named.get(name)?,
        };
        match fragment {
            "" => Some(base),
            pointer if pointer.starts_with('/') => base.pointer(pointer),
            anchor => self.named.get(anchor).copied(),
        }
    }
}

impl Validator {
    fn build(mut schema: Value, mut options: ValidationOptions<'_>) -> Result<Self, InvalidSchema> {
        let spent = Spent::default();
        if Steps::of(&schema) > Steps::MAX {
            let message = format!(
                "it checks one value against more than {} schemas",
                Steps::MAX
            );
            let pointer = String::new();
            return Err(InvalidSchema { pointer, message });
        }
        if pattern::replace(&mut schema) {
            if let Some(invalid) = InvalidSchema::of_pattern(&mut schema) {
                return Err(invalid);
            }
            let spent = Arc::clone(&spent);
            options = options.with_keyword(pattern::KEYWORD, move |_, pattern, _| {
                let pattern = pattern.as_str().unwrap_or_default();
                Ok(Box::new(Backtracking::new(pattern, &spent)))
            });
        }
        let built = options.build(&schema);
        built.map(|inner| Self { inner, spent }).map_err(|error| {
            // The error can be that of a schema around the pattern.
            InvalidSchema::of_pattern(&mut schema).unwrap_or_else(|| InvalidSchema {
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
        let errors = self.inner.iter_errors(value);
        let found = errors.flat_map(|error| violation::from_error(schema, &error));
        let mut found: Vec<Violation> = found.take(Diagnostic::MAX_SHOWN + 1).collect();
        let properties = schema.as_object().get("properties");
        let properties = properties.and_then(Value::as_object);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixty definitions, each twice the next one, which `reference` names.
    fn doubled(
        define: impl Fn(usize, Value) -> Value,
        reference: impl Fn(usize) -> Value,
    ) -> Value {
        let part = |at| define(at, json!([reference(at + 1), reference(at + 1)]));
        let defs: Map<String, Value> = (0..60).map(|at| (format!("d{at}"), part(at))).collect();
        json!({"properties": {"x": reference(0)}, "$defs": defs})
    }

    #[test]
    fn exponential_schemas_are_found() {
        let pointer = |at| json!({"$ref": format!("#/$defs/d{at}")});
        let anchor = |at| json!({"$ref": format!("#a{at}")});
        let anchored = |at, parts| json!({"$anchor": format!("a{at}"), "oneOf": parts});
        for schema in [
            doubled(|_, parts| json!({"allOf": parts}), pointer),
            doubled(anchored, anchor),
        ] {
            assert!(Steps::of(&schema) > Steps::MAX);
        }
    }

    #[test]
    fn a_schema_that_is_itself_ends() {
        let cycle = json!({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]});
        let schema = json!({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": cycle}});
        let options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline();
        let validator = Validator::build(schema, options).expect("it is no bomb");
        assert!(validator.inner.is_valid(&json!({"x": 1})));
    }

    #[test]
    fn usual_schemas_are_not() {
        let tree = json!({"properties": {"children": {"items": {"$ref": "#"}}}});
        let node = json!({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/node"}]});
        let own = json!({"$defs": {"node": node}, "properties": {"n": {"$ref": "#/$defs/node"}}});
        for schema in [tree, own, json!({"$ref": "https://example.org/s"})] {
            assert!(Steps::of(&schema) < 10, "{schema}");
        }
    }
}
