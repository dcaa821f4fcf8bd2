//! The methods of arrays.

use std::sync::Arc;

use minijinja::value::Value;

use super::string::number;
use super::{callback, sort};
use crate::error::Error;
use crate::native::{Native, argument};
use crate::runtime::Runtime;
use crate::value::array::Array;
use crate::value::compare::strict;
use crate::value::number::{clamp, count, make, relative, to_integer};
use crate::value::text::{self, to_text};
use crate::value::{View, depth, view};

pub(super) fn find(name: &str) -> Option<Native> {
    if let Some(found) = callback::find(name) {
        return Some(found);
    }
    Some(match name {
        "at" => at,
        "concat" => concat,
        "entries" => |runtime, this, _| {
            let pair =
                |(index, item): (usize, &Value)| runtime.array(vec![count(index), item.clone()]);
            let pairs: Result<Vec<Value>, Error> =
                items(this).iter().enumerate().map(pair).collect();
            runtime.array(pairs?)
        },
        "fill" => fill,
        "flat" => flat,
        "includes" => |runtime, this, arguments| {
            let wanted = argument(arguments, 0);
            runtime.spend(items(this).len())?;
            let nan =
                |value: &Value| matches!(view(value), View::Number(number) if number.is_nan());
            let same = |item: &Value| strict(item, wanted) || nan(item) && nan(wanted);
            Ok(Value::from(items(this).iter().any(same)))
        },
        "indexOf" => |runtime, this, arguments| {
            let items = items(this);
            runtime.spend(items.len())?;
            let from = relative(number(runtime, arguments, 1, 0.0)?, items.len());
            let found = items
                .iter()
                .skip(from)
                .position(|item| strict(item, argument(arguments, 0)));
            Ok(found.map_or_else(|| Value::from(-1), |index| count(index + from)))
        },
        "join" => join,
        "keys" => |runtime, this, _| runtime.array((0..items(this).len()).map(count).collect()),
        _ => return changing(name),
    })
}

/// The methods that change the array, and those at the end of the alphabet.
fn changing(name: &str) -> Option<Native> {
    Some(match name {
        "lastIndexOf" => |runtime, this, arguments| {
            runtime.spend(items(this).len())?;
            let found = items(this)
                .iter()
                .rposition(|item| strict(item, argument(arguments, 0)));
            Ok(found.map_or_else(|| Value::from(-1), count))
        },
        "pop" => |_, this, _| Ok(change(this, Vec::pop).flatten().unwrap_or_default()),
        "push" => push,
        "reverse" => |runtime, this, _| {
            runtime.spend(items(this).len())?;
            change(this, |items| items.reverse());
            Ok(this.clone())
        },
        "shift" => |runtime, this, _| {
            runtime.spend(items(this).len() / 16)?;
            let first = |items: &mut Vec<Value>| (!items.is_empty()).then(|| items.remove(0));
            Ok(change(this, first).flatten().unwrap_or_default())
        },
        "slice" => slice,
        "sort" => sort::sort,
        "splice" => splice,
        "toString" | "toLocaleString" => |runtime, this, _| join(runtime, this, &[]),
        "unshift" => unshift,
        "values" => |runtime, this, _| runtime.array(items(this).to_vec()),
        _ => return None,
    })
}

/// The items of the array on which a method is called.
pub(super) fn items(this: &Value) -> Arc<Vec<Value>> {
    match view(this) {
        View::Array(array) => array.items(),
        _ => Arc::default(),
    }
}

pub(super) fn change<T>(this: &Value, change: impl FnOnce(&mut Vec<Value>) -> T) -> Option<T> {
    this.downcast_object_ref::<Array>()
        .map(|array| array.update(change))
}

