//! The results of steps, by the names under which they were saved.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::path::{self, is_never_there};
use crate::violation::Violation;

/// What a step has left: `result`, `status`, `tool` and `error`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record(Map<String, Value>);

/// The records of a plan.
pub(crate) type Records = BTreeMap<String, Record>;

/// Reads the records under the key `results` of an input.
pub(crate) fn read(results: Option<Value>) -> Result<Records, Vec<Violation>> {
    let results = match results {
        None => return Ok(Records::new()),
        Some(Value::Object(results)) => results,
        Some(other) => return Err(vec![Violation::expected("/results", "an object", &other)]),
    };
    let mut violations = Vec::new();
    let mut records = Records::new();
    for (name, record) in results {
        if let Value::Object(record) = record {
            records.insert(name, Record(record));
        } else {
            let pointer = cogtools_core::pointer::child("/results", &name);
            violations.push(Violation::expected(
                pointer,
                "an object with a record",
                &record,
            ));
        }
    }
    if violations.is_empty() {
        Ok(records)
    } else {
        Err(violations)
    }
}

impl Record {
    /// The record in `value`, if that is an object.
    pub(crate) fn of(value: Value) -> Option<Self> {
        match value {
            Value::Object(record) => Some(Self(record)),
            _ => None,
        }
    }

    /// Whether the step has no result: it failed, or was skipped.
    pub(crate) fn has_failed(&self) -> bool {
        let status = self.0.get("status").and_then(Value::as_str);
        matches!(status, Some("failed" | "skipped"))
    }

    /// The value at `path`: the result itself if that is empty. The first segment is a key of
    /// the record or, if it lacks that, leads into its result.
    pub(crate) fn get(&self, path: Option<&str>) -> Option<Cow<'_, Value>> {
        let result = self.0.get("result");
        let Some(path) = path else {
            return result.map(Cow::Borrowed);
        };
        let (first, rest) = match path.split_once('.') {
            Some((first, rest)) => (first, Some(rest)),
            None => (path, None),
        };
        let own = self.0.get(first).filter(|_| !is_never_there(first));
        match (own, rest) {
            (Some(value), Some(rest)) => path::get(value, rest),
            (Some(value), None) => Some(Cow::Borrowed(value)),
            (None, _) => path::get(result?, path),
        }
    }
}
