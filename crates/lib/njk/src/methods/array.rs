//! The methods of arrays.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::rc::Rc;

use crate::error::{Error, ErrorKind};
use crate::native::{Native, argument, number, string};
use crate::runtime::Runtime;
use crate::value::Value;
use crate::value::compare::{strict, texts};
use crate::value::number::{clamp, of, relative, to_integer};
use crate::value::text::{self, to_text};

pub(super) fn find(name: &str) -> Option<Native> {
    if let Some(found) = calling(name) {
        return Some(found);
    }
    Some(match name {
        "at" => at,
        "concat" => concat,
        "entries" => |runtime, this, _| {
            let pair = |(index, item): (usize, &Value)| {
                runtime.array(vec![Value::from(index), item.clone()])
            };
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
                |value: &Value| matches!(value, Value::Number(number) if number.value.is_nan());
            let same = |item: &Value| strict(item, wanted) || nan(item) && nan(wanted);
            Ok(Value::from(items(this).iter().any(same)))
        },
        "indexOf" => |runtime, this, arguments| {
            let items = items(this);
            runtime.spend(items.len())?;
            let from = relative(number(runtime, arguments, 1, 0.0)?, items.len());
            let is_wanted = |item: &Value| strict(item, argument(arguments, 0));
            let found = items.iter().skip(from).position(is_wanted);
            Ok(index(found.map(|at| at + from)))
        },
        "join" => join,
        "keys" => {
            |runtime, this, _| runtime.array((0..items(this).len()).map(Value::from).collect())
        }
        _ => return changing(name),
    })
}

/// The methods that change the array, and those at the end of the alphabet.
fn changing(name: &str) -> Option<Native> {
    Some(match name {
        "lastIndexOf" => |runtime, this, arguments| {
            runtime.spend(items(this).len())?;
            let is_wanted = |item: &Value| strict(item, argument(arguments, 0));
            Ok(index(items(this).iter().rposition(is_wanted)))
        },
        "pop" => |_, this, _| Ok(change(this, Vec::pop).unwrap_or_default()),
        "push" => push,
        "reverse" => |runtime, this, _| {
            runtime.spend(items(this).len())?;
            change(this, |items| items.reverse());
            Ok(this.clone())
        },
        "shift" => |runtime, this, _| {
            runtime.spend(items(this).len() / 16)?;
            let first = |items: &mut Vec<Value>| (!items.is_empty()).then(|| items.remove(0));
            Ok(change(this, first).unwrap_or_default())
        },
        "slice" => slice,
        "sort" => sort,
        "splice" => splice,
        "toString" | "toLocaleString" => |runtime, this, _| join(runtime, this, &[]),
        "unshift" => unshift,
        "values" => |runtime, this, _| runtime.array(items(this).to_vec()),
        _ => return None,
    })
}

/// The items of the array on which a method is called.
fn items(this: &Value) -> Rc<Vec<Value>> {
    match this {
        Value::Array(array) => array.items(),
        _ => Rc::default(),
    }
}

fn change<T: Default>(this: &Value, change: impl FnOnce(&mut Vec<Value>) -> T) -> T {
    match this {
        Value::Array(array) => array.update(change),
        _ => T::default(),
    }
}

