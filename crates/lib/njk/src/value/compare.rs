//! JavaScript's comparisons: `===`, `==` and the order of values.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Value;
use super::text::{to_number, to_primitive};
use crate::error::Error;
use crate::runtime::Runtime;

/// `===`.
pub(crate) fn strict(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        #[allow(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
        (Value::Number(left), Value::Number(right)) => left.value == right.value,
        (Value::Text(left), Value::Text(right)) => left == right,
        (Value::Safe(left), Value::Safe(right)) => Rc::ptr_eq(left, right),
        (Value::Array(left), Value::Array(right)) => Rc::ptr_eq(left, right),
        (Value::Dict(left), Value::Dict(right)) => Rc::ptr_eq(left, right),
        (Value::Function(left), Value::Function(right)) => Rc::ptr_eq(left, right),
        (Value::Regex(left), Value::Regex(right)) => Rc::ptr_eq(left, right),
        (Value::Special(left), Value::Special(right)) => {
            std::ptr::addr_eq(Rc::as_ptr(left), Rc::as_ptr(right))
        }
        _ => false,
    }
}

/// `==`.
pub(crate) fn loose(left: &Value, right: &Value, runtime: &Runtime) -> Result<bool, Error> {
    let is_object = |value: &Value| {
        !matches!(
            value,
            Value::Undefined | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_)
        )
    };
    if !left.is_present() || !right.is_present() {
        return Ok(!left.is_present() && !right.is_present());
    }
    match (left, right) {
        (Value::Number(_), Value::Number(_))
        | (Value::Text(_), Value::Text(_))
        | (Value::Bool(_), Value::Bool(_)) => Ok(strict(left, right)),
        _ if is_object(left) && is_object(right) => Ok(strict(left, right)),
        (Value::Bool(flag), _) => loose(&Value::from(f64::from(*flag)), right, runtime),
        (_, Value::Bool(flag)) => loose(left, &Value::from(f64::from(*flag)), runtime),
        _ if is_object(left) || is_object(right) => {
            let (left, right) = (to_primitive(left, runtime)?, to_primitive(right, runtime)?);
            loose(&left, &right, runtime)
        }
        #[allow(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
        _ => Ok(to_number(left, runtime)? == to_number(right, runtime)?),
    }
}

/// The order of two values for `<` and the like; `None` if they are not
/// comparable.
pub(crate) fn order(
    left: &Value,
    right: &Value,
    runtime: &Runtime,
) -> Result<Option<Ordering>, Error> {
    let (left, right) = (to_primitive(left, runtime)?, to_primitive(right, runtime)?);
    if let (Some(left), Some(right)) = (left.as_str(), right.as_str()) {
        return Ok(Some(texts(left, right)));
    }
    Ok(to_number(&left, runtime)?.partial_cmp(&to_number(&right, runtime)?))
}

/// The order of two strings, by UTF-16 units.
pub(crate) fn texts(left: &str, right: &str) -> Ordering {
    if left.is_ascii() && right.is_ascii() {
        left.cmp(right)
    } else {
        left.encode_utf16().cmp(right.encode_utf16())
    }
}
