//! JavaScript's conversions to strings, numbers and keys.

use std::borrow::Cow;

use minijinja::value::Value;

use super::{View, number, view};
use crate::error::{Error, ErrorKind};
use crate::runtime::Runtime;

/// The maximum nesting of printed arrays.
const MAX_DEPTH: u32 = 200;

/// The result of JavaScript's `String(value)`.
pub(crate) fn to_text<'a>(value: &'a Value, runtime: &Runtime) -> Result<Cow<'a, str>, Error> {
    Ok(match view(value) {
        View::Undefined => Cow::Borrowed("undefined"),
        View::Null => Cow::Borrowed("null"),
        View::Bool(true) => Cow::Borrowed("true"),
        View::Bool(false) => Cow::Borrowed("false"),
        View::Number(_) => Cow::Owned(number::text(value)),
        View::Text(text) | View::Safe(text) => Cow::Borrowed(text),
        View::Dict(_) | View::Object => Cow::Borrowed("[object Object]"),
        View::Function(_) => Cow::Borrowed("[function]"),
        View::Regex(regex) => Cow::Owned(regex.to_string()),
        View::Array(array) => {
            let mut text = String::new();
            join(&array.items(), ",", &mut text, runtime, 0)?;
            Cow::Owned(text)
        }
    })
}

/// Appends the items of an array, separated, as `Array.prototype.join` does.
pub(crate) fn join(
    items: &[Value],
    separator: &str,
    out: &mut String,
    runtime: &Runtime,
    depth: u32,
) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::new(
            ErrorKind::TooDeep,
            "the array is nested too deeply to print",
        ));
    }
    runtime.spend(items.len())?;
    for (index, item) in items.iter().enumerate() {
        let before = out.len();
        if index > 0 {
            out.push_str(separator);
        }
        match view(item) {
            View::Undefined | View::Null => {}
            View::Array(array) => join(&array.items(), ",", out, runtime, depth + 1)?,
            _ => out.push_str(&to_text(item, runtime)?),
        }
        runtime.grow(out.len() - before)?;
        runtime.check_len(out.len())?;
    }
    Ok(())
}

/// `value` as a number.
pub(crate) fn to_number(value: &Value, runtime: &Runtime) -> Result<f64, Error> {
    Ok(match view(value) {
        View::Null | View::Bool(false) => 0.0,
        View::Bool(true) => 1.0,
        View::Number(value) => value,
        View::Text(text) | View::Safe(text) => number::parse(text),
        View::Array(_) => number::parse(&to_text(value, runtime)?),
        View::Undefined | View::Dict(_) | View::Object | View::Function(_) | View::Regex(_) => {
            f64::NAN
        }
    })
}

/// `value` as an operand: objects become strings.
pub(crate) fn to_primitive<'a>(
    value: &'a Value,
    runtime: &Runtime,
) -> Result<Cow<'a, Value>, Error> {
    Ok(match view(value) {
        View::Undefined | View::Null | View::Bool(_) | View::Number(_) | View::Text(_) => {
            Cow::Borrowed(value)
        }
        _ => Cow::Owned(Value::from(to_text(value, runtime)?.into_owned())),
    })
}