/// Charges for items added to an array, and records that it changed.
fn admit(runtime: &Runtime, this: &Value, added: &[Value]) -> Result<(), Error> {
    runtime.spend(added.len() + items(this).len() / 64)?;
    runtime.grow(added.len().saturating_mul(size_of::<Value>()))?;
    let inner = added.iter().map(Value::depth).max().unwrap_or_default();
    if inner == 0 {
        return Ok(());
    }
    if let Value::Array(array) = this {
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
    let len = of(items.len());
    let index = if index < 0.0 { index + len } else { index };
    if index < 0.0 || index >= len {
        return Ok(Value::Undefined);
    }
    let item = items.get(clamp(index, items.len()));
    Ok(item.cloned().unwrap_or_default())
}

fn concat(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let mut all = items(this).to_vec();
    for more in arguments {
        match more {
            Value::Array(array) => all.extend_from_slice(&array.items()),
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
        match item {
            Value::Array(array) if levels > 0 => flatten(runtime, &array.items(), levels - 1, all)?,
            _ => {
                runtime.grow(size_of::<Value>())?;
                all.push(item.clone());
            }
        }
    }
    Ok(())
}

fn join(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let separator = string(runtime, arguments, 0, ",")?;
    let mut joined = String::new();
    text::join(&items(this), &separator, &mut joined, runtime, 0)?;
    Ok(Value::from(joined))
}

fn push(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    admit(runtime, this, arguments)?;
    change(this, |items| items.extend_from_slice(arguments));
    Ok(Value::from(items(this).len()))
}

fn unshift(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    admit(runtime, this, arguments)?;
    change(this, |items| {
        drop(items.splice(0..0, arguments.iter().cloned()));
    });
    Ok(Value::from(items(this).len()))
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
    let range = start..start + removed;
    let removed = change(this, |items| {
        items.splice(range, added.iter().cloned()).collect()
    });
    runtime.array(removed)
}

/// The index of a search result, -1 without one.
fn index(found: Option<usize>) -> Value {
    found.map_or_else(|| Value::from(-1.0), Value::from)
}

fn calling(name: &str) -> Option<Native> {
    Some(match name {
        "every" => |runtime, this, arguments| {
            let failing = position(runtime, this, arguments, false)?;
            Ok(Value::from(failing.is_none()))
        },
        "some" => |runtime, this, arguments| {
            let passing = position(runtime, this, arguments, true)?;
            Ok(Value::from(passing.is_some()))
        },
        "find" => |runtime, this, arguments| {
            let found = position(runtime, this, arguments, true)?;
            let item = found.and_then(|at| items(this).get(at).cloned());
            Ok(item.unwrap_or_default())
        },
        "findIndex" => {
            |runtime, this, arguments| position(runtime, this, arguments, true).map(index)
        }
        "filter" => |runtime, this, arguments| {
            let mut kept = Vec::new();
            for (at, item) in items(this).iter().enumerate() {
                if call(runtime, arguments, item, at, this)?.is_true() {
                    kept.push(item.clone());
                }
            }
            runtime.array(kept)
        },
        "map" => |runtime, this, arguments| {
            let mut mapped = Vec::new();
            for (at, item) in items(this).iter().enumerate() {
                mapped.push(call(runtime, arguments, item, at, this)?);
            }
            runtime.array(mapped)
        },
        "forEach" => |runtime, this, arguments| {
            for (at, item) in items(this).iter().enumerate() {
                call(runtime, arguments, item, at, this)?;
            }
            Ok(Value::Undefined)
        },
        "reduce" => reduce,
        _ => return None,
    })
}

fn call(
    runtime: &Runtime,
    arguments: &[Value],
    item: &Value,
    at: usize,
    this: &Value,
) -> Result<Value, Error> {
    let values = [item.clone(), Value::from(at), this.clone()];
    invoke(runtime, argument(arguments, 0), &values)
}

fn invoke(runtime: &Runtime, function: &Value, arguments: &[Value]) -> Result<Value, Error> {
    runtime.spend(1)?;
    if let Value::Function(function) = function {
        return function.call(runtime, arguments);
    }
    let message = format!("expected a function, not {}", function.type_name());
    Err(Error::new(ErrorKind::NotCallable, message))
}

/// The first item for which the function returns a value of that truth.
fn position(
    runtime: &Runtime,
    this: &Value,
    arguments: &[Value],
    wanted: bool,
) -> Result<Option<usize>, Error> {
    for (at, item) in items(this).iter().enumerate() {
        if call(runtime, arguments, item, at, this)?.is_true() == wanted {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn reduce(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let items = items(this);
    let mut rest = items.iter().enumerate();
    let first = arguments.get(1).cloned();
    let first = first.or_else(|| rest.next().map(|(_, item)| item.clone()));
    let Some(mut result) = first else {
        let message = "an empty array cannot be reduced without a first value";
        return Err(Error::bad_value(message));
    };
    for (at, item) in rest {
        let values = [result, item.clone(), Value::from(at), this.clone()];
        result = invoke(runtime, argument(arguments, 0), &values)?;
    }
    Ok(result)
}

/// Sorts in place, by a function of two items or as strings.
fn sort(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let mut items = items(this).to_vec();
    runtime.array(items.clone())?;
    if let Value::Function(function) = argument(arguments, 0) {
        let sorted = sort_by(items, &mut |left, right| {
            let order = function.call(runtime, &[left.clone(), right.clone()])?;
            let order = text::to_number(&order, runtime)?.partial_cmp(&0.0);
            Ok(order.unwrap_or(Ordering::Equal))
        })?;
        change(this, |items| *items = sorted);
        return Ok(this.clone());
    }
    let mut keyed = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        let key = (!item.is_undefined()).then(|| to_text(&item, runtime));
        let key = key.transpose()?.map(Cow::into_owned);
        runtime.spend(4)?;
        keyed.push((key, item));
    }
    keyed.sort_by(|(left, _), (right, _)| match (left, right) {
        (Some(left), Some(right)) => texts(left, right),
        (left, right) => right.is_some().cmp(&left.is_some()),
    });
    change(this, |items| {
        *items = keyed.into_iter().map(|(_, item)| item).collect();
    });
    Ok(this.clone())
}

/// So many items are sorted by insertion, as V8 does, so that an order that contradicts itself
/// has the same result.
const INSERTED: usize = 63;

type Compare<'a> = dyn FnMut(&Value, &Value) -> Result<Ordering, Error> + 'a;

/// A stable sort that tolerates inconsistent results of `compare`, which fails if that does.
/// Undefined values come last and are not compared.
pub(crate) fn sort_by(items: Vec<Value>, compare: &mut Compare<'_>) -> Result<Vec<Value>, Error> {
    let (mut sorted, undefined): (Vec<Value>, Vec<Value>) =
        items.into_iter().partition(|item| !item.is_undefined());
    sorted = merge_sort(sorted, compare)?;
    sorted.extend(undefined);
    Ok(sorted)
}

fn merge_sort(mut items: Vec<Value>, compare: &mut Compare<'_>) -> Result<Vec<Value>, Error> {
    if items.len() <= INSERTED {
        insert_all(&mut items, compare)?;
        return Ok(items);
    }
    let right = items.split_off(items.len() / 2);
    let left = merge_sort(items, compare)?;
    let right = merge_sort(right, compare)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if compare(b, a)?.is_lt() {
            right.next()
        } else {
            left.next()
        };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

/// Keeps the run at the start, reversed if it descends, and inserts the others into it.
fn insert_all(items: &mut [Value], compare: &mut Compare<'_>) -> Result<(), Error> {
    let mut run = 1;
    let mut descends = false;
    while run < items.len() {
        let falls = compare(&items[run], &items[run - 1])?.is_lt();
        if run == 1 {
            descends = falls;
        } else if falls != descends {
            break;
        }
        run += 1;
    }
    if descends {
        items[..run].reverse();
    }
    for at in run..items.len() {
        let (mut low, mut high) = (0, at);
        while low < high {
            let middle = usize::midpoint(low, high);
            if compare(&items[at], &items[middle])?.is_lt() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        items[low..=at].rotate_right(1);
    }
    Ok(())
}
