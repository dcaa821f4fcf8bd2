//! Repairs of a schema of others, for people who wonder about a declaration.

use std::collections::{BTreeSet, HashSet};
use std::fmt::{self, Display, Formatter};

use serde_json::Value;

use crate::schema::Object;

/// Repairs of a schema: the keywords, wherever they are in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    added: BTreeSet<String>,
    translated: BTreeSet<String>,
    left_out: BTreeSet<String>,
}

/// Keywords of older drafts, and those that say the same in draft 2020-12.
const TRANSLATED: [(&str, &[&str]); 6] = [
    ("definitions", &["$defs"]),
    ("dependencies", &["dependentRequired", "dependentSchemas"]),
    ("items", &["prefixItems"]),
    ("additionalItems", &["items"]),
    ("minimum", &["exclusiveMinimum"]),
    ("maximum", &["exclusiveMaximum"]),
];
/// Maximum length of an unknown keyword in the text: its author is a stranger.
const MAX_KEYWORD_CHARS: usize = 40;
/// Maximum number of keywords of a kind that are noted.
const MAX_KEYWORDS: usize = 20;

impl Repairs {
    /// Returns true if nothing was repaired.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.translated.is_empty() && self.left_out.is_empty()
    }

    /// Returns true if nothing was repaired but extensions, which only their authors know.
    pub fn are_extensions(&self) -> bool {
        let is_extension = |keyword: &String| keyword.starts_with("x-");
        self.added.is_empty()
            && self.translated.is_empty()
            && self.left_out.iter().all(is_extension)
    }

    /// Notes that `keyword` was added.
    pub fn add(&mut self, keyword: &str) {
        note(&mut self.added, keyword);
    }

    /// Notes that a boolean was in the place of a schema.
    pub(super) fn boolean(&mut self) {
        note(&mut self.translated, "boolean schemas");
    }

    /// Notes how `result` differs from `schema`, of which it was made.
    pub(super) fn compare(&mut self, schema: &Object, result: &Object) {
        let mut successors = Vec::new();
        // A draft is no part of what a schema says.
        let missing = |keyword: &&String| !result.contains_key(*keyword) && *keyword != "$schema";
        for keyword in schema.keys().filter(missing) {
            let entry = TRANSLATED.iter().find(|(old, _)| old == keyword);
            let is_now = |now: &&str| result.contains_key(*now);
            match entry {
                Some((old, now)) if now.iter().any(is_now) => {
                    successors.extend(*now);
                    note(&mut self.translated, old);
                }
                _ => note(&mut self.left_out, keyword),
            }
        }
        let tuple = "prefixItems";
        if result.contains_key(tuple) && !schema.contains_key(tuple) {
            successors.push(&tuple);
            note(&mut self.translated, "items");
        }
        let is_new = |keyword: &&String| {
            !schema.contains_key(*keyword) && !successors.iter().any(|known| known == keyword)
        };
        for keyword in result.keys().filter(is_new) {
            note(&mut self.added, keyword);
        }
    }
}

impl Display for Repairs {
    /// Such as `added type; left out format, x-order`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts = [
            ("added", &self.added),
            ("translated", &self.translated),
            ("left out", &self.left_out),
        ];
        let parts = parts.iter().filter(|(_, keywords)| !keywords.is_empty());
        for (index, (what, keywords)) in parts.enumerate() {
            let keywords: Vec<&str> = keywords.iter().map(String::as_str).collect();
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{what} {}", keywords.join(", "))?;
        }
        Ok(())
    }
}

fn note(keywords: &mut BTreeSet<String>, keyword: &str) {
    if keywords.len() < MAX_KEYWORDS {
        keywords.insert(keyword.chars().take(MAX_KEYWORD_CHARS).collect());
    }
}

/// The names of types.
pub(super) const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// A non-negative integer, which some libraries write as `1.0`.
pub(super) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let text = value.as_f64()?.to_string();
        text.parse().ok()
    })
}

/// The strings in a list, each once; `None` without any.
pub(in crate::schema) fn names(value: &Value) -> Option<Value> {
    let mut seen = HashSet::new();
    let names = value.as_array()?.iter().filter_map(Value::as_str);
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    (!names.is_empty()).then(|| names.into())
}

/// The names of types in `value`.
pub(in crate::schema) fn types(value: &Value) -> Option<Value> {
    let name = |value: &Value| {
        let name = value.as_str()?.to_lowercase();
        TYPES.contains(&name.as_str()).then_some(name)
    };
    match value {
        Value::Array(names) => {
            let mut known: Vec<String> = Vec::new();
            for name in names.iter().filter_map(name) {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            (!known.is_empty()).then(|| known.into())
        }
        value => name(value).map(Value::from),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::schema::Schema;

    #[allow(
        clippy::needless_pass_by_value,
        reason = "a table reads better without borrows"
    )]
    fn check(schema: Value, expected: &str) {
        let repairs = Schema::repairs(schema.as_object().expect("an object"));
        assert_eq!(repairs.to_string(), expected, "{schema}");
        assert_eq!(repairs.is_empty(), expected.is_empty());
    }

    #[test]
    fn what_is_repaired_is_named() {
        check(
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            "",
        );
        check(
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}),
            "",
        );
        check(json!({}), "added type");
        check(
            json!({"properties": {"a": true}}),
            "added type; translated boolean schemas",
        );
        check(
            json!({"type": "object", "properties": {"a": {"type": "array"}}, "x-order": 1}),
            "added items; left out x-order",
        );
        check(
            json!({"type": "object", "definitions": {"a": {"type": "string"}},
                "properties": {"a": {"items": [{"type": "string"}], "additionalItems": {}},
                    "b": {"type": "number", "minimum": 1, "exclusiveMinimum": true}}}),
            "added type; translated additionalItems, definitions, items, minimum",
        );
        check(
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}),
            "left out pattern",
        );
    }

    #[test]
    fn what_strangers_write_is_bounded() {
        let mut schema = json!({"type": "object"});
        for number in 0..100 {
            schema[format!("x-{number}-{}", "x".repeat(1_000))] = 1.into();
        }
        let repairs = Schema::repairs(schema.as_object().expect("an object"));
        assert!(repairs.to_string().len() < 1_000, "{repairs}");
    }
}
