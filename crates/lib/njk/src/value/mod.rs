//! JavaScript's values, represented by minijinja's. Undefined, null, booleans,
//! numbers and strings are minijinja's own; arrays, objects, functions, safe
//! strings, regular expressions and NaN are objects of this crate, because
//! JavaScript has identity, mutable arrays and different rules of truth.

pub(crate) mod array;
pub(crate) mod compare;
pub(crate) mod context;
pub(crate) mod dict;
pub(crate) mod function;
pub(crate) mod json;
pub(crate) mod number;
pub(crate) mod safe;
pub(crate) mod text;
pub(crate) mod utf16;

use std::sync::Arc;

use minijinja::value::{Value, ValueKind};

use crate::globals::Cycler;
use crate::regex::Regex;
use array::Array;
use dict::Dict;
use function::Function;
use number::Nan;
use safe::Safe;

/// A value by its JavaScript type.
pub(crate) enum View<'a> {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(&'a str),
    /// A string that autoescaping does not change: an object in Nunjucks.
    Safe(&'a str),
    Array(&'a Array),
    Dict(&'a Dict),
    Function(&'a Function),
    Regex(&'a Regex),
    /// An object with special behaviour, such as `loop`.
    Object,
}

/// The JavaScript type of `value`.
pub(crate) fn view(value: &Value) -> View<'_> {
    match value.kind() {
        ValueKind::Undefined => View::Undefined,
        ValueKind::None => View::Null,
        ValueKind::Bool => View::Bool(value.is_true()),
        ValueKind::Number => View::Number(number::read(value)),
        ValueKind::String => View::Text(value.as_str().unwrap_or_default()),
        _ => object(value),
    }
}

fn object(value: &Value) -> View<'_> {
    if let Some(dict) = value.downcast_object_ref::<Dict>() {
        View::Dict(dict)
    } else if let Some(array) = value.downcast_object_ref::<Array>() {
        View::Array(array)
    } else if let Some(safe) = value.downcast_object_ref::<Safe>() {
        View::Safe(safe.as_str())
    } else if let Some(function) = value.downcast_object_ref::<Function>() {
        View::Function(function)
    } else if let Some(regex) = value.downcast_object_ref::<Regex>() {
        View::Regex(regex)
    } else if value.downcast_object_ref::<Nan>().is_some() {
        View::Number(f64::NAN)
    } else {
        View::Object
    }
}

/// Neither undefined nor null.
pub(crate) fn is_present(value: &Value) -> bool {
    !value.is_undefined() && !value.is_none()
}

/// The members of an object of any kind; nothing for a value that is not an object.
pub(crate) fn entries(value: &Value) -> Vec<(Arc<str>, Value)> {
    match view(value) {
        View::Dict(dict) => {
            let entries = dict.entries().iter();
            entries
                .map(|(key, value)| (Arc::clone(key), value.clone()))
                .collect()
        }
        View::Object => {
            let pairs = value
                .as_object()
                .and_then(minijinja::value::DynObject::try_iter_pairs);
            pairs
                .into_iter()
                .flatten()
                .filter_map(|(key, value)| Some((key.to_str()?, value)))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The characters of a string, safe or not.
pub(crate) fn as_text(value: &Value) -> Option<&str> {
    match view(value) {
        View::Text(text) | View::Safe(text) => Some(text),
        _ => None,
    }
}

/// JavaScript's name of the type, for messages.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match view(value) {
        View::Undefined => "undefined",
        View::Null => "null",
        View::Bool(_) => "a boolean",
        View::Number(_) => "a number",
        View::Text(_) | View::Safe(_) => "a string",
        View::Array(_) => "an array",
        View::Function(_) => "a function",
        View::Regex(_) => "a regular expression",
        View::Dict(_) | View::Object => "an object",
    }
}

/// The number of levels of arrays and objects in a value.
pub(crate) fn depth(value: &Value) -> u32 {
    match view(value) {
        View::Array(array) => array.depth(),
        View::Dict(dict) => dict.depth(),
        View::Function(function) => function.depth(),
        View::Object => value
            .downcast_object_ref::<Cycler>()
            .map_or(0, Cycler::depth),
        _ => 0,
    }
}
