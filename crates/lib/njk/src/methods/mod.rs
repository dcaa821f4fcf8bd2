//! Members and methods of values, as JavaScript has them on its prototypes.

mod array;
mod number;
mod pattern;
mod string;

pub(crate) use array::sort_by;
use minijinja::value::Value;

use crate::error::Error;
use crate::native::Native;
use crate::regex::Regex;
use crate::runtime::Runtime;
use crate::value::number::{clamp, count, make};
use crate::value::text::{to_number, to_text};
use crate::value::{Function, View, as_text, index, utf16, view};

/// The kinds of values with methods of their own; all have the methods of objects.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner {
    Text,
    Array,
    Number,
    Object,
}

/// Returns true if values of that kind have a method of that name.
pub(crate) fn exists(owner: Owner, name: &str) -> bool {
    match owner {
        Owner::Text => string::find(name).is_some(),
        Owner::Array => array::find(name).is_some(),
        Owner::Number => number::find(name).is_some(),
        Owner::Object => object(name).is_some(),
    }
}

/// The method of `target` with that name.
fn method(target: &Value, name: &str) -> Option<Native> {
    let own = match view(target) {
        View::Undefined | View::Null => return None,
        View::Text(_) | View::Safe(_) => string::find(name),
        View::Array(_) => array::find(name),
        View::Number(_) => number::find(name),
        View::Regex(_) => pattern::find(name),
        _ => None,
    };
    own.or_else(|| object(name))
}

/// The methods that every object has.
fn object(name: &str) -> Option<Native> {
    Some(match name {
        "toString" | "toLocaleString" => {
            |runtime, this, _| Ok(Value::from(to_text(this, runtime)?.into_owned()))
        }
        "valueOf" => |_, this, _| match view(this) {
            View::Safe(text) => Ok(Value::from(text)),
            _ => Ok(this.clone()),
        },
        "hasOwnProperty" => |runtime, this, key| {
            let key = crate::native::argument(key, 0);
            let key = to_text(key, runtime)?;
            let own = match view(this) {
                View::Dict(dict) => dict.get(&key).is_some(),
                View::Array(array) => {
                    &*key == "length" || index(&key).is_some_and(|at| (at as usize) < array.len())
                }
                _ => false,
            };
            Ok(Value::from(own))
        },
        _ => return None,
    })
}

/// Calls a built-in method, if `target` has it.
pub(crate) fn call(
    runtime: &Runtime,
    target: &Value,
    name: &str,
    arguments: &[Value],
) -> Option<Result<Value, Error>> {
    method(target, name).map(|method| method(runtime, target, arguments))
}

/// `text.replace(…)`, for the filter of that name.
pub(crate) fn replace(
    runtime: &Runtime,
    text: &Value,
    arguments: &[Value],
) -> Result<Value, Error> {
    pattern::replace(runtime, text, arguments, false)
}

/// Returns true if `key in target`, for an object.
pub(crate) fn has(runtime: &Runtime, target: &Value, key: &Value) -> Result<bool, Error> {
    let key = to_text(key, runtime)?;
    Ok(match view(target) {
        View::Dict(dict) => dict.get(&key).is_some() || object(&key).is_some(),
        _ => !member(runtime, target, &Value::from(&*key))?.is_undefined(),
    })
}

/// `target[key]`.
pub(crate) fn member(runtime: &Runtime, target: &Value, key: &Value) -> Result<Value, Error> {
    let named;
    let key = match view(key) {
        View::Number(_) | View::Text(_) | View::Safe(_) => key,
        _ => {
            named = Value::from(&*to_text(key, runtime)?);
            &named
        }
    };
    let found = match view(target) {
        View::Undefined | View::Null => return Ok(Value::UNDEFINED),
        View::Array(array) => match position(key) {
            Some(index) => array.get(index),
            None if key.as_str() == Some("length") => Some(count(array.len())),
            None => None,
        },
        View::Text(text) => match position(key) {
            Some(index) => utf16::at(text, index).map(Value::from),
            None if key.as_str() == Some("length") => Some(count(utf16::len(text))),
            None => None,
        },
        View::Safe(text) => (key.as_str() == Some("length")).then(|| count(utf16::len(text))),
        View::Dict(dict) => match as_text(key) {
            Some(key) => dict.get(key).cloned(),
            None => dict.get(&to_text(key, runtime)?).cloned(),
        },
        View::Regex(regex) => key.as_str().and_then(|key| property(regex, key)),
        View::Object => {
            let key = to_text(key, runtime)?;
            target
                .as_object()
                .and_then(|object| object.get_value(&Value::from(&*key)))
        }
        View::Bool(_) | View::Number(_) | View::Function(_) => None,
    };
    if let Some(found) = found {
        return Ok(found);
    }
    match as_text(key).and_then(|name| method(target, name)) {
        Some(method) => Function::method(target, method),
        None => Ok(Value::UNDEFINED),
    }
}

/// `target.name`.
pub(crate) fn named_member(runtime: &Runtime, target: &Value, name: &str) -> Result<Value, Error> {
    let found = match view(target) {
        View::Undefined | View::Null => return Ok(Value::UNDEFINED),
        View::Dict(dict) => dict.get(name).cloned(),
        View::Object => target
            .as_object()
            .and_then(|object| object.get_value_by_str(name)),
        _ => None,
    };
    match found {
        Some(found) => Ok(found),
        None => member(runtime, target, &Value::from(name)),
    }
}

/// An index, as a number or a string. `-0` is an index, which minijinja does not know.
fn position(key: &Value) -> Option<usize> {
    match view(key) {
        View::Number(number) => key.as_usize().or_else(|| (number == 0.0).then_some(0)),
        View::Text(text) => index(text).map(|index| index as usize),
        _ => None,
    }
}

/// The elements of an object with a `length`, as an array would have them.
pub(crate) fn elements(runtime: &Runtime, value: &Value) -> Result<Vec<Value>, Error> {
    let length = member(runtime, value, &Value::from("length"))?;
    let length = to_number(&length, runtime)?;
    let length = clamp(length.ceil(), usize::MAX >> 12);
    runtime.spend(length)?;
    runtime.grow(length.saturating_mul(size_of::<Value>()))?;
    let element = |index: usize| member(runtime, value, &count(index));
    (0..length).map(element).collect()
}

fn property(regex: &Regex, name: &str) -> Option<Value> {
    let flag = |flag: char| Some(Value::from(regex.flags().contains(flag)));
    match name {
        "source" => Some(Value::from(regex.source())),
        "flags" => Some(Value::from(regex.flags())),
        "global" => flag('g'),
        "ignoreCase" => flag('i'),
        "multiline" => flag('m'),
        "sticky" => flag('y'),
        "lastIndex" => Some(make(crate::value::number::of(regex.last()))),
        _ => None,
    }
}
