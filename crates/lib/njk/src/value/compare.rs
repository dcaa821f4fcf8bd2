//! JavaScript's comparisons: `===`, `==` and the order of values.

use std::cmp::Ordering;

use minijinja::value::Value;

use super::text::{to_number, to_primitive};
use super::{View, is_present, number, view};
use crate::error::Error;
use crate::runtime::Runtime;

/// `===`.
pub(crate) fn strict(left: &Value, right: &Value) -> bool {
    match (view(left), view(right)) {
        (View::Undefined, View::Undefined) | (View::Null, View::Null) => true,
        (View::Bool(left), View::Bool(right)) => left == right,
        #[allow(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
        (View::Number(left), View::Number(right)) => left == right,
        (View::Text(left), View::Text(right)) => left == right,
        _ => same(left, right),
    }
}

/// Returns true if both are the same object.
fn same(left: &Value, right: &Value) -> bool {
    match (left.as_object(), right.as_object()) {
        (Some(left), Some(right)) => std::ptr::eq(address(left), address(right)),
        _ => false,
    }
}

fn address(object: &minijinja::value::DynObject) -> *const () {
    use minijinja::value::Object;
    fn of<T: Object + 'static>(object: &minijinja::value::DynObject) -> Option<*const ()> {
        object
            .downcast_ref::<T>()
            .map(|object| std::ptr::from_ref(object).cast())
    }
    of::<super::Array>(object)
        .or_else(|| of::<super::Dict>(object))
        .or_else(|| of::<super::Safe>(object))
        .or_else(|| of::<super::Function>(object))
        .or_else(|| of::<crate::regex::Regex>(object))
        .or_else(|| of::<crate::globals::Cycler>(object))
        .or_else(|| of::<crate::runtime::frames::Loop>(object))
        .unwrap_or(std::ptr::null())
}

/// `==`.
pub(crate) fn loose(left: &Value, right: &Value, runtime: &Runtime) -> Result<bool, Error> {
    let is_object = |value: &Value| {
        !matches!(
            view(value),
            View::Undefined | View::Null | View::Bool(_) | View::Number(_) | View::Text(_)
        )
    };
    if !is_present(left) || !is_present(right) {
        return Ok(!is_present(left) && !is_present(right));
    }
    match (view(left), view(right)) {
        (View::Number(_), View::Number(_))
        | (View::Text(_), View::Text(_))
        | (View::Bool(_), View::Bool(_)) => Ok(strict(left, right)),
        _ if is_object(left) && is_object(right) => Ok(strict(left, right)),
        (View::Bool(flag), _) => loose(&number::make(f64::from(flag)), right, runtime),
        (_, View::Bool(flag)) => loose(left, &number::make(f64::from(flag)), runtime),
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
