//! Conditions on an argument of a call.

use cogtools_core::schema::Schema;
use fancy_regex::Regex;
use serde_json::{Map, Value};

/// A condition on a value.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    /// Equal JSON.
    Equals(Value),
    /// A part of a text, an element of a list, members of an object.
    Contains(Value),
    /// A pattern in a text.
    Matches(Box<Regex>),
    /// A number, and how far off it may be.
    Near(f64, f64),
    /// A schema of `{value: …}`.
    Schema(Box<Schema>),
    /// One of these.
    OneOf(Vec<Self>),
    /// True if it must not be sent.
    Absent(bool),
    /// All of these.
    All(Vec<Self>),
}

/// The keys of matchers.
pub(crate) const KEYS: [&str; 7] = [
    "equals", "contains", "matches", "near", "schema", "one_of", "absent",
];

impl Matcher {
    /// Returns true if a value holds: `sent` by the model, `resolved` with the defaults of the tool.
    pub(crate) fn holds(&self, sent: Option<&Value>, resolved: Option<&Value>) -> bool {
        match self {
            Self::Equals(expected) => sent.or(resolved).is_some_and(|value| same(value, expected)),
            Self::Absent(absent) => sent.is_none() == *absent,
            Self::OneOf(all) => all.iter().any(|one| one.holds(sent, resolved)),
            Self::All(all) => all.iter().all(|one| one.holds(sent, resolved)),
            Self::Contains(part) => sent.is_some_and(|value| contains(value, part)),
            Self::Matches(pattern) => {
                let text = sent.and_then(Value::as_str);
                text.is_some_and(|text| pattern.is_match(text).unwrap_or(false))
            }
            Self::Near(expected, within) => {
                let number = sent.and_then(Value::as_f64);
                number.is_some_and(|number| (number - expected).abs() <= *within)
            }
            Self::Schema(schema) => sent.is_some_and(|value| accepts(schema, value)),
        }
    }
}

/// Returns true if `value` matches a schema of `{value: …}`.
pub(crate) fn accepts(schema: &Schema, value: &Value) -> bool {
    let wrapped = Value::Object(Map::from_iter([("value".to_owned(), value.clone())]));
    schema
        .validator()
        .is_ok_and(|validator| validator.accepts(&wrapped))
}

/// The value of a property, or at a JSON pointer.
pub(crate) fn at<'v>(arguments: &'v Value, key: &str) -> Option<&'v Value> {
    if key.starts_with('/') {
        arguments.pointer(key)
    } else {
        arguments.get(key)
    }
}

/// Compares JSON by value: 1 is 1.0, and the order of keys is free.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.is_f64() != other.is_f64() && one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len() && has_members(one, other)
        }
        (one, other) => one == other,
    }
}

fn has_members(all: &Map<String, Value>, some: &Map<String, Value>) -> bool {
    some.iter()
        .all(|(key, value)| all.get(key).is_some_and(|own| same(own, value)))
}

fn contains(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::Array(items), part) => items.iter().any(|item| same(item, part)),
        (Value::Object(all), Value::Object(some)) => has_members(all, some),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_compared_by_value() {
        for (one, other, expected) in [
            (json!(1), json!(1.0), true),
            (json!({"a": 1, "b": [2.0]}), json!({"b": [2], "a": 1}), true),
            (
                json!(9_007_199_254_740_993_i64),
                json!(9_007_199_254_740_992_i64),
                false,
            ),
            (json!("1"), json!(1), false),
            (json!([1, 2]), json!([2, 1]), false),
        ] {
            assert_eq!(same(&one, &other), expected, "{one} {other}");
        }
    }

    #[test]
    fn parts_are_substrings_elements_and_members() {
        for (value, part, expected) in [
            (json!("Berlin"), json!("erl"), true),
            (json!(["a", 1]), json!(1.0), true),
            (json!({"a": 1, "b": 2}), json!({"b": 2}), true),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), false),
            (json!("12"), json!(1), false),
        ] {
            assert_eq!(contains(&value, &part), expected, "{value} {part}");
        }
    }

    #[test]
    fn a_default_equals_what_was_not_sent() {
        let metric = json!("metric");
        let equals = Matcher::Equals(metric.clone());
        assert!(equals.holds(None, Some(&metric)));
        assert!(!equals.holds(None, None));
        assert!(!equals.holds(Some(&json!("us")), Some(&metric)));
        assert!(!Matcher::Contains(metric.clone()).holds(None, Some(&metric)));
        assert!(Matcher::Absent(true).holds(None, Some(&metric)));
    }
}
