//! Converts the JSON of a host to values.

use std::sync::Arc;

use minijinja::value::Value;
use serde_json::Value as Json;

use super::array::Array;
use super::dict::{Dict, Entries};
use super::number;
use crate::error::{Error, ErrorKind};

/// The maximum nesting of a context; `serde_json` itself reads 128 levels.
const MAX_DEPTH: u32 = 200;

/// `json` as a value.
pub(crate) fn from_json(json: &Json) -> Result<Value, Error> {
    convert(json, 0)
}

fn convert(json: &Json, depth: u32) -> Result<Value, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::new(
            ErrorKind::TooDeep,
            "the context is nested too deeply",
        ));
    }
    Ok(match json {
        Json::Null => Value::from(()),
        Json::Bool(value) => Value::from(*value),
        Json::Number(value) => {
            exact(value).unwrap_or_else(|| number::make(value.as_f64().unwrap_or(f64::NAN)))
        }
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => {
            let items = items.iter().map(|item| convert(item, depth + 1));
            Value::from_object(Array::new(items.collect::<Result<_, _>>()?))
        }
        Json::Object(entries) => {
            let mut values = Entries::with_capacity(entries.len());
            for (key, value) in entries {
                values.insert(Arc::from(key.as_str()), convert(value, depth + 1)?);
            }
            Value::from_object(Dict::new(values))
        }
    })
}

/// An integer that no `f64` may hold, which prints as it is and is rounded by arithmetic.
fn exact(number: &serde_json::Number) -> Option<Value> {
    let is_large = |size: u64| size > 1 << 53;
    match (number.as_i64(), number.as_u64()) {
        (Some(signed), _) if is_large(signed.unsigned_abs()) => Some(Value::from(signed)),
        (None, Some(unsigned)) => Some(Value::from(unsigned)),
        _ => None,
    }
}
