//! `$ref` within a schema: a JSON pointer that begins with `#`.
//!
//! A tool file cannot refer to other documents. As in OpenAPI 3.0, the siblings of a
//! `$ref` are ignored. The number of schemas behind references is limited: a few of
//! them could keep a validator busy forever.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::error::SchemaErrorKind;
use super::keyword::{self, KeywordKind};
use crate::pointer::segments;

type Object = Map<String, Value>;

/// How many references may follow each other without reaching a value.
const MAX_CHAIN: usize = 32;
/// How many schemas one value may be validated against.
const MAX_SCHEMAS: usize = 10_000;

/// Checks the references of one schema.
#[derive(Default)]
pub(super) struct Checker<'s> {
    /// How many schemas a value is validated against at each target.
    counts: HashMap<&'s str, usize>,
    /// The targets on the path to the current schema.
    path: Vec<&'s str>,
}

/// The schema at `target`, reached through keywords that contain schemas.
pub(super) fn resolve<'s>(root: &'s Object, target: &str) -> Option<&'s Object> {
    let pointer = target.strip_prefix('#')?;
    if !(pointer.is_empty() || pointer.starts_with('/')) {
        return None;
    }
    let path = segments(pointer);
    let mut segments = path.iter();
    let mut schema = root;
    while let Some(keyword) = segments.next() {
        let value = schema.get(keyword.as_str())?;
        let inner = match keyword::takes(keyword)? {
            KeywordKind::Schema | KeywordKind::SchemaOrFlag => value,
            KeywordKind::Schemas => value.get(segments.next()?.parse::<usize>().ok()?)?,
            KeywordKind::Properties => value.get(segments.next()?)?,
            _ => return None,
        };
        schema = inner.as_object()?;
    }
    Some(schema)
}

/// `schema`, or the schema that its reference leads to.
pub(super) fn target<'s>(root: &'s Object, schema: &'s Object) -> Option<&'s Object> {
    let mut schema = schema;
    for _ in 0..=MAX_CHAIN {
        let Some(target) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        schema = resolve(root, target)?;
    }
    None
}

impl<'s> Checker<'s> {
    /// Checks that `target` is a schema and does not lead back to itself.
    pub(super) fn check(
        &mut self,
        root: &'s Object,
        target: &'s str,
    ) -> Result<(), SchemaErrorKind> {
        self.follow(root, target).map(drop)
    }

    /// Checks that validation against the whole schema terminates.
    pub(super) fn check_root(&mut self, root: &'s Object) -> Result<(), SchemaErrorKind> {
        self.count(root, root).map(drop)
    }

    fn follow(&mut self, root: &'s Object, target: &'s str) -> Result<usize, SchemaErrorKind> {
        if let Some(count) = self.counts.get(target) {
            return Ok(*count);
        }
        if self.path.contains(&target) {
            return Err(SchemaErrorKind::Circular(target.to_owned()));
        }
        if self.path.len() >= MAX_CHAIN {
            return Err(SchemaErrorKind::TooFar(target.to_owned()));
        }
        let schema =
            resolve(root, target).ok_or_else(|| SchemaErrorKind::Reference(target.to_owned()))?;
        self.path.push(target);
        let count = self.count(root, schema);
        self.path.pop();
        let count = count?;
        if count > MAX_SCHEMAS {
            return Err(SchemaErrorKind::TooFar(target.to_owned()));
        }
        self.counts.insert(target, count);
        Ok(count)
    }

    /// How many schemas a value is validated against with `schema`.
    fn count(&mut self, root: &'s Object, schema: &'s Object) -> Result<usize, SchemaErrorKind> {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            return Ok(self.follow(root, target)?.saturating_add(1));
        }
        let mut sum: usize = 1;
        for (keyword, value) in schema {
            let parts = match (keyword.as_str(), value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => parts.as_slice(),
                ("not", part) => std::slice::from_ref(part),
                _ => continue,
            };
            for part in parts.iter().filter_map(Value::as_object) {
                sum = sum.saturating_add(self.count(root, part)?);
            }
        }
        Ok(sum)
    }
}
