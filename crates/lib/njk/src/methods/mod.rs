//! Members and methods of values, as JavaScript has them on its prototypes.

mod array;
mod number;
pub(crate) mod pattern;
mod string;

pub(crate) use array::sort_by;

use crate::error::Error;
use crate::native::{Native, argument};
use crate::regex::Regex;
use crate::runtime::Runtime;
use crate::value::number::{clamp, of};
use crate::value::text::{legible, to_number, to_text};
use crate::value::{Function, Value, index, utf16};

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
        Owner::Text => string::find(name),
        Owner::Array => array::find(name),
        Owner::Number => number::find(name),
        Owner::Object => object(name),
    }
    .is_some()
}

/// The method of `target` with that name.
pub(crate) fn method(target: &Value, name: &str) -> Option<Native> {
    let own = match target {
        Value::Undefined | Value::Null => return None,
        Value::Text(_) | Value::Safe(_) => string::find(name),
        Value::Array(_) => array::find(name),
        Value::Number(_) => number::find(name),
        Value::Regex(_) => pattern::find(name),
        _ => None,
    };
    own.or_else(|| object(name))
}

/// The methods that every object has.
fn object(name: &str) -> Option<Native> {
    Some(match name {
        "toString" | "toLocaleString" => {
            |runtime, this, _| Ok(Value::from(legible(this, runtime)?))
        }
        "valueOf" => |_, this, _| match this {
            Value::Safe(text) => Ok(Value::Text(text.clone())),
            _ => Ok(this.clone()),
        },
        "hasOwnProperty" => |runtime, this, key| {
            let key = to_text(argument(key, 0), runtime)?;
            Ok(Value::from(match this {
                Value::Dict(dict) => dict.get(&key).is_some(),
                Value::Array(array) => {
                    &*key == "length" || index(&key).is_some_and(|at| (at as usize) < array.len())
                }
                _ => false,
            }))
        },
        _ => return None,
    })
}

/// Returns true if `key in target`, for an object.
pub(crate) fn has(runtime: &Runtime, target: &Value, key: &Value) -> Result<bool, Error> {
    let key = to_text(key, runtime)?;
    Ok(match target {
        Value::Dict(dict) => dict.get(&key).is_some() || object(&key).is_some(),
        _ => !named_member(target, &key)?.is_undefined(),
    })
}

/// `target[key]`.
pub(crate) fn member(runtime: &Runtime, target: &Value, key: &Value) -> Result<Value, Error> {
    let found = match (target, position(key)) {
        (Value::Array(array), Some(index)) => array.get(index),
        (Value::Text(text), Some(index)) => utf16::at(text, index).map(Value::from),
        _ => None,
    };
    match found {
        Some(found) => Ok(found),
        None => named_member(target, &to_text(key, runtime)?),
    }
}

/// `target[index]`, for an index.
pub(crate) fn element(runtime: &Runtime, target: &Value, index: usize) -> Result<Value, Error> {
    member(runtime, target, &Value::from(index))
}

/// `target.name`.
pub(crate) fn named_member(target: &Value, name: &str) -> Result<Value, Error> {
    let found = match target {
        Value::Undefined | Value::Null => return Ok(Value::Undefined),
        Value::Array(array) if name == "length" => Some(Value::from(array.len())),
        Value::Text(text) | Value::Safe(text) if name == "length" => {
            Some(Value::from(utf16::len(text)))
        }
        Value::Array(array) => index(name).and_then(|index| array.get(index as usize)),
        Value::Text(text) => {
            let unit = index(name).and_then(|index| utf16::at(text, index as usize));
            unit.map(Value::from)
        }
        Value::Dict(dict) => dict.get(name).cloned(),
        Value::Regex(regex) => property(regex, name),
        Value::Special(object) => std::rc::Rc::clone(object).member(name),
        _ => None,
    };
    if let Some(found) = found {
        return Ok(found);
    }
    let method = method(target, name).map(|method| Function::method(target, method));
    method.unwrap_or(Ok(Value::Undefined))
}

/// An index, as a number or a string.
fn position(key: &Value) -> Option<usize> {
    match key {
        Value::Number(number) if number.value >= 0.0 && number.value.fract() == 0.0 => {
            Some(clamp(number.value, usize::MAX >> 12))
        }
        Value::Text(text) => index(text).map(|index| index as usize),
        _ => None,
    }
}

/// The elements of an object with a `length`, as an array would have them.
pub(crate) fn elements(runtime: &Runtime, value: &Value) -> Result<Vec<Value>, Error> {
    let length = to_number(&named_member(value, "length")?, runtime)?;
    let length = clamp(length.ceil(), usize::MAX >> 12);
    runtime.spend(length)?;
    runtime.grow(length.saturating_mul(size_of::<Value>()))?;
    (0..length)
        .map(|index| element(runtime, value, index))
        .collect()
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
        "lastIndex" => Some(Value::from(of(regex.last.get()))),
        _ => None,
    }
}
