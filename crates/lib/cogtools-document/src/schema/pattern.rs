//! Patterns with look-around or back-references, which no engine matches in linear time.
//!
//! All other patterns are linear. For these the validator uses a keyword of its own, with a limit
//! of steps that shrinks as the text grows, and one of time for all of them together: a pattern
//! comes from the author of a tool, the text from a model.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use jsonschema::{Keyword, PatternOptions, ValidationError};
use serde_json::{Map, Value, json};

use super::keyword::{KeywordKind, json_schema_takes};
use super::message::message;

/// The keyword that takes the place of `pattern` in the schema for the validator.
pub(super) const KEYWORD: &str = "x-cogtools-pattern";

/// The limits of steps for texts of up to so many bytes: a step can cost as much as the text is
/// long, and the product stays about the same.
const STEPS: [(usize, usize); 4] = [
    (4 << 10, 20_000),
    (64 << 10, 1_250),
    (1 << 20, 80),
    (usize::MAX, 5),
];

/// The time that all such patterns may take in one validation.
const MAX_TIME: Duration = Duration::from_secs(2);

/// The time that such patterns have taken, in nanoseconds.
pub(super) type Spent = Arc<AtomicU64>;

/// A pattern that has to backtrack.
pub(super) struct Backtracking {
    pattern: String,
    spent: Spent,
    /// The pattern alone, compiled with each of the limits when it is needed.
    compiled: [OnceLock<Option<jsonschema::Validator>>; STEPS.len()],
}

impl Backtracking {
    pub(super) fn new(pattern: &str, spent: &Spent) -> Self {
        Self {
            pattern: pattern.to_owned(),
            spent: Arc::clone(spent),
            compiled: Default::default(),
        }
    }

    fn matcher(&self, length: usize) -> Option<&jsonschema::Validator> {
        let tier = STEPS.iter().position(|(most, _)| length <= *most)?;
        let compile = || compile(&self.pattern, STEPS[tier].1);
        self.compiled[tier].get_or_init(compile).as_ref()
    }

    /// The message of the violation by `value`, if it is one.
    fn violation(&self, value: &Value) -> Option<String> {
        let text = value.as_str()?;
        let too_long = || {
            let kind = "takes too long to compare with the pattern of this parameter";
            Some(kind.to_owned())
        };
        if u128::from(self.spent.load(Ordering::Relaxed)) > MAX_TIME.as_nanos() {
            return too_long();
        }
        let Some(matcher) = self.matcher(text.len()) else {
            return too_long();
        };
        let start = Instant::now();
        let result = matcher.validate(value);
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent.fetch_add(nanos, Ordering::Relaxed);
        result.err().map(|error| message(error.kind(), value))
    }
}

impl<'i> Keyword<'i> for Backtracking {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        match self.violation(value) {
            Some(message) => Err(ValidationError::custom(message)),
            None => Ok(()),
        }
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        self.violation(value).is_none()
    }
}

fn compile(pattern: &str, steps: usize) -> Option<jsonschema::Validator> {
    let engine = PatternOptions::fancy_regex().backtrack_limit(steps);
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft7);
    let options = options.with_pattern_options(engine).offline();
    options.build(&json!({ "pattern": pattern })).ok()
}

/// Returns true if the expression is one of ECMA-262.
pub(super) fn is_valid(pattern: &str) -> bool {
    compile(pattern, 1).is_some()
}

/// Returns true if it has look-around or back-references.
fn backtracks(pattern: &str) -> bool {
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(at) = rest.find(['\\', '[', ']', '(']) {
        let (c, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = after;
        match c {
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if in_class => {}
            b'(' => {
                if ["?=", "?!", "?<=", "?<!"]
                    .iter()
                    .any(|mark| rest.starts_with(mark))
                {
                    return true;
                }
            }
            _ => {
                if !in_class && rest.starts_with(|c: char| matches!(c, '1'..='9' | 'k')) {
                    return true;
                }
                let skipped = rest.chars().next().map_or(0, char::len_utf8);
                rest = &rest[skipped..];
            }
        }
    }
    false
}

/// Returns true if any schema in `schema` has such a pattern.
pub(super) fn any(schema: &Value) -> bool {
    let mut found = false;
    visit(schema, "", &mut |_, pattern| found |= backtracks(pattern));
    found
}

/// The pointer and the text of the first pattern that is not valid.
pub(super) fn first_invalid(schema: &Value) -> Option<(String, String)> {
    let mut first = None;
    visit(schema, "", &mut |pointer, pattern| {
        if first.is_none() && !is_valid(pattern) {
            first = Some((format!("{pointer}/pattern"), pattern.to_owned()));
        }
    });
    first
}

/// Keywords whose values are data.
const DATA: [&str; 5] = ["enum", "const", "default", "example", "examples"];

/// Returns true if the value of `keyword` maps names to schemas.
fn is_named(keyword: &str) -> bool {
    json_schema_takes(keyword) == Some(KeywordKind::Properties)
}

/// Calls `found` with every pattern in `schema` and the pointer of its schema.
fn visit(schema: &Value, pointer: &str, found: &mut dyn FnMut(&str, &str)) {
    let child = |key: &str| crate::pointer::child(pointer, key);
    match schema {
        Value::Array(schemas) => {
            for (index, schema) in schemas.iter().enumerate() {
                visit(schema, &child(&index.to_string()), found);
            }
        }
        Value::Object(schema) => {
            for (keyword, value) in schema {
                match (keyword.as_str(), value) {
                    ("pattern", Value::String(pattern)) => found(pointer, pattern),
                    (name, Value::Object(schemas)) if is_named(name) => {
                        for (name, schema) in schemas {
                            let pointer = crate::pointer::child(&child(keyword), name);
                            visit(schema, &pointer, found);
                        }
                    }
                    (name, _) if DATA.contains(&name) => {}
                    (_, value) => visit(value, &child(keyword), found),
                }
            }
        }
        _ => {}
    }
}

/// The schema with [`KEYWORD`] in the place of the `pattern` of each such expression.
pub(super) fn replaced(schema: Value) -> Value {
    match schema {
        Value::Array(schemas) => schemas.into_iter().map(replaced).collect(),
        Value::Object(schema) => {
            let entries = schema.into_iter().map(|(keyword, value)| match value {
                Value::String(pattern) if keyword == "pattern" && backtracks(&pattern) => {
                    (KEYWORD.to_owned(), Value::String(pattern))
                }
                Value::Object(schemas) if is_named(&keyword) => {
                    let schemas = schemas.into_iter();
                    let schemas = schemas.map(|(name, schema)| (name, replaced(schema)));
                    (keyword, Value::Object(schemas.collect()))
                }
                value if DATA.contains(&keyword.as_str()) => (keyword, value),
                value => (keyword, replaced(value)),
            });
            Value::Object(entries.collect::<Map<String, Value>>())
        }
        other => other,
    }
}
