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

use super::dialect::looks_around;
use super::keyword::{KeywordKind, json_schema_takes};
use super::message::{TOO_LONG, message};
use crate::pointer::child;

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
        let is_late = u128::from(self.spent.load(Ordering::Relaxed)) > MAX_TIME.as_nanos();
        let matcher = if is_late {
            None
        } else {
            self.matcher(text.len())
        };
        let Some(matcher) = matcher else {
            return Some(TOO_LONG.to_owned());
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

/// Returns true if it may have look-around or back-references. Any other expression that is taken
/// for one is compared in the same way, and costs nothing but a limit that it cannot reach.
fn backtracks(pattern: &str) -> bool {
    let is_reference = |at: usize| pattern[at + 1..].starts_with(|c| matches!(c, '1'..='9' | 'k'));
    looks_around(pattern) || pattern.match_indices('\\').any(|(at, _)| is_reference(at))
}

/// Renames the `pattern` of each such expression to [`KEYWORD`]; returns true if there is one.
pub(super) fn replace(schema: &mut Value) -> bool {
    let mut is_any = false;
    visit(schema, "", &mut |_, schema| {
        let pattern = schema.get("pattern").and_then(Value::as_str);
        if pattern.is_some_and(backtracks) {
            let renamed = |(keyword, value)| match keyword {
                keyword if keyword == "pattern" => (KEYWORD.to_owned(), value),
                keyword => (keyword, value),
            };
            *schema = std::mem::take(schema).into_iter().map(renamed).collect();
            is_any = true;
        }
    });
    is_any
}

/// Returns the pointer and the text of the first pattern that is none of ECMA-262.
pub(super) fn first_invalid(schema: &mut Value) -> Option<(String, String)> {
    let mut first = None;
    visit(schema, "", &mut |pointer, schema| {
        let pattern = schema.get("pattern").or_else(|| schema.get(KEYWORD));
        let pattern = pattern.and_then(Value::as_str);
        if let Some(pattern) = pattern.filter(|it| first.is_none() && compile(it, 1).is_none()) {
            first = Some((format!("{pointer}/pattern"), pattern.to_owned()));
        }
    });
    first
}

/// Keywords whose values are data.
const DATA: [&str; 5] = ["enum", "const", "default", "example", "examples"];

/// Calls `found` with every schema in `schema` and its pointer.
fn visit(schema: &mut Value, pointer: &str, found: &mut dyn FnMut(&str, &mut Map<String, Value>)) {
    match schema {
        Value::Array(schemas) => {
            for (index, schema) in schemas.iter_mut().enumerate() {
                visit(schema, &child(pointer, &index.to_string()), found);
            }
        }
        Value::Object(schema) => {
            found(pointer, schema);
            for (keyword, value) in schema {
                let pointer = child(pointer, keyword);
                let is_named = json_schema_takes(keyword) == Some(KeywordKind::Properties);
                match value {
                    Value::Object(schemas) if is_named => {
                        for (name, schema) in schemas {
                            visit(schema, &child(&pointer, name), found);
                        }
                    }
                    _ if DATA.contains(&keyword.as_str()) => {}
                    value => visit(value, &pointer, found),
                }
            }
        }
        _ => {}
    }
}