/// Charges for items added to an array, and records that it changed.
fn admit(runtime: &Runtime, this: &Value, added: &[Value]) -> Result<(), Error> {
    runtime.spend(added.len() + items(this).len() / 64)?;
    runtime.grow(added.len().saturating_mul(size_of::<Value>()))?;
    let inner = added.iter().map(depth).max().unwrap_or_default();
    if inner == 0 {
        return Ok(());
    }
    if let View::Array(array) = view(this) {
        array.deepen(inner);
    }
    runtime.grow(64)?;
    runtime.changed(this);
    if added.iter().any(|added| strict(added, this)) {
        return Ok(());
    }
    Runtime::check_depth(this)
}

fn at(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let items = items(this);
    let index = to_integer(number(runtime, arguments, 0, 0.0)?);
    let len = crate::value::number::of(items.len());
    let index = if index < 0.0 { index + len } else { index };
    if index < 0.0 || index >= len {
        return Ok(Value::UNDEFINED);
    }
    Ok(items
        .get(clamp(index, items.len()))
        .cloned()
        .unwrap_or_default())
}

fn concat(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let mut all = items(this).to_vec();
    for more in arguments {
        match view(more) {
            View::Array(array) => all.extend_from_slice(&array.items()),
            _ => all.push(more.clone()),
        }
        runtime.grow(all.len())?;
    }
    runtime.array(all)
}

fn fill(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let filler = argument(arguments, 0).clone();
    let len = items(this).len();
    let start = relative(number(runtime, arguments, 1, 0.0)?, len);
    let end = relative(number(runtime, arguments, 2, f64::INFINITY)?, len);
    runtime.spend(len)?;
    admit(runtime, this, std::slice::from_ref(&filler))?;
    if start < end {
        change(this, |items| {
            if let Some(range) = items.get_mut(start..end) {
                range.fill(filler);
            }
        });
    }
    Ok(this.clone())
}

fn flat(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let levels = clamp(number(runtime, arguments, 0, 1.0)?, 100);
    let mut all = Vec::new();
    flatten(runtime, &items(this), levels, &mut all)?;
    runtime.array(all)
}

fn flatten(
    runtime: &Runtime,
    items: &[Value],
    levels: usize,
    all: &mut Vec<Value>,
) -> Result<(), Error> {
    for item in items {
        runtime.spend(1)?;
        match view(item) {
            View::Array(array) if levels > 0 => flatten(runtime, &array.items(), levels - 1, all)?,
            _ => {
                runtime.grow(size_of::<Value>())?;
                all.push(item.clone());
            }
        }
    }
    Ok(())
}

fn join(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let separator = match argument(arguments, 0) {
        missing if missing.is_undefined() => ",".into(),
        given => to_text(given, runtime)?,
    };
    let mut joined = String::new();
    text::join(&items(this), &separator, &mut joined, runtime, 0)?;
    Ok(Value::from(joined))
}

fn push(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    admit(runtime, this, arguments)?;
    change(this, |items| items.extend_from_slice(arguments));
    Ok(count(items(this).len()))
}

fn unshift(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    admit(runtime, this, arguments)?;
    change(this, |items| {
        drop(items.splice(0..0, arguments.iter().cloned()));
    });
    Ok(count(items(this).len()))
}

fn slice(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let items = items(this);
    let start = relative(number(runtime, arguments, 0, 0.0)?, items.len());
    let end = relative(number(runtime, arguments, 1, f64::INFINITY)?, items.len());
    runtime.array(items.get(start..end).unwrap_or_default().to_vec())
}

fn splice(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let len = items(this).len();
    let start = relative(number(runtime, arguments, 0, 0.0)?, len);
    let removed = match arguments.len() {
        0 => 0,
        1 => len - start,
        _ => clamp(number(runtime, arguments, 1, 0.0)?, len - start),
    };
    let added = arguments.get(2..).unwrap_or_default();
    admit(runtime, this, added)?;
    let removed = change(this, |items| {
        items
            .splice(start..start + removed, added.iter().cloned())
            .collect()
    });
    runtime.array(removed.unwrap_or_default())
}

/// The index of a search result, -1 without one.
pub(super) fn index(found: Option<usize>) -> Value {
    found.map_or_else(|| make(-1.0), count)
}
