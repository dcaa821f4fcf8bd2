//! Strict JSON: a duplicate key in an object is an error.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value};

/// Maximum number of values in a text: a validator may need several hundred bytes for
/// each.
const MAX_VALUES: usize = 1_000_000;

/// Maximum nesting of arrays and objects.
const MAX_DEPTH: usize = 127;

/// The levels around a value that one program of cogtools writes for another.
const OWN_DEPTH: usize = 4;

/// Why a text is not one JSON value.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct JsonError {
    /// The parser's error.
    pub error: serde_json::Error,
    /// The limit it exceeds, if it is valid JSON so far.
    pub bound: Option<Bound>,
}

/// A limit on JSON texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Bound {
    /// Too many values.
    #[error("more than {MAX_VALUES} values")]
    Values,
    /// Too deep nesting.
    #[error("more than {MAX_DEPTH} levels of nesting")]
    Depth,
}

/// Parses the JSON value in `text`.
pub fn parse(text: &str) -> Result<Value, JsonError> {
    let bounds = Bounds::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // `Strict` has its own limit, which is reported as a `Bound`.
    deserializer.disable_recursion_limit();
    let value = Strict {
        bounds: &bounds,
        left: MAX_DEPTH,
    }
    .deserialize(&mut deserializer);
    value
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| JsonError {
            error,
            bound: bounds.exceeded.get(),
        })
}

/// Reads what one program of cogtools writes for another: values that are nested as deeply as they
/// may be, and its own levels around them.
///
/// # Errors
/// It is not JSON, or not a `T`.
pub fn read_own<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    let bounds = Bounds::default();
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    deserializer.disable_recursion_limit();
    let value = Strict {
        bounds: &bounds,
        left: MAX_DEPTH + OWN_DEPTH,
    }
    .deserialize(&mut deserializer)?;
    deserializer.end()?;
    T::deserialize(value)
}

/// Returns the object that `value` is; an empty one in the place of anything else.
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// `json` with U+FFFD for each escape of half of a surrogate pair.
pub fn well_formed(json: String) -> String {
    if !["\\ud", "\\uD"].iter().any(|start| json.contains(start)) {
        return json;
    }
    let unit = |escape: &str| {
        let digits = escape.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut text = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let (end, is_half) = match unit(escape) {
            Some(0xD800..0xDC00) if matches!(unit(&escape[6..]), Some(0xDC00..0xE000)) => {
                (12, false)
            }
            Some(unit) => (6, matches!(unit, 0xD800..0xE000)),
            None => (escape.floor_char_boundary(2), false),
        };
        text.push_str(if is_half { "\u{FFFD}" } else { &escape[..end] });
        rest = &escape[end..];
    }
    text + rest
}

/// Parses the JSON value in `text`, in which no integer is rounded because it has more than 64 bits.
pub fn parse_exact(text: &str) -> Result<Value, JsonError> {
    let value = parse(text)?;
    let Some((at, integer)) = rounded_integer(text) else {
        return Ok(value);
    };
    let (line, column) = (
        text[..at].matches('\n').count(),
        at - text[..at].rfind('\n').map_or(0, |it| it + 1),
    );
    // The parser's errors have their place at the end, and take it from there.
    let place = format!("at line {} column {}", line + 1, column + 1);
    let error = format!("`{integer}` does not fit in 64 bits {place}");
    Err(JsonError {
        error: Error::custom(error),
        bound: None,
    })
}

/// The first integer in `text`, which is JSON, that no type with 64 bits has, and its offset.
fn rounded_integer(text: &str) -> Option<(usize, &str)> {
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let rest = &text.as_bytes()[at..];
        let is_number = |byte: &&u8| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9');
        at += match byte {
            b'"' => {
                let mut is_escaped = true;
                let is_end = |byte: &u8| {
                    let is_end = *byte == b'"' && !is_escaped;
                    is_escaped = *byte == b'\\' && !is_escaped;
                    is_end
                };
                rest.iter().position(is_end)? + 1
            }
            b'-' | b'0'..=b'9' => {
                let length = rest.iter().take_while(is_number).count();
                let number = &text[at..at + length];
                let is_float = |float| format!("{float:.0}") == number;
                let fits = number.parse::<i64>().is_ok()
                    || number.parse::<u64>().is_ok()
                    || number.parse::<f64>().is_ok_and(is_float);
                if !fits && !number.contains(['.', 'e', 'E']) {
                    return Some((at, number));
                }
                length
            }
            _ => 1,
        };
    }
    None
}

/// The number of values so far, and the limit that was exceeded.
#[derive(Default)]
struct Bounds {
    values: Cell<usize>,
    exceeded: Cell<Option<Bound>>,
}

/// Reads one value with at most `left` arrays and objects within each other.
#[derive(Clone, Copy)]
struct Strict<'b> {
    bounds: &'b Bounds,
    left: usize,
}

