//! Filters of arrays.

use std::rc::Rc;

use crate::error::Error;
use crate::evaluator::add;
use crate::methods;
use crate::native::{Native, argument, expected, require_members};
use crate::runtime::Runtime;
use crate::value::Value;
use crate::value::number::{clamp, of};
use crate::value::text::{self, legible, to_number};

pub(super) const FILTERS: &[(&str, Native)] = &[
    ("batch", batch),
    ("first", first),
    ("last", last),
    ("join", join),
    ("random", random),
    ("reverse", reverse),
    ("slice", slice),
    ("sum", sum),
];

/// The items of any value with a length and indexes.
pub(super) fn items(runtime: &Runtime, value: &Value) -> Result<Rc<Vec<Value>>, Error> {
    match value {
        Value::Array(array) => {
            runtime.spend(array.len())?;
            Ok(array.items())
        }
        Value::Text(text) | Value::Safe(text) => Ok(Rc::new(runtime.characters(text)?)),
        Value::Undefined | Value::Null => Err(expected("an array", value)),
        Value::Dict(_) | Value::Special(_) => Ok(Rc::new(methods::elements(runtime, value)?)),
        _ => Ok(Rc::default()),
    }
}

/// The items of a value, none of undefined and null.
pub(super) fn items_or_none(runtime: &Runtime, value: &Value) -> Result<Rc<Vec<Value>>, Error> {
    match value {
        Value::Undefined | Value::Null => Ok(Rc::default()),
        _ => items(runtime, value),
    }
}

/// The items of a real array, on which Nunjucks calls array methods.
pub(super) fn array(runtime: &Runtime, value: &Value) -> Result<Rc<Vec<Value>>, Error> {
    match value {
        Value::Array(_) => items(runtime, value),
        _ => Err(expected("an array", value)),
    }
}

/// `value[key]` for every item; undefined and null have no members.
pub(super) fn pluck(runtime: &Runtime, item: &Value, key: &Value) -> Result<Value, Error> {
    require_members(item)?;
    methods::member(runtime, item, key)
}

fn first(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    if !value.is_present() {
        return Err(expected("an array", value));
    }
    methods::element(runtime, value, 0)
}

fn last(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    if !value.is_present() {
        return Err(expected("an array", value));
    }
    let length = methods::named_member(value, "length")?;
    let last = to_number(&length, runtime)? - 1.0;
    methods::member(runtime, value, &Value::from(last))
}

fn batch(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let items = items(runtime, value)?;
    let per = to_number(argument(arguments, 0), runtime)?;
    let filler = argument(arguments, 1);
    let mut batches = Vec::new();
    let mut batch: Vec<Value> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if of(index) % per == 0.0 && !batch.is_empty() {
            batches.push(runtime.array(std::mem::take(&mut batch))?);
        }
        batch.push(item.clone());
    }
    if !batch.is_empty() {
        if filler.is_true() {
            let missing = clamp(per.ceil(), usize::MAX >> 12).saturating_sub(batch.len());
            runtime.grow(missing.saturating_mul(size_of::<Value>()))?;
            batch.extend(std::iter::repeat_n(filler.clone(), missing));
        }
        batches.push(runtime.array(batch)?);
    }
    runtime.array(batches)
}

fn join(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let attribute = argument(arguments, 1);
    let separator = match argument(arguments, 0) {
        separator if separator.is_true() => legible(separator, runtime)?,
        _ => "".into(),
    };
    let mut joined = String::new();
    if attribute.is_true() {
        let items = items_or_none(runtime, value)?;
        let plucked: Vec<Value> = items
            .iter()
            .map(|item| pluck(runtime, item, attribute))
            .collect::<Result<_, _>>()?;
        text::join(&plucked, &separator, &mut joined, runtime, 0)?;
    } else {
        text::join(&array(runtime, value)?, &separator, &mut joined, runtime, 0)?;
    }
    Ok(Value::from(joined))
}

/// Picks by a fixed sequence, so that a template always renders the same text.
fn random(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    let items = items(runtime, value)?;
    if items.is_empty() {
        return Ok(Value::Undefined);
    }
    Ok(items
        .get(runtime.random() % items.len())
        .cloned()
        .unwrap_or_default())
}

fn reverse(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    if let Some(text) = value.as_text() {
        runtime.string(text.len())?;
        return Ok(value.like(text.chars().rev().collect()));
    }
    let items = items_or_none(runtime, value)?;
    runtime.array(items.iter().rev().cloned().collect())
}

/// The arithmetic is done on numbers with fractions, like the number of slices may be.
fn slice(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let slices = to_number(argument(arguments, 0), runtime)?;
    let filler = argument(arguments, 1);
    let text = value.as_text();
    if !value.is_present() {
        return Err(expected("an array", value));
    }
    if slices.is_nan() || slices <= 0.0 {
        return runtime.array(Vec::new());
    }
    let items = match text {
        Some(_) => items(runtime, value)?,
        None => array(runtime, value)?,
    };
    let (each, extra) = ((of(items.len()) / slices).floor(), of(items.len()) % slices);
    let at = |position: f64| clamp(position, items.len());
    let mut parts = Vec::new();
    let (mut index, mut offset) = (0.0, 0.0);
    while index < slices {
        runtime.spend(1)?;
        let start = at(offset + index * each);
        if index < extra {
            offset += 1.0;
        }
        let end = at(offset + (index + 1.0) * each).max(start);
        let mut part = items.get(start..end).unwrap_or_default().to_vec();
        if filler.is_true() && index >= extra {
            if text.is_some() {
                return Err(expected("an array", value));
            }
            part.push(filler.clone());
        }
        parts.push(if text.is_some() {
            Value::from(part.iter().filter_map(Value::as_str).collect::<String>())
        } else {
            runtime.array(part)?
        });
        index += 1.0;
    }
    runtime.array(parts)
}

fn sum(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let attribute = argument(arguments, 0);
    let mut total = Value::from(0.0);
    if attribute.is_true() {
        let items = items_or_none(runtime, value)?;
        for item in items.iter() {
            total = add(runtime, &total, &pluck(runtime, item, attribute)?)?;
        }
    } else {
        for item in array(runtime, value)?.iter() {
            total = add(runtime, &total, item)?;
        }
    }
    let start = match argument(arguments, 1) {
        Value::Undefined => Value::from(0.0),
        given => given.clone(),
    };
    add(runtime, &start, &total)
}
