//! Paths into a value: keys, indexes and lengths, separated by dots.

use std::borrow::Cow;

use serde_json::Value;

/// What a path leads to: a value of the tree, or the length of an array.
pub(crate) fn get<'v>(value: &'v Value, path: &str) -> Option<Cow<'v, Value>> {
    let mut here = Cow::Borrowed(value);
    for segment in path.split('.') {
        let Cow::Borrowed(value) = here else {
            // A length has no parts.
            return None;
        };
        here = step(value, segment)?;
    }
    Some(here)
}

fn step<'v>(value: &'v Value, segment: &str) -> Option<Cow<'v, Value>> {
    match value {
        Value::Object(object) if !is_never_there(segment) => object.get(segment).map(Cow::Borrowed),
        Value::Array(items) if segment == "length" => Some(Cow::Owned(items.len().into())),
        Value::Array(items) => items.get(index(segment)?).map(Cow::Borrowed),
        _ => None,
    }
}

/// The index that `segment` is in its only spelling.
fn index(segment: &str) -> Option<usize> {
    let index: usize = segment.parse().ok()?;
    (index.to_string() == segment).then_some(index)
}

/// Whether every object of JavaScript inherits a property of that name: a path to it would
/// mean something else there.
pub(crate) fn is_never_there(segment: &str) -> bool {
    matches!(segment, "" | "constructor" | "prototype")
        || segment.len() > 4 && segment.starts_with("__") && segment.ends_with("__")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_to_what_is_there_and_to_nothing_else() {
        let value =
            json!({"a": {"b": [10, {"c": null}]}, "s": "text", "0": 1, "__proto__": {"x": 1}});
        for (path, expected) in [
            ("a.b.0", Some(json!(10))),
            ("a.b.1.c", Some(json!(null))),
            ("a.b.length", Some(json!(2))),
            ("0", Some(json!(1))),
            ("a.b.length.x", None),
            ("a.b.2", None),
            ("a.b.00", None),
            ("a.b.+1", None),
            ("a.b.-1", None),
            ("a.b.18446744073709551616", None),
            ("s.length", None),
            ("s.0", None),
            ("a..b", None),
            ("", None),
            ("a.", None),
            ("__proto__.x", None),
            ("constructor", None),
            ("toString", None),
        ] {
            assert_eq!(get(&value, path).map(Cow::into_owned), expected, "{path}");
        }
    }
}