impl Strict<'_> {
    /// The reader of the values in an array or an object.
    fn inner<E: Error>(self) -> Result<Self, E> {
        let Some(left) = self.left.checked_sub(1) else {
            self.bounds.exceeded.set(Some(Bound::Depth));
            // The parser's own message for its limit.
            return Err(E::custom("recursion limit exceeded"));
        };
        Ok(Self { left, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let Bounds { values, exceeded } = self.bounds;
        values.set(values.get() + 1);
        if values.get() > MAX_VALUES {
            exceeded.set(Some(Bound::Values));
            return Err(D::Error::custom(Bound::Values));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).map(Value::Number);
        number.ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut object = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate key `{key}`")));
            }
            let value = access.next_value_seed(inner)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// Replaces the texts and the keys in `value` by `replace`, which returns true for each that it
/// changes. A number is a text, too, and becomes one if it is changed. Returns true if any changed.
pub fn replace_texts(value: &mut Value, replace: &mut impl FnMut(&mut String) -> bool) -> bool {
    match value {
        Value::String(text) => replace(text),
        Value::Number(number) => {
            let mut text = number.to_string();
            let is_changed = replace(&mut text);
            if is_changed {
                *value = text.into();
            }
            is_changed
        }
        Value::Array(items) => items.iter_mut().fold(false, |is_changed, item| {
            replace_texts(item, replace) | is_changed
        }),
        Value::Object(fields) => {
            let mut is_changed = false;
            for (mut key, mut value) in std::mem::take(fields) {
                is_changed |= replace(&mut key);
                is_changed |= replace_texts(&mut value, replace);
                fields.insert(key, value);
            }
            is_changed
        }
        Value::Null | Value::Bool(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(), Option<Bound>>) {
        let found = parse(text).map(drop).map_err(|error| error.bound);
        assert_eq!(found, expected, "{} bytes", text.len());
    }

    #[test]
    fn own_levels_are_around_what_is_nested_as_deeply_as_it_may_be() {
        let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let task = format!(r#"{{"arguments": {{"a": {}}}}}"#, nested(MAX_DEPTH - 1));
        assert!(read_own::<Value>(task.as_bytes()).is_ok());
        assert!(read_own::<Map<String, Value>>(b"[1]").is_err());
        assert!(read_own::<Value>(b"1 2").is_err());
        let bomb = nested(1_000_000);
        let error = read_own::<Value>(bomb.as_bytes()).expect_err("too deep");
        assert!(error.to_string().contains("recursion limit exceeded"));
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced() {
        for (json, expected) in [
            (r#""a""#, r#""a""#),
            (r#""\ud800""#, "\"\u{FFFD}\""),
            (r#""\uD83D\uDE00\uDE00""#, "\"\\uD83D\\uDE00\u{FFFD}\""),
            (r#""\udfff\ud7ffx\n""#, "\"\u{FFFD}\\ud7ffx\\n\""),
            (r#""\\ud800""#, r#""\\ud800""#),
            (r#""\\\ud800""#, "\"\\\\\u{FFFD}\""),
            (r#"{"\udc00":"é"}"#, "{\"\u{FFFD}\":\"é\"}"),
            (r#""\u12é\"#, r#""\u12é\"#),
            (r#""\é"#, r#""\é"#),
        ] {
            assert_eq!(well_formed(json.to_owned()), expected, "{json}");
        }
    }

    #[test]
    fn integers_have_64_bits() {
        for (text, expected) in [
            (
                "[18446744073709551615, -9223372036854777856, 18446744073709551616, 1e29, 2.5]",
                Ok(()),
            ),
            (
                r#"{"a\"1": "\\", "99999999999999999999": "99999999999999999999"}"#,
                Ok(()),
            ),
            ("[1,\n \"\", 18446744073709551617]", Err((2, 6))),
            ("-9223372036854775809", Err((1, 1))),
        ] {
            let found = parse_exact(text).map(drop);
            let place = |it: JsonError| (it.error.line(), it.error.column());
            assert_eq!(found.map_err(place), expected, "{text}");
        }
    }

    #[test]
    fn an_exceeded_limit_is_distinguished_from_a_syntax_error() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        check(&nested(MAX_DEPTH), Ok(()));
        check(&nested(MAX_DEPTH + 1), Err(Some(Bound::Depth)));
        let objects = r#"{"a":"#.repeat(MAX_DEPTH + 1);
        check(&objects, Err(Some(Bound::Depth)));
        // At the deepest level permitted, a syntax error is reported as such.
        check(&format!("{}1 [", "[".repeat(MAX_DEPTH)), Err(None));
        check(r#"{"more than ": 1, "more than ": 2}"#, Err(None));
        let list = |values: usize| format!("[{}0]", "0,".repeat(values - 1));
        check(&list(MAX_VALUES - 1), Ok(()));
        check(&list(MAX_VALUES), Err(Some(Bound::Values)));
    }
}
